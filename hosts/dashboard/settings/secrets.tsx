// Shows which secrets are set, never their values.
import { Check } from 'lucide-preact';
import type { Schema } from '../../site/scripts/api.ts';
import { useResource } from '../resources.ts';
import { Badge } from '../ui/badge.tsx';
import { Card } from '../ui/card.tsx';
import { Icon } from '../ui/icon.tsx';
import { ResourceView } from '../ui/notice.tsx';
import { say } from './words.ts';

export function Secrets() {
  return (
    <ResourceView resource={useResource<Schema['SecretStatuses']>('/admin/settings/secrets')}>
      {({ secrets }) => (
        <Card title={say('secrets')} hint={say('secrets_hint')} flush>
          <ul class="rows">
            {secrets.map((s) => (
              <li key={s.name}>
                <code class="mono grow">{s.name}</code>
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
        </Card>
      )}
    </ResourceView>
  );
}
