// The dialog for fields that other operators have changed, too. It compares the versions and asks
// which one to keep.
import { useState } from 'preact/hooks';
import { Dialog } from '../ui/dialog.tsx';
import { Form } from '../ui/form.tsx';
import { moment } from '../words.ts';
import { Diff } from './diff.tsx';
import type { Reviewed } from './review.tsx';
import type { Choice } from './usedraft.ts';
import { say } from './words.ts';

export type Conflict = NonNullable<Reviewed['conflicts']>[number];

interface Props {
  readonly conflicts: readonly Conflict[];
  /** The number of the other changes. */
  readonly others: number;
  readonly savedAt: number;
  readonly resolve: (choices: readonly Choice[]) => Promise<void>;
  readonly close: () => void;
}

export function ConflictDialog({ conflicts, others, savedAt, resolve, close }: Props) {
  const [mine, setMine] = useState<readonly string[]>(() => conflicts.map((c) => c.path));
  const keep = (path: string, own: boolean): void => setMine(own ? [...mine, path] : mine.filter((p) => p !== path));
  const apply = (): Promise<void> =>
    resolve(conflicts.map((c) => ({ path: c.path, is: c.is, mine: mine.includes(c.path) })));
  const all = mine.length === conflicts.length;
  return (
    <Dialog title={say('conflicts', { count: conflicts.length })} close={close} wide>
      <Form
        dialog
        task={apply}
        submitLabel={say(all ? 'keep_mine' : mine.length ? 'apply_choices' : 'use_theirs')}
        actions={
          <button type="button" class="btn" onClick={close}>
            {say('decide_later')}
          </button>
        }
      >
        <p class="small muted">{others > 0 ? say('no_conflict', { count: others }) : say('nothing_published')}</p>
        {conflicts.map((c) => (
          <fieldset key={c.path} class="field">
            <legend class="label">{c.item ? `${c.item} · ${c.label}` : c.label}</legend>
            <div class="grid2">
              <Version
                name={c.path}
                title={say('theirs')}
                by={c.by ? say('by', { who: c.by.name || c.by.email, time: c.at ? moment(c.at) : '' }) : ''}
                before={c.wasText ?? ''}
                text={c.isText ?? ''}
                chosen={!mine.includes(c.path)}
                choose={() => keep(c.path, false)}
              />
              <Version
                name={c.path}
                title={say('mine')}
                by={savedAt ? say('by', { who: say('you'), time: moment(savedAt) }) : ''}
                before={c.wasText ?? ''}
                text={c.wantText ?? ''}
                chosen={mine.includes(c.path)}
                choose={() => keep(c.path, true)}
              />
            </div>
            {c.wasText ? (
              <p class="hint">
                {say('before_both')} {c.wasText}
              </p>
            ) : null}
          </fieldset>
        ))}
      </Form>
    </Dialog>
  );
}

interface VersionProps {
  readonly name: string;
  readonly title: string;
  readonly by: string;
  readonly before: string;
  readonly text: string;
  readonly chosen: boolean;
  readonly choose: () => void;
}

const Version = ({ name, title, by, before, text, chosen, choose }: VersionProps) => (
  <label class="choice">
    <input class="check radio" type="radio" name={name} checked={chosen} onChange={choose} />
    <span class="stack g1">
      <b>{title}</b>
      {by ? <span class="tiny muted">{by}</span> : null}
      <span class="small">
        <Diff before={before} after={text} />
      </span>
    </span>
  </label>
);
