// The dialogs for administering a webhook.

import { useState } from 'react';
import {
  type NotifiedEventType,
  notifiedEventTypes,
  shownUrl,
  type WebhookFormat,
  webhookFormats,
} from '../../../core/webhook.ts';
import type { Webhook } from '../../data/shapes.ts';
import { useAct } from '../../data/use-answer.ts';
import { Checkbox, Dialog, SelectField, TextField } from '../../parts/form/form.tsx';
import { TeamName, TeamSelect } from '../../parts/form/team-select.tsx';
import { RefusalNote } from '../../parts/states.tsx';
import { paths } from '../../paths.ts';
import { navigate } from '../../router.tsx';
import { useIsAdmin, useTeamChoice } from '../../session/session-context.tsx';
import { words } from '../../words.ts';

interface Terms {
  readonly format: WebhookFormat;
  /** The id of the team that sets it up. Empty if administrators do. */
  readonly teamId: string;
  /** The URL, or the e-mail address. */
  readonly url: string;
  readonly events: readonly NotifiedEventType[];
  readonly teamIds: readonly string[];
  readonly dailyAt: number | null;
  readonly secret: string;
}

const minSecretLength = 16;
const maxSecretLength = 200;

export function CreateWebhook({
  onClose,
  onCreated,
}: {
  readonly onClose: () => void;
  /** With the secret, if its reader needs it. */
  readonly onCreated: (secret: string | null) => void;
}) {
  const act = useAct();
  const isAdmin = useIsAdmin();
  const { teamId } = useTeamChoice();
  const [terms, setTerms] = useState<Terms>({
    ...{ format: 'json', teamId: isAdmin ? '' : (teamId ?? ''), url: '' },
    ...{ events: [], teamIds: [], dailyAt: null, secret: '' },
  });
  const create = async () => {
    const made = await act.run('createWebhook', {
      body: {
        url: urlOf(terms),
        format: terms.format,
        events: [...terms.events],
        daily_at: terms.dailyAt,
        ...(terms.teamId === '' ? { team_ids: [...terms.teamIds] } : { team_id: terms.teamId }),
        ...(terms.secret !== '' && { secret: terms.secret }),
      },
    });
    if (made === null) return;
    // The secret is missing only in a repeated response to one Idempotency-Key.
    onCreated(terms.format === 'json' ? (made.secret ?? null) : null);
  };
  return (
    <Dialog
      title={words.webhooks.create}
      confirm={words.webhooks.createButton}
      isRunning={act.isRunning}
      onConfirm={create}
      onClose={onClose}
    >
      <OwnerField teamId={terms.teamId} onTeam={(next) => setTerms({ ...terms, teamId: next })} />
      <TermFields
        terms={terms}
        onTerms={setTerms}
        secretLabel={words.webhooks.ownSecret}
        secretHint={words.webhooks.ownSecretHint}
      />
      <RefusalNote refusal={act.refusal} />
    </Dialog>
  );
}

interface WebhookDialogProps {
  readonly webhook: Webhook;
  readonly onClose: () => void;
}

export function ChangeWebhook({ webhook: now, onClose }: WebhookDialogProps) {
  const act = useAct();
  // Only what was changed here is sent: the rest may have been changed elsewhere meanwhile.
  const [webhook] = useState(now);
  const [terms, setTerms] = useState<Terms>({
    format: webhook.format,
    teamId: webhook.team_id ?? '',
    url: shownUrl(webhook.url),
    events: webhook.events,
    teamIds: webhook.team_ids,
    dailyAt: webhook.daily_at,
    secret: '',
  });
  const change = async () => {
    const body = {
      ...(urlOf(terms) !== webhook.url && { url: urlOf(terms) }),
      ...(terms.format !== webhook.format && { format: terms.format }),
      ...(terms.events !== webhook.events && { events: [...terms.events] }),
      ...(terms.teamIds !== webhook.team_ids && { team_ids: [...terms.teamIds] }),
      ...(terms.dailyAt !== webhook.daily_at && { daily_at: terms.dailyAt }),
      ...(terms.secret !== '' && { secret: terms.secret }),
    };
    const call = { params: { webhook_id: webhook.id }, body };
    const done = await act.run('updateWebhook', call, words.webhooks.changed);
    if (done !== null) onClose();
  };
  return (
    <Dialog
      title={words.webhooks.changeTitle}
      confirm={words.webhooks.changeButton}
      isRunning={act.isRunning}
      onConfirm={change}
      onClose={onClose}
    >
      <TermFields
        terms={terms}
        onTerms={setTerms}
        secretLabel={words.webhooks.newSecret}
        secretHint={words.webhooks.newSecretHint}
      />
      <RefusalNote refusal={act.refusal} />
    </Dialog>
  );
}

export function DeleteWebhook({ webhook, onClose }: WebhookDialogProps) {
  const act = useAct();
  const remove = async () => {
    const call = { params: { webhook_id: webhook.id } };
    const done = await act.run('deleteWebhook', call, words.webhooks.deleted);
    if (done === null) return;
    onClose();
    navigate(paths.webhooks);
  };
  return (
    <Dialog
      title={words.webhooks.deleteTitle}
      confirm={words.webhooks.delete}
      isDangerous
      isRunning={act.isRunning}
      onConfirm={remove}
      onClose={onClose}
    >
      <p className="url">{shownUrl(webhook.url)}</p>
      <p>{words.webhooks.deleteHint}</p>
      <RefusalNote refusal={act.refusal} />
    </Dialog>
  );
}

