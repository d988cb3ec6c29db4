// The decisions of a campaign.
import { Plus, Vote, X } from 'lucide-preact';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import type { Field, Values } from '../editor/draft.ts';
import { ImageField } from '../fields/image.tsx';
import { instantOf, wallOf } from '../fields/moment.ts';
import { formatWall, platformZone, shortWall, today, zoneName } from '../fields/zone.ts';
import { useResource } from '../resources.ts';
import { now } from '../session.ts';
import { Badge } from '../ui/badge.tsx';
import { Empty } from '../ui/empty.tsx';
import { FieldError } from '../ui/form.tsx';
import { Icon } from '../ui/icon.tsx';
import { keepKey, keyOf, moveEntry } from '../ui/order.ts';
import { Sortable } from '../ui/sortable.tsx';
import { count, percent } from '../words.ts';
import { Dotted } from './dotted.tsx';
import { idOf, textOf, useClaims } from './entry.ts';
import { EntryFields, LockNotice } from './fields.tsx';
import { ItemList, type ScreenProps } from './list.tsx';
import { AddButton } from './simple.tsx';
import { Meter } from './tiers.tsx';
import { say } from './words.ts';

type Given = Schema['Answers'];
type Answered = Given['decisions'][number];

const blank = (): Values => ({ title: '', type: 'vote', options: [{ label: '' }, { label: '' }] });

export function Decisions(props: ScreenProps) {
  const fields = props.fields.find((f) => f.path === 'decisions')?.fields ?? [];
  const kinds = fields.find((f) => f.path === 'type')?.choices ?? [];
  const answers = useResource<Given>(`/admin/campaigns/answers/${props.slug}`, 60).value;
  const { supporters } = useClaims(props.slug);
  const answersTo = (d: Values): Answered | undefined =>
    answers?.decisions.find((a) => a.id === idOf(d) || a.title === textOf(d.title));
  return (
    <ItemList
      {...props}
      list="decisions"
      lede={say('decisions_lede')}
      addLabel={say('add_decision')}
      panelTitle={say('edit_decision')}
      newEntry={blank}
      rowClass={() => 'plain-item decision'}
      card={(d) => {
        const wall = wallOf(textOf(d.deadline), 'ends', platformZone);
        const closed = wall !== undefined && wall !== null && instantOf(wall, platformZone) <= now();
        const given = answersTo(d);
        const moment = wall
          ? `${wall.year === today().year ? shortWall(wall) : formatWall(wall)} ${zoneName(wall)}`
          : '';
        return {
          name: textOf(d.title),
          badges: <Badge tone={closed ? '' : 'live'}>{say(closed ? 'closed' : 'open')}</Badge>,
          facts: (
            <>
              <p class="small muted">
                <Dotted
                  parts={[
                    kinds.find((k) => k.value === (d.type ?? 'vote'))?.label,
                    closed
                      ? say('answered', { count: given?.total ?? 0 })
                      : say('answered_of', { n: given?.total ?? 0, count: supporters }),
                    moment ? say(closed ? 'closed_at' : 'closes_at', { time: moment }) : say('never_closes'),
                  ]}
                />
              </p>
              <Results answers={optionsOf(d).map((o) => textOf(o.label))} given={given} />
            </>
          ),
        };
      }}
      empty={(add) => (
        <Empty
          icon={Vote}
          title={say('first_decision')}
          action={<AddButton add={() => add(blank())}>{say('add_decision')}</AddButton>}
        >
          {say('first_decision_text')}
        </Empty>
      )}
      keeps={(d) => {
        const n = answersTo(d)?.total ?? 0;
        return n ? say('decision_kept', { count: n }) : '';
      }}
      panel={(open) => (
        <>
          {answersTo(open.entry)?.total ? (
            <LockNotice strong={say('have_answered', { count: answersTo(open.entry)?.total ?? 0 })}>
              {say('answers_locked')}
            </LockNotice>
          ) : null}
          <EntryFields
            {...open}
            fields={fields}
            groups={props.groups}
            errorOf={props.errorOf}
            control={(f, given) =>
              f.path === 'options' ? (
                <Answers
                  key={f.path}
                  field={f}
                  value={given.value}
                  set={given.set}
                  error={given.error}
                  locked={Boolean(answersTo(open.entry)?.total)}
                />
              ) : null
            }
          />
        </>
      )}
    />
  );
}

