// Every write verb by name, for the rooms that call them.

import { claimAsset, releaseAsset } from './assets/claim-asset.ts';
import { createAsset } from './assets/create-asset.ts';
import { createService } from './assets/create-service.ts';
import { deleteAsset } from './assets/delete-asset.ts';
import { deleteService } from './assets/delete-service.ts';
import { restoreAsset } from './assets/restore-asset.ts';
import { updateAsset } from './assets/update-asset.ts';
import { updateService } from './assets/update-service.ts';
import type { Verbs } from './commands.ts';
import { assessImpact } from './contracts/assess-impact.ts';
import { declareContract } from './contracts/declare-contract.ts';
import { publishContract } from './contracts/publish-contract.ts';
import { updateContract } from './contracts/update-contract.ts';
import { importAssets } from './imports/import-assets.ts';
import { previewImport } from './imports/preview-import.ts';
import { addDependency } from './lineage/add-dependency.ts';
import { deleteDependency } from './lineage/delete-dependency.ts';
import { recordLineage } from './lineage/record-lineage.ts';
import { recordQualityRun } from './lineage/record-quality-run.ts';
import { recordRunResults } from './lineage/record-run-results.ts';
import { admitUser } from './people/admit-user.ts';
import { createTeam } from './people/create-team.ts';
import { createTrust } from './people/create-trust.ts';
import { createUser } from './people/create-user.ts';
import { deactivateUser } from './people/deactivate-user.ts';
import { declareTeam } from './people/declare-team.ts';
import { deleteTeam } from './people/delete-team.ts';
import { deleteTrust } from './people/delete-trust.ts';
import { ensureFirstAdmin } from './people/ensure-first-admin.ts';
import { exchangeToken } from './people/exchange-token.ts';
import { issueApiKey } from './people/issue-api-key.ts';
import { logIn } from './people/log-in.ts';
import { endProviderSession, logOut } from './people/log-out.ts';
import { provisionGroup } from './people/provision-group.ts';
import { provisionUser } from './people/provision-user.ts';
import { recordRefusedEntry } from './people/record-refused-entry.ts';
import { releaseTeam } from './people/release-team.ts';
import { restoreTeam } from './people/restore-team.ts';
import { revokeApiKey } from './people/revoke-api-key.ts';
import { updateTeam } from './people/update-team.ts';
import { updateUser } from './people/update-user.ts';
import { acknowledgeProposal } from './proposals/acknowledge-proposal.ts';
import { approveProposal } from './proposals/approve-proposal.ts';
import { commentOnProposal } from './proposals/comment-on-proposal.ts';
import { expireProposal } from './proposals/expire-proposal.ts';
import { forceProposal } from './proposals/force-proposal.ts';
import { objectToProposal } from './proposals/object-to-proposal.ts';
import { publishProposal } from './proposals/publish-proposal.ts';
import { rebaseProposal } from './proposals/rebase-proposal.ts';
import { remindConsumers } from './proposals/remind-consumers.ts';
import { updateProposal } from './proposals/update-proposal.ts';
import { withdrawProposal } from './proposals/withdraw-proposal.ts';
import { confirmNeeds } from './registrations/confirm-needs.ts';
import { deleteRegistration } from './registrations/delete-registration.ts';
import { findNeeds } from './registrations/find-needs.ts';
import { registerConsumer } from './registrations/register-consumer.ts';
import { updateRegistration } from './registrations/update-registration.ts';
import { confirmSource } from './sources/confirm-source.ts';
import { takeOverSource } from './sources/take-over-source.ts';
import { chooseNotifications } from './webhooks/choose-notifications.ts';
import { createWebhook } from './webhooks/create-webhook.ts';
import { deleteWebhook } from './webhooks/delete-webhook.ts';
import { replayDelivery } from './webhooks/replay-delivery.ts';
import { replayParked } from './webhooks/replay-parked.ts';
import { updateWebhook } from './webhooks/update-webhook.ts';

export const verbs: Verbs = {
  createTeam,
  updateTeam,
  deleteTeam,
  restoreTeam,
  declareTeam,
  releaseTeam,
  issueApiKey,
  revokeApiKey,
  createTrust,
  deleteTrust,
  exchangeToken,
  createUser,
  updateUser,
  deactivateUser,
  admitUser,
  provisionUser,
  provisionGroup,
  logIn,
  endProviderSession,
  logOut,
  recordRefusedEntry,
  ensureFirstAdmin,
  createService,
  updateService,
  deleteService,
  createAsset,
  updateAsset,
  claimAsset,
  releaseAsset,
  deleteAsset,
  restoreAsset,
  publishContract,
  declareContract,
  assessImpact,
  importAssets,
  previewImport,
  updateContract,
  registerConsumer,
  updateRegistration,
  findNeeds,
  recordLineage,
  confirmNeeds,
  addDependency,
  deleteDependency,
  recordQualityRun,
  recordRunResults,
  deleteRegistration,
  acknowledgeProposal,
  approveProposal,
  publishProposal,
  forceProposal,
  rebaseProposal,
  updateProposal,
  remindConsumers,
  commentOnProposal,
  objectToProposal,
  withdrawProposal,
  expireProposal,
  confirmSource,
  takeOverSource,
  chooseNotifications,
  createWebhook,
  updateWebhook,
  deleteWebhook,
  replayDelivery,
  replayParked,
};
