// Shows what each secret is for and whether it is set, never its value.
import { Check } from 'lucide-preact';
import type { Schema } from '../../site/scripts/api.ts';
import { useResource } from '../resources.ts';
import { Badge } from '../ui/badge.tsx';
import { Card } from '../ui/card.tsx';
import { Icon } from '../ui/icon.tsx';
import { ResourceView } from '../ui/notice.tsx';
import { purposeOf } from './secretwords.ts';
import { say } from './words.ts';

type Status = Schema['SecretStatuses']['secrets'][number];

export function Secrets() {
  return (
    <ResourceView resource={useResource<Schema['SecretStatuses']>('/admin/settings/secrets')}>
      {({ secrets }) => {
        const unset = secrets.filter((s) => !s.configured);
        return (
          <Card title={say('secrets')} hint={say('secrets_hint')} flush>
            <List secrets={secrets.filter((s) => s.configured)} />
            {unset.length ? (
              <details class="more in">
                <summary>{say('show_unset', { count: unset.length })}</summary>
                <List secrets={unset} />
              </details>
            ) : null}
          </Card>
        );
      }}
    </ResourceView>
  );
}

const List = ({ secrets }: { secrets: readonly Status[] }) => (
  <ul class="rows secrets">
    {secrets.map((s) => (
      <li key={s.name}>
        <span class="stack g1 grow">
          <b>{purposeOf(s.name)?.name ?? s.name}</b>
          <span class="small muted">{purposeOf(s.name)?.use}</span>
        </span>
        <code class="mono tiny muted">{s.name}</code>
        {s.configured ? (
          <Badge tone="good">
            <Icon of={Check} small />
            {say('set')}
          </Badge>
        ) : (
          <Badge tone="outline">{say('unset')}</Badge>
        )}
      </li>
    ))}
  </ul>
);
