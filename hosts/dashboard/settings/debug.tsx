// Information about this installation and browser for support requests.
import type { Schema } from '../../site/scripts/api.ts';
import { query, useResource } from '../resources.ts';
import { hrefTo } from '../router.ts';
import { Card } from '../ui/card.tsx';
import { Copy } from '../ui/copy.tsx';
import { ResourceView } from '../ui/notice.tsx';
import { lang, moment } from '../words.ts';
import { say } from './words.ts';

export function Debug() {
  return (
    <ResourceView resource={useResource<Schema['HealthReport']>(query('/admin/health', { lang }))}>
      {({ at, version }) => {
        const facts = [
          [say('version'), version || '—'],
          [say('server_time'), moment(at)],
          [say('browser'), navigator.userAgent],
          [say('window'), `${innerWidth} × ${innerHeight}`],
        ] as const;
        return (
          <Card
            title={say('debug')}
            hint={say('debug_what')}
            aside={
              <Copy
                text={facts.map(([name, value]) => `${name}: ${value}`).join('\n')}
                label={say('support_info')}
                kind="primary"
              />
            }
            footer={<a href={hrefTo(['settings', 'runtime_diagnostics'])}>{say('open_diagnostics')}</a>}
          >
            <dl class="stack g2 account-facts">
              {facts.map(([name, value]) => (
                <div key={name}>
                  <dt class="muted">{name}</dt>
                  <dd>{value}</dd>
                </div>
              ))}
            </dl>
          </Card>
        );
      }}
    </ResourceView>
  );
}
