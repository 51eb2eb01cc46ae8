// Every command that needs only core and wire. main.ts adds the others.

import type { CommandRow } from './command-line.ts';

/** In the order in which users meet them. */
export const commands: readonly CommandRow[] = [
  {
    name: 'diff',
    summary: 'show changes, breaking changes and affected consumers',
    load: async () => (await import('./diff/mount-diff.ts')).mountDiff,
  },
  {
    name: 'changelog',
    summary: 'write what changed between two versions as release notes',
    load: async () => (await import('./diff/mount-changelog.ts')).mountChangelog,
  },
  {
    name: 'explain',
    summary: 'say what a type of change means and what to do instead',
    load: async () => (await import('./mount-explain.ts')).mountExplain,
  },
  {
    name: 'contains',
    summary: 'check whether every value of one schema is valid for another',
    load: async () => (await import('./mount-contains.ts')).mountContains,
  },
  {
    name: 'validate',
    summary: 'check values against a contract, one a line',
    load: async () => (await import('./check/mount-validate.ts')).mountValidate,
  },
  {
    name: 'check',
    summary: 'check the data of a table or of files against a contract',
    load: async () => (await import('./check/mount-check.ts')).mountCheck,
  },
  {
    name: 'impact',
    summary: 'show what publishing files would break, and for which consumers',
    load: async () => (await import('./registry/mount-impact.ts')).mountImpact,
  },
  {
    name: 'can-i-deploy',
    summary: 'answer whether consumers can read what files would publish',
    load: async () => (await import('./registry/deploy/mount-deploy.ts')).mountDeploy,
  },
  {
    name: 'publish',
    summary: 'publish schemas and DataContracts to a registry',
    load: async () => (await import('./registry/mount-publish.ts')).mountPublish,
  },
  {
    name: 'import',
    summary: 'import dbt, OpenAPI, GraphQL and ODCS files into a registry',
    load: async () => (await import('./registry/mount-import.ts')).mountImport,
  },
  {
    name: 'ack',
    summary: 'answer a proposal as a consumer',
    load: async () => (await import('./registry/mount-ack.ts')).mountAck,
  },
  {
    name: 'proposal',
    summary: 'list, show, approve, publish, rebase, withdraw or force proposals',
    load: async () => (await import('./manage/proposal-acts.ts')).mountProposal,
  },
  {
    name: 'register',
    summary: 'register a team as a consumer of an asset',
    load: async () => (await import('./manage/registration-acts.ts')).mountRegister,
  },
  {
    name: 'needs',
    summary: 'say what a consumer reads of an asset, show it, or find it in files',
    load: async () => (await import('./needs/mount-needs.ts')).mountNeeds,
  },
  {
    name: 'unregister',
    summary: 'end the registration of a consumer',
    load: async () => (await import('./manage/registration-acts.ts')).mountUnregister,
  },
  {
    name: 'asset',
    summary: 'list, show, create, delete or restore assets',
    load: async () => (await import('./manage/asset-acts.ts')).mountAsset,
  },
  {
    name: 'service',
    summary: 'list, show, create, change or delete services, and what belongs to them',
    load: async () => (await import('./manage/service-acts.ts')).mountService,
  },
  {
    name: 'team',
    summary: 'list, show, create, rename or delete teams',
    load: async () => (await import('./manage/people-acts.ts')).mountTeam,
  },
  {
    name: 'key',
    summary: 'list, create or revoke API keys',
    load: async () => (await import('./manage/people-acts.ts')).mountKey,
  },
  {
    name: 'search',
    summary: 'search for assets, fields, services, teams and proposals',
    load: async () => (await import('./registry/mount-search.ts')).mountSearch,
  },
  {
    name: 'status',
    summary: 'show open proposals and contracts that are not ready',
    load: async () => (await import('./registry/mount-status.ts')).mountStatus,
  },
  {
    name: 'take-over',
    summary: 'hand the contracts of a source that is gone to another source',
    load: async () => (await import('./registry/sources/mount-take-over.ts')).mountTakeOver,
  },
  {
    name: 'export',
    summary: 'print a contract from a registry',
    load: async () => (await import('./registry/mount-export.ts')).mountExport,
  },
  {
    name: 'mcp',
    summary: 'serve a registry as tools to agents and editors',
    load: async () => (await import('./mcp/mount-mcp.ts')).mountMcp,
  },
  {
    name: 'story',
    summary: 'break or repair the table behind the demo data',
    load: async () => (await import('./story/mount-story.ts')).mountStory,
  },
  {
    name: 'completion',
    summary: 'print a completion script for bash, zsh or fish',
    load: async () => (await import('./completion/mount-completion.ts')).mountCompletion,
  },
];