function urlOf({ format, url }: Terms): string {
  return format === 'email' ? `mailto:${url}` : url;
}

/** Administrators may set up what tells of every team. */
function OwnerField({
  teamId,
  onTeam,
}: {
  readonly teamId: string;
  readonly onTeam: (teamId: string) => void;
}) {
  const isAdmin = useIsAdmin();
  return (
    <TeamSelect
      label={words.webhooks.owner}
      hint={teamId === '' && isAdmin ? words.webhooks.forAllHint : words.webhooks.ownerHint}
      value={teamId}
      onTeam={onTeam}
      required={!isAdmin}
      before={[{ value: '', label: isAdmin ? words.webhooks.forAll : words.webhooks.chooseTeam }]}
    />
  );
}

function TermFields({
  terms,
  onTerms,
  secretLabel,
  secretHint,
}: {
  readonly terms: Terms;
  readonly onTerms: (terms: Terms) => void;
  readonly secretLabel: string;
  readonly secretHint: string;
}) {
  const { format } = terms;
  return (
    <>
      <SelectField
        label={words.webhooks.format}
        value={format}
        onText={(next) =>
          onTerms({ ...terms, format: webhookFormats.find((each) => each === next) ?? 'json' })
        }
        options={webhookFormats.map((value) => ({ value, label: words.webhooks.formats[value] }))}
      />
      <TextField
        label={format === 'email' ? words.webhooks.address : words.webhooks.url}
        hint={format === 'email' ? words.webhooks.addressHint : words.webhooks.urlHints[format]}
        type={format === 'email' ? 'email' : 'url'}
        required
        maxLength={2000}
        autoComplete="off"
        spellCheck={false}
        value={terms.url}
        onText={(url) => onTerms({ ...terms, url })}
      />
      <TimingField dailyAt={terms.dailyAt} onHour={(dailyAt) => onTerms({ ...terms, dailyAt })} />
      <EventChoices events={terms.events} onEvents={(events) => onTerms({ ...terms, events })} />
      {terms.teamId === '' && (
        <TeamChoices
          teamIds={terms.teamIds}
          onTeamIds={(teamIds) => onTerms({ ...terms, teamIds })}
        />
      )}
      {format === 'json' && (
        <TextField
          label={secretLabel}
          hint={secretHint}
          type="password"
          autoComplete="new-password"
          minLength={minSecretLength}
          maxLength={maxSecretLength}
          pattern="[!-~]*"
          title={secretHint}
          value={terms.secret}
          onText={(secret) => onTerms({ ...terms, secret })}
        />
      )}
    </>
  );
}

export function TimingField({
  dailyAt,
  onHour,
}: {
  readonly dailyAt: number | null;
  readonly onHour: (dailyAt: number | null) => void;
}) {
  return (
    <SelectField
      label={words.webhooks.timing}
      hint={words.webhooks.timingHint}
      value={dailyAt ?? ''}
      onText={(next) => onHour(next === '' ? null : Number(next))}
      options={[
        { value: '', label: words.webhooks.atOnce },
        ...Array.from({ length: 24 }, (_, hour) => ({
          value: String(hour),
          label: words.webhooks.daily(hour),
        })),
      ]}
    />
  );
}

export function EventChoices({
  events,
  onEvents,
}: {
  readonly events: readonly NotifiedEventType[];
  readonly onEvents: (events: readonly NotifiedEventType[]) => void;
}) {
  const toggle = (type: NotifiedEventType, isTold: boolean) =>
    onEvents(notifiedEventTypes.filter((one) => (one === type ? isTold : events.includes(one))));
  return (
    <fieldset className="choices">
      <legend>{words.webhooks.events}</legend>
      <p className="hint">{words.webhooks.eventsHint}</p>
      {notifiedEventTypes.map((type) => (
        <Checkbox
          key={type}
          label={words.events[type]}
          isChecked={events.includes(type)}
          onChange={(isTold) => toggle(type, isTold)}
        />
      ))}
    </fieldset>
  );
}

function TeamChoices({
  teamIds,
  onTeamIds,
}: {
  readonly teamIds: readonly string[];
  readonly onTeamIds: (teamIds: readonly string[]) => void;
}) {
  return (
    <fieldset className="choices">
      <legend>{words.webhooks.teams}</legend>
      <p className="hint">{words.webhooks.teamsHint}</p>
      {teamIds.length > 0 && (
        <ul className="pills" aria-label={words.webhooks.teams}>
          {teamIds.map((id) => (
            <li key={id}>
              <TeamName id={id} />{' '}
              <button
                type="button"
                className="link-button"
                onClick={() => onTeamIds(teamIds.filter((one) => one !== id))}
              >
                {words.webhooks.removeTeam}
                <span className="hidden">
                  {' '}
                  <TeamName id={id} />
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
      <TeamSelect
        label={words.webhooks.addTeam}
        value=""
        onTeam={(id) => onTeamIds([...teamIds, id])}
        before={[{ value: '', label: words.webhooks.chooseTeam }]}
        isOffered={({ id }) => !teamIds.includes(id)}
      />
    </fieldset>
  );
}