/** How many supporters chose each answer, the most popular first. */
function Results({ answers, given }: { answers: readonly string[]; given: Answered | undefined }) {
  const total = given?.total ?? 0;
  const rows = Object.entries({ ...Object.fromEntries(answers.map((a) => [a, 0])), ...given?.options }).sort(
    ([, a], [, b]) => b - a,
  );
  const most = Math.max(1, ...rows.map(([, n]) => n));
  return (
    <ul class="results">
      {rows.map(([label, n]) => (
        <li key={label} class="stack g1">
          <span class="row between small">
            {n === most ? <b>{label}</b> : <span>{label}</span>}
            <span>
              <b class={n ? '' : 'muted'}>{count(n)}</b> <span class="muted">{percent(n, total)}</span>
            </span>
          </span>
          <Meter share={total ? n / total : 0} />
        </li>
      ))}
    </ul>
  );
}

/** The answers of a decision. In files, an answer may be written as only its text. */
const optionsOf = (d: Values): readonly Values[] =>
  Array.isArray(d.options) ? d.options.map((o: unknown) => (typeof o === 'string' ? { label: o } : (o as Values))) : [];

interface AnswersProps {
  readonly field: Field;
  readonly value: unknown;
  readonly set: (value: unknown) => void;
  readonly error: string;
  /** Supporters have answered, so answers are locked: votes are counted by the answers' texts. */
  readonly locked: boolean;
}

const fewest = 2;

function Answers({ field, value, set, error, locked }: AnswersProps) {
  const root = useRef<HTMLFieldSetElement>(null);
  const wanted = useRef(-1);
  const answers = useMemo(() => optionsOf({ options: value }), [value]);
  useLayoutEffect(() => {
    if (wanted.current < 0) return;
    root.current?.querySelectorAll<HTMLElement>('.answer-text')[wanted.current]?.focus();
    wanted.current = -1;
  });
  if (locked)
    return (
      <div class="stack g2">
        <b class="label">{field.label}</b>
        <ul class="stack g2">
          {answers.map((a) => (
            <li key={keyOf(a)} class="input readonly locked-answer">
              {textOf(a.label)}
            </li>
          ))}
        </ul>
      </div>
    );
  const image = field.fields?.find((f) => f.path === 'image');
  const replace = (at: number, by: Values): void => set(answers.map((a, i) => (i === at ? keepKey(a, by) : a)));
  const add = (): void => {
    if (answers.length >= (field.maxLength ?? Number.POSITIVE_INFINITY)) return;
    wanted.current = answers.length;
    set([...answers, { label: '' }]);
  };
  return (
    <fieldset ref={root} class="stack g2">
      <legend class="label">{field.label}</legend>
      <Sortable
        class="stack g2"
        label={field.label}
        entries={answers}
        keyOf={keyOf}
        nameOf={(a, i) => textOf(a.label) || say('answer', { n: i + 1 })}
        move={(from, to) => set(moveEntry(answers, from, to))}
        itemClass={() => 'answer'}
      >
        {(a, i, moves) => (
          <>
            {moves.handle}
            <div class="stack g2">
              <input
                class="input answer-text"
                aria-label={say('answer', { n: i + 1 })}
                value={textOf(a.label)}
                onInput={(e) => replace(i, { ...a, label: e.currentTarget.value })}
                onKeyDown={(e) => {
                  if (e.key !== 'Enter') return;
                  e.preventDefault();
                  add();
                }}
              />
              {image ? (
                <details class="more" open={Boolean(a.image)}>
                  <summary>{image.label}</summary>
                  <ImageField
                    label={say('answer_picture', { name: textOf(a.label) || say('answer', { n: i + 1 }) })}
                    value={textOf(a.image) || undefined}
                    set={(path) => {
                      const { image: _, ...rest } = a;
                      replace(i, path ? { ...rest, image: path } : rest);
                    }}
                  />
                </details>
              ) : null}
            </div>
            <button
              type="button"
              class="btn plain icon sm"
              aria-label={say('remove_row', { name: textOf(a.label) || say('answer', { n: i + 1 }) })}
              aria-disabled={answers.length <= fewest}
              onClick={() => {
                if (answers.length <= fewest) return;
                wanted.current = Math.max(0, i - 1);
                set(answers.filter((_, n) => n !== i));
              }}
            >
              <Icon of={X} small />
            </button>
          </>
        )}
      </Sortable>
      {error ? <FieldError text={error} /> : null}
      <button type="button" class="btn sm start" onClick={add}>
        <Icon of={Plus} small />
        {say('add_answer')}
      </button>
    </fieldset>
  );
}
