// A supporter's history, newest entry first.
import { CreditCard, type LucideIcon, Mail, Package, Receipt, StickyNote } from 'lucide-preact';
import { useState } from 'preact/hooks';
import { Icon } from '../ui/icon.tsx';
import { Segments } from '../ui/segments.tsx';
import { moment } from '../words.ts';
import { type Event, eventText, toneOf } from './events.ts';
import { withoutRepeats } from './repeats.ts';
import { say } from './timelinewords.ts';

const views = ['all', 'emails', 'payments'] as const;
type View = (typeof views)[number];

export function Timeline({ events }: { events: readonly Event[] }) {
  const [view, setView] = useState<View>('all');
  const shown = withoutRepeats(events)
    .filter((e) => isIn(e, view))
    .toReversed();
  return (
    <section class="stack g3" aria-labelledby="timeline">
      <div class="row between wrap">
        <h3 id="timeline">{say('timeline')}</h3>
        <Segments name={say('show')} value={view} set={setView} choices={views.map((v) => [v, say(v)])} />
      </div>
      {shown.length ? (
        <ol class="time">
          {shown.map((e, i) => (
            <li key={`${e.at} ${i}`}>
              <span class={`ic ${toneOf(e)}`}>
                <Icon of={iconOf(e)} />
              </span>
              <div>
                <p>{eventText(e)}</p>
                {e.text ? <p class="note-text">{e.text}</p> : null}
                <p class="small muted">
                  <time dateTime={e.at}>{moment(e.at)}</time>
                  {e.by ? ` · ${e.by}` : ''}
                  {e.paymentUrl ? (
                    <>
                      {' · '}
                      <a href={e.paymentUrl} target="_blank" rel="noopener noreferrer">
                        {say('open_payment')}
                      </a>
                    </>
                  ) : null}
                </p>
              </div>
            </li>
          ))}
        </ol>
      ) : (
        <p class="small muted">{say('nothing')}</p>
      )}
    </section>
  );
}

function isIn(e: Event, view: View): boolean {
  if (view === 'emails') return e.kind === 'email';
  if (view === 'payments') return payments.has(e.kind);
  return true;
}

const payments: ReadonlySet<Event['kind']> = new Set([
  'charged',
  'charge_attempt',
  'charge_declined',
  'dropped',
  'card_replaced',
  'card_deleted',
]);

function iconOf(e: Event): LucideIcon {
  if (e.kind === 'email') return Mail;
  if (payments.has(e.kind)) return CreditCard;
  if (e.kind.startsWith('parcel')) return Package;
  return e.kind === 'note' ? StickyNote : Receipt;
}
