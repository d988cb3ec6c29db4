// Fields that another editor has changed since. All of them must be resolved before publishing.
import type { Schema } from '../../site/scripts/api.ts';
import { Notice } from '../ui/notice.tsx';
import { moment } from '../words.ts';
import { say } from './words.ts';

export type Conflict = NonNullable<Schema['ContentReview']['conflicts']>[number];

export function Conflicts({
  conflicts,
  settle,
}: {
  conflicts: readonly Conflict[];
  settle: (conflict: Conflict, mine: boolean) => void;
}) {
  return (
    <Notice tone="warn">
      <h2>{say('conflicts', { count: conflicts.length })}</h2>
      <p>{say('conflicts_what')}</p>
      {conflicts.map((c) => (
        <section key={c.path} class="conflict">
          <h3>
            <code>{c.path}</code>
          </h3>
          <p class="small">{c.by ? say('by', { who: c.by.name || c.by.email, time: c.at ? moment(c.at) : '' }) : ''}</p>
          <dl>
            <dt>{say('theirs')}</dt>
            <dd>{shown(c.is)}</dd>
            <dt>{say('mine')}</dt>
            <dd>{shown(c.want)}</dd>
          </dl>
          <div class="row">
            <button type="button" class="quiet" onClick={() => settle(c, false)}>
              {say('take_theirs')}
            </button>
            <button type="button" class="quiet" onClick={() => settle(c, true)}>
              {say('keep_mine')}
            </button>
          </div>
        </section>
      ))}
    </Notice>
  );
}

const shown = (value: unknown): string =>
  value === undefined || value === null
    ? say('none')
    : typeof value === 'string'
      ? value
      : JSON.stringify(value, null, 1);
