// The page that confirms a launch reminder. It requires a click on the button, because mail
// scanners open links.
import { APIError, post, root, type Schema } from './api.ts';
import { h, pageHeading, show, singleFlight } from './dom.ts';
import { notice } from './errors.ts';
import { takeToken } from './token.ts';
import { lang, say } from './words.ts';

export function reminder(): void {
  const token = takeToken('reminder');
  if (!token) {
    show(h('p', { class: 'note' }, say('reminder_no_link')));
    return;
  }
  const button = h('button', { type: 'button' }, say('reminder_confirm'));
  const confirm = singleFlight(button, async () => {
    button.parentElement?.querySelector('[role=alert]')?.remove();
    try {
      showConfirmed(
        await post<Schema['ReminderConfirmed']>('/launch-reminders/confirm', {
          token,
          preferredLang: lang,
        } satisfies Schema['ReminderConfirmation']),
      );
    } catch (error) {
      if (error instanceof APIError && error.status === 401)
        show(h('p', { class: 'note bad', role: 'alert' }, say('reminder_expired')));
      else button.after(notice(error));
    }
  });
  button.addEventListener('click', () => void confirm());
  pageHeading(say('reminder_ask'));
  show(h('p', { class: 'lead' }, say('reminder_once')), h('p', {}, button));
}

function showConfirmed(c: Schema['ReminderConfirmed']): void {
  const text = say(c.state === 'upcoming' ? 'reminder_done' : c.state === 'live' ? 'reminder_begun' : 'reminder_over', {
    campaign: c.campaignTitle,
  });
  const heading = pageHeading(text);
  show(
    h('p', {}, h('a', { class: 'button quiet', href: `${root}/campaigns/${c.campaignSlug}/` }, say('reminder_see'))),
  );
  heading.focus();
}
