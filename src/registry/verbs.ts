// Every write verb by its name, for the doors that call them.

import { acknowledgeProposal } from './acknowledge-proposal.ts';
import { approveProposal } from './approve-proposal.ts';
import { assessImpact } from './assess-impact.ts';
import type { Verbs } from './commands.ts';
import { createAsset } from './create-asset.ts';
import { createTeam } from './create-team.ts';
import { deleteAsset } from './delete-asset.ts';
import { deleteRegistration } from './delete-registration.ts';
import { deleteTeam } from './delete-team.ts';
import { forceProposal } from './force-proposal.ts';
import { issueApiKey } from './issue-api-key.ts';
import { publishContract } from './publish-contract.ts';
import { publishProposal } from './publish-proposal.ts';
import { rebaseProposal } from './rebase-proposal.ts';
import { registerConsumer } from './register-consumer.ts';
import { restoreAsset } from './restore-asset.ts';
import { revokeApiKey } from './revoke-api-key.ts';
import { updateAsset } from './update-asset.ts';
import { updateContract } from './update-contract.ts';
import { updateRegistration } from './update-registration.ts';
import { updateTeam } from './update-team.ts';
import { withdrawProposal } from './withdraw-proposal.ts';

export const verbs: Verbs = {
  createTeam,
  updateTeam,
  deleteTeam,
  issueApiKey,
  revokeApiKey,
  createAsset,
  updateAsset,
  deleteAsset,
  restoreAsset,
  publishContract,
  assessImpact,
  updateContract,
  registerConsumer,
  updateRegistration,
  deleteRegistration,
  acknowledgeProposal,
  approveProposal,
  publishProposal,
  forceProposal,
  rebaseProposal,
  withdrawProposal,
};
