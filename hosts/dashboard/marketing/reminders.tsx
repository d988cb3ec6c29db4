// The reminders to people who left a checkout, for the whole platform.
import type { Schema } from '../../site/scripts/api.ts';
import { useResource } from '../resources.ts';
import { KeyFigures } from '../ui/badge.tsx';
import { Card } from '../ui/card.tsx';
import { Notice, ResourceView } from '../ui/notice.tsx';
import { count } from '../words.ts';
import { say } from './words.ts';

type Health = Schema['ReminderHealth'];

export function CheckoutReminders() {
  return (
    <Card title={say('reminders')} hint={say('reminders_hint')}>
      <ResourceView resource={useResource<Health>('/admin/reminders/health', 60)}>
        {(health) => (
          <div class="stack">
            <KeyFigures
              figures={[
                [say('reminders_asked'), count(health.queued), ''],
                [say('reminders_sent'), count(health.sent), ''],
                [say('reminders_completed'), count(health.completed), say('reminders_completed_note')],
                [
                  say('reminders_none'),
                  count(health.alreadySent + health.suppressed + health.skipped),
                  say('reminders_none_note', {
                    again: count(health.alreadySent),
                    suppressed: count(health.suppressed),
                    ended: count(health.skipped),
                  }),
                ],
              ]}
            />
            {health.failed ? (
              <Notice tone="warn">
                <p>{say('reminders_failed', { count: health.failed })}</p>
              </Notice>
            ) : null}
          </div>
        )}
      </ResourceView>
    </Card>
  );
}
