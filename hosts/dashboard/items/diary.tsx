// The diary entries of a campaign, newest first.
import { Mail as MailIcon, NotebookPen } from 'lucide-preact';
import { useEffect, useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { change } from '../changes.ts';
import { equal, type Values } from '../editor/draft.ts';
import { Nested, type NestedProps } from '../editor/nested.tsx';
import { type Wall, wallOf } from '../fields/moment.ts';
import { formatWall, platformZone, shortWall, today } from '../fields/zone.ts';
import { query, refresh, useResource } from '../resources.ts';
import { hasPermission } from '../session.ts';
import { Badge } from '../ui/badge.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Empty } from '../ui/empty.tsx';
import { Form } from '../ui/form.tsx';
import { Icon } from '../ui/icon.tsx';
import { toast } from '../ui/toast.tsx';
import { day } from '../words.ts';
import { Dotted } from './dotted.tsx';
import { byDate, changeOf, textOf, useClaims } from './entry.ts';
import { EntryFields } from './fields.tsx';
import { ItemList, type OpenEntry, type ScreenProps } from './list.tsx';
import { AddButton } from './simple.tsx';
import { say } from './words.ts';

type Mailed = Schema['DiaryMails'];
type Mail = Mailed['entries'][number];

const mailsPath = (slug: string): string => query('/admin/broadcast/diary', { campaignSlug: slug });

export function Diary(props: ScreenProps) {
  const { slug = '', fields, published } = props;
  const before = (Array.isArray(published.diary) ? published.diary : []) as readonly Values[];
  const list = fields.find((f) => f.path === 'diary');
  const [polling, setPolling] = useState(0);
  const mails = useResource<Mailed>(hasPermission('mails') ? mailsPath(slug) : '', polling).value;
  const mailOf = (e: Values): Mail | undefined =>
    mails?.entries.find((m) => m.title === textOf(e.title) && textOf(e.date).startsWith(m.date));
  const isBehind = mails !== undefined && before.some((e) => !mailOf(e)); // just after publishing
  useEffect(() => setPolling(isBehind ? 3 : 0), [isBehind]);
  const phases = list?.fields?.find((f) => f.path === 'phase')?.choices ?? [];
  return (
    <ItemList
      {...props}
      list="diary"
      lede={say('diary_lede')}
      addLabel={say('add_entry')}
      panelTitle={say('edit_entry')}
      order={(entries) => byDate(entries, 'date')}
      newEntry={() => ({ title: '', date: writtenNow(), content: [] })}
      rowClass={() => 'dated'}
      card={(e) => {
        const wall = wallOf(textOf(e.date), 'starts', platformZone);
        const mail = mailOf(e);
        const phase = phases.find((p) => p.value === e.phase)?.label;
        return {
          name: textOf(e.title),
          lead: <DayOf date={textOf(e.date)} />,
          badges:
            changeOf(e, before) === 'new' ? (
              <Badge tone="outline">{say('draft')}</Badge>
            ) : mail?.phase ? (
              <Badge tone="good">
                <Icon of={MailIcon} />
                {say('mailed_to', { count: mail.recipientCount })}
              </Badge>
            ) : mail ? (
              <Badge>{say('page_only')}</Badge>
            ) : null,
          facts: (
            <p class="small muted">
              <Dotted parts={[phase, wall ? writtenTime(textOf(e.date), wall) : '']} />
            </p>
          ),
        };
      }}
      empty={(add) => (
        <Empty
          icon={NotebookPen}
          title={say('first_entry')}
          action={
            <AddButton add={() => add({ title: '', date: writtenNow(), content: [] })}>{say('add_entry')}</AddButton>
          }
        >
          {say('first_entry_text')}
        </Empty>
      )}
      panel={(open) => (
        <>
          <EntryFields
            {...open}
            fields={list?.fields ?? []}
            groups={props.groups}
            errorOf={props.errorOf}
            control={(f, given) =>
              f.kind === 'blocks' ? (
                <DiaryText
                  key={f.path}
                  field={f}
                  path={given.name}
                  value={given.value}
                  set={given.set}
                  errorOf={props.errorOf}
                />
              ) : null
            }
          />
          {mails ? <MailState slug={slug} open={open} mail={mailOf(open.entry)} /> : null}
        </>
      )}
    />
  );
}

/**
 * Formats an entry's date for its card, whose picture shows the day: the year if it is not the
 * current one, and the time if the file contains one.
 */
function writtenTime(date: string, wall: Wall): string {
  const full = formatWall(wall);
  if (!/\d:\d\d/.test(date)) return wall.year === today().year ? '' : String(wall.year);
  return wall.year === today().year ? shortWall(wall) : full;
}

/** Returns the platform's current date and time in the format of files. */
function writtenNow(): string {
  const { year, month, day: d, hour, minute } = today();
  const two = (n: number): string => String(n).padStart(2, '0');
  return `${year}-${two(month)}-${two(d)} ${two(hour)}:${two(minute)}`;
}

function DayOf({ date }: { date: string }) {
  const wall = wallOf(date, 'starts', platformZone);
  if (!wall) return <span class="day">—</span>;
  const [first = '', second = ''] = day(
    `${wall.year}-${String(wall.month).padStart(2, '0')}-${String(wall.day).padStart(2, '0')}`,
  ).split(' ');
  const [number, month] = /^\d/.test(first) ? [first, second] : [second, first];
  return (
    <span class="day" aria-hidden="true">
      <b>{number}</b>
      <span class="tiny muted">{month}</span>
    </span>
  );
}

function DiaryText(given: NestedProps) {
  const error = given.errorOf(given.path);
  return (
    <div class="field">
      <span class="label">{given.field.label}</span>
      <Nested {...given} />
      {error ? <p class="err">{error}</p> : null}
    </div>
  );
}

interface MailProps {
  readonly slug: string;
  readonly open: OpenEntry;
  readonly mail: Mail | undefined;
}

/** Shows whether an entry was emailed to the supporters, and the button that emails it. */
function MailState({ slug, open, mail }: MailProps) {
  const [asking, setAsking] = useState(false);
  const { supporters } = useClaims(slug);
  const { entry, published } = open;
  if (mail?.phase)
    return (
      <p class="notice good small">
        <Icon of={MailIcon} />
        {say('mailed_text', { count: mail.recipientCount })}
      </p>
    );
  const ready = mail !== undefined && published !== undefined && equal(published, entry);
  return (
    <div class="stack g2">
      <b class="label">{say('email')}</b>
      <p class="small muted">{say(ready ? 'page_only_text' : 'publish_first')}</p>
      {ready ? (
        <button type="button" class="btn start" onClick={() => setAsking(true)}>
          <Icon of={MailIcon} />
          {say('also_email', { count: supporters })}
        </button>
      ) : null}
      {asking && mail ? (
        <MailDialog slug={slug} mail={mail} supporters={supporters} close={() => setAsking(false)} />
      ) : null}
    </div>
  );
}

interface DialogProps {
  readonly slug: string;
  readonly mail: Mail;
  readonly supporters: number;
  readonly close: () => void;
}

function MailDialog({ slug, mail, supporters, close }: DialogProps) {
  const body = { campaignSlug: slug, entryId: mail.entryId } satisfies Schema['DiaryRequest'];
  const send = async (): Promise<void> => {
    const { recipientCount } = await change<Schema['Broadcasting']>('/admin/broadcast/diary', body);
    await refresh(mailsPath(slug));
    close();
    toast(say('mail_started', { count: recipientCount }));
  };
  return (
    <Dialog title={say('email_question', { count: supporters })} close={close}>
      <Form dialog task={send} submitLabel={say('email_count', { count: supporters })}>
        <p>{say('email_text', { title: mail.title })}</p>
      </Form>
    </Dialog>
  );
}
