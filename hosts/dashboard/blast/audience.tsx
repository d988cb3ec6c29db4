// The field for a message's audience, with the live number of recipients.
import { Plus, Users, X } from 'lucide-preact';
import { useRef, useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { ChoicesField } from '../fields/choice.tsx';
import { FieldFrame } from '../fields/frame.tsx';
import { Widget } from '../fields/widget.tsx';
import type { Resource } from '../resources.ts';
import { Dialog } from '../ui/dialog.tsx';
import { FieldError, Form } from '../ui/form.tsx';
import { Icon } from '../ui/icon.tsx';
import { ReadError } from '../ui/notice.tsx';
import { usePosted } from '../useposted.ts';
import { count } from '../words.ts';
import {
  type Audience,
  asRequested,
  everyone,
  isEveryone,
  type Kind,
  kinds,
  type Reach,
  valueName,
  valuesOf,
  withValues,
} from './audience.ts';
import { say } from './words.ts';

type Counting = Resource<Reach> & { readonly busy: boolean };

/** Counts an audience. Nothing is counted if it is null. */
export const useReach = (slug: string, audience: Audience | null): Counting =>
  usePosted<Reach>(
    '/admin/broadcast/audience',
    audience && ({ campaignSlug: slug, audience: asRequested(audience) } satisfies Schema['AudienceRequest']),
  );

interface Props {
  readonly slug: string;
  readonly reach: Counting;
  readonly audience: Audience;
  readonly set: (audience: Audience) => void;
  readonly error: string;
}

export function AudienceField({ slug, reach, audience, set, error }: Props) {
  const [narrowing, setNarrowing] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const remove = (kind: Kind, value: string): void => {
    set(
      withValues(
        audience,
        kind,
        (audience[kind] ?? []).filter((v) => v !== value),
      ),
    );
    opener.current?.focus();
  };
  return (
    <div class="field">
      <span class="label" id="audience">
        {say('audience')}
      </span>
      <div class="tags" role="group" aria-labelledby="audience">
        {isEveryone(audience) ? <span class="tag whole">{say('all_supporters')}</span> : null}
        {valuesOf(audience, reach.value?.rewardNames).map(({ kind, value, name }) => (
          <span key={`${kind} ${value}`} class="tag">
            {name}
            <button type="button" aria-label={say('remove_group', { name })} onClick={() => remove(kind, value)}>
              <Icon of={X} small />
            </button>
          </span>
        ))}
        <button ref={opener} type="button" class="btn plain sm narrow" onClick={() => setNarrowing(true)}>
          <Icon of={Plus} small />
          {say('narrow')}
        </button>
      </div>
      <ReachLine reach={reach} />
      {error ? <FieldError text={error} /> : null}
      {narrowing ? <NarrowDialog slug={slug} audience={audience} set={set} close={() => setNarrowing(false)} /> : null}
    </div>
  );
}

/** The number of supporters in an audience. */
function ReachLine({ reach: { value, error, at, busy } }: { reach: Counting }) {
  if (error) return <ReadError at={at} error={error} />;
  return (
    <p class="hint row reach" role="status" aria-busy={busy}>
      <Icon of={Users} small />
      {value ? (
        <span>
          <b>{say('of_supporters', { n: value.recipientCount, count: value.supporterCount })}</b>{' '}
          {say('without_unsubscribed')}
        </span>
      ) : (
        <span>{say('counting')}</span>
      )}
    </p>
  );
}

interface NarrowProps {
  readonly slug: string;
  readonly audience: Audience;
  readonly set: (audience: Audience) => void;
  readonly close: () => void;
}

function NarrowDialog({ slug, audience, set, close }: NarrowProps) {
  const [chosen, setChosen] = useState(audience);
  const reach = useReach(slug, chosen);
  const use = (next: Audience): void => {
    set(next);
    close();
  };
  return (
    <Dialog title={say('narrow_title')} close={close}>
      <Form
        dialog
        task={async () => use(chosen)}
        submitLabel={say('narrow_go')}
        actions={
          isEveryone(chosen) ? null : (
            <button type="button" class="btn" onClick={() => use(everyone)}>
              {say('all_supporters')}
            </button>
          )
        }
      >
        <p class="small muted">{say('narrow_what')}</p>
        {reach.value
          ? kinds.map((kind) => (
              <GroupField
                key={kind}
                kind={kind}
                reach={reach.value as Reach}
                chosen={chosen[kind] ?? []}
                set={(values) => setChosen(withValues(chosen, kind, values))}
              />
            ))
          : null}
        <ReachLine reach={reach} />
      </Form>
    </Dialog>
  );
}

const maxBoxes = 8; // groups shown as check boxes; with more there is a search

interface GroupProps {
  readonly kind: Kind;
  readonly reach: Reach;
  readonly chosen: readonly string[];
  readonly set: (values: readonly string[]) => void;
}

/** The groups of one kind, unless all supporters are in the same one. */
function GroupField({ kind, reach, chosen, set }: GroupProps) {
  const found = reach[kind].map((g) => ({
    value: g.value,
    label: valueName(kind, g.value, reach.rewardNames),
    note: count(g.supporterCount),
  }));
  const gone = chosen.filter((v) => !found.some((g) => g.value === v));
  const all = [...found, ...gone.map((value) => ({ value, label: valueName(kind, value), note: count(0) }))];
  if (all.length < 2 && !chosen.length) return null;
  const label = say(kind);
  if (all.length <= maxBoxes)
    return (
      <ChoicesField
        label={label}
        value={chosen}
        set={(values) => set(values ?? [])}
        choices={all.map(({ value, label: name, note }) => ({ value, label: `${name} (${note})` }))}
      />
    );
  return (
    <FieldFrame props={{ label }}>
      {(a) => (
        <Widget
          name="Combobox"
          text={chosen.join(', ')}
          props={{ attributes: a, label, items: all, value: chosen, set, multiple: true, placeholder: say('any') }}
        />
      )}
    </FieldFrame>
  );
}
