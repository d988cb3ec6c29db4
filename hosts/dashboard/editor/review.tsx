// The review of a draft: errors, the changes in words, and the button that publishes them.
import { CircleAlert, Info, TriangleAlert } from 'lucide-preact';
import { useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { useTask } from '../ui/button.tsx';
import { Dialog, DialogBody } from '../ui/dialog.tsx';
import { LabelledField } from '../ui/form.tsx';
import { Icon } from '../ui/icon.tsx';
import { ErrorMessage, Notice } from '../ui/notice.tsx';

import { Diff } from './diff.tsx';
import type { Target } from './target.ts';
import { say } from './words.ts';

export type Reviewed = Schema['ContentReview'];
export type Change = Reviewed['changes'][number];
type Problem = NonNullable<Reviewed['problems']>[number];

interface Props {
  /** The subject of the publication, such as the campaign's title. */
  readonly subject: string;
  readonly reviewed: Reviewed;
  readonly publish: (reason: string) => Promise<void>;
  readonly goTo: (target: Target) => void;
  readonly close: () => void;
}

export function ReviewDialog({ subject, reviewed, publish, goTo, close }: Props) {
  const [reason, setReason] = useState('');
  const [asked, setAsked] = useState(false);
  const { busy, error, run } = useTask();
  const { changes, problems = [], warnings = [] } = reviewed;
  const groups = groupChanges(changes);
  const supporters = Math.max(0, ...changes.map((c) => c.affected?.supporters ?? 0));
  const missing = reviewed.needsReason && !reason.trim();
  const off = problems.length > 0 || !changes.length || !reviewed.publishable;
  const submit = (): void => {
    setAsked(true);
    if (!off && !missing) void run(() => publish(reason.trim()));
  };
  return (
    <Dialog title={say('review')} close={close} wide>
      <DialogBody>
        <p class="small muted">
          {subject}
          <span class="md"> · </span>
          {changes.length
            ? say('changes_in', { count: changes.length, sections: say('sections_n', { count: groups.length }) })
            : say('no_changes')}
        </p>
        {problems.length ? (
          <div class="notice bad" role="alert">
            <Icon of={CircleAlert} />
            <div class="grow stack g2">
              <b>{say('fix_first', { count: problems.length })}</b>
              <ul class="stack g2 small">
                {problems.map((p) => (
                  <li key={p.words} class="problem">
                    <span>{problemText(p)}</span>
                    <button type="button" class="link" onClick={() => goTo(p.place)}>
                      {say('go_to', { label: p.label })}
                    </button>
                  </li>
                ))}
              </ul>
            </div>
          </div>
        ) : null}
        {groups.map((g) => (
          <section key={g.key} class="stack g2">
            <div class="row between">
              <h3>{g.label}</h3>
              <button
                type="button"
                class="link small"
                aria-label={`${say('edit')}: ${g.label}`}
                onClick={() => goTo(g.target)}
              >
                {say('edit')}
              </button>
            </div>
            <div class="diff">
              {g.changes.map((c) => (
                <ChangeRow key={c.path} change={c} warnings={warnings.filter((w) => w.field === c.path)} />
              ))}
            </div>
          </section>
        ))}
        {warnings
          .filter((w) => !changes.some((c) => c.path === w.field))
          .map((w) => (
            <Notice key={w.words} tone="warn">
              <p>{problemText(w)}</p>
            </Notice>
          ))}
        {reviewed.needsReason && !problems.length ? (
          <LabelledField
            label={say('reason')}
            hint={supporters ? say('reason_hint', { count: supporters }) : say('reason_hint_some')}
            error={asked && missing ? say('reason_missing') : undefined}
          >
            {(a) => (
              <textarea
                {...a}
                class="area"
                rows={2}
                maxLength={500}
                value={reason}
                onInput={(e) => setReason(e.currentTarget.value)}
              />
            )}
          </LabelledField>
        ) : null}
        {reviewed.publishable ? null : <Notice tone="warn">{say('not_publishable')}</Notice>}
        {error ? <ErrorMessage error={error} /> : null}
      </DialogBody>
      <footer>
        <span class="small muted grow row">
          <Icon of={Info} small />
          {say(problems.length ? 'draft_safe' : 'public_soon')}
        </span>
        <button type="button" class="btn" onClick={close}>
          {say('keep_editing')}
        </button>
        <button type="button" class="btn primary" aria-disabled={off || busy} aria-busy={busy} onClick={submit}>
          {busy ? <span class="spin" aria-hidden="true" /> : null}
          {say('publish', { count: changes.length })}
        </button>
      </footer>
    </Dialog>
  );
}

function ChangeRow({ change: c, warnings }: { change: Change; warnings: readonly Problem[] }) {
  return (
    <div class="ch">
      <b>{c.label}</b>
      <div class="stack g1">
        <ChangeText change={c} />
        {c.affected ? <Warning text={c.affected.words} /> : null}
        {warnings.map((w) => (
          <Warning key={w.words} text={w.words} />
        ))}
      </div>
    </div>
  );
}

/** The change of a value in words. */
export function ChangeText({ change: c }: { change: Change }) {
  const { beforeText = '', afterText = '' } = c;
  if (c.action === 'moved') return <span>{say('order_changed')}</span>;
  if (c.action === 'added')
    return (
      <span>
        <ins>{c.item || afterText || say('added')}</ins> {say('is_added')}
      </span>
    );
  if (c.action === 'removed')
    return (
      <span>
        <del>{c.item || beforeText || say('removed')}</del> {say('is_removed')}
      </span>
    );
  return <Diff before={beforeText} after={afterText} />;
}

const Warning = ({ text }: { text: string }) => (
  <p class="small row top warn">
    <Icon of={TriangleAlert} small />
    <span>{text}</span>
  </p>
);

const problemText = (p: Problem) => (
  <>
    <b>{p.tabLabel}</b>
    <span class="md"> · </span>
    {p.words}
  </>
);

interface Group {
  readonly key: string;
  readonly label: string;
  readonly target: Target;
  readonly changes: readonly Change[];
}

/** Groups changes by tab, and those of list entries by entry. */
function groupChanges(changes: readonly Change[]): readonly Group[] {
  const groups = new Map<string, Group>();
  for (const c of changes) {
    const item = c.action === 'set' ? c.item : undefined;
    const key = `${c.place.tab} ${item ?? ''}`;
    const group = groups.get(key);
    groups.set(key, {
      key,
      label: item ? `${c.tabLabel} · ${item}` : c.tabLabel,
      target: c.place,
      changes: [...(group?.changes ?? []), c],
    });
  }
  return [...groups.values()];
}
