import type { Comment } from '../../core/comment.ts';
import type { CommentOnProposal } from '../../core/decide/commands.ts';
import { notFound } from '../../core/decide/not-found.ts';
import { decideComment } from '../../core/decide/proposals/comment.ts';
import { applyDecided, byOf } from '../apply-decided.ts';
import type { Verb } from '../commands.ts';

export const commentOnProposal: Verb<CommentOnProposal, Comment> = (ports, context, command) =>
  ports.transact(context, async (transaction) => {
    const { proposalId, replyTo = null } = command;
    const facts = await transaction.lockProposal(proposalId);
    if (facts === null) return notFound('PROPOSAL', proposalId);
    const { count, repliedTo } = await transaction.findCommentFacts(proposalId, replyTo);
    const whole = { ...facts, commentCount: count, repliedTo };
    return applyDecided(transaction, decideComment(whole, command, byOf(context, transaction)));
  });
