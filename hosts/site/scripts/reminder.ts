// The button that confirms a reminder. Opening the page confirms nothing: mailboxes open
// links by themselves.
import { post, Refused, root, type Schema } from './api.ts';
import { h, once, show } from './dom.ts';
import { notice } from './problem.ts';
import { takeToken } from './token.ts';
import { lang, say } from './words.ts';

export function reminder(): void {
  const token = takeToken('reminder');
  if (!token) {
    show(h('p', { class: 'note' }, say('reminder_no_link')));
    return;
  }
  const button = h('button', { type: 'button' }, say('reminder_confirm'));
  const confirm = once(button, async () => {
    button.parentElement?.querySelector('[role=alert]')?.remove();
    try {
      done(await post<Schema['ReminderConfirmed']>('/launch-reminders/confirm', { token, preferredLang: lang } satisfies Schema['ReminderConfirmation']));
    } catch (error) {
      if (error instanceof Refused && error.status === 401) show(h('p', { class: 'note bad', role: 'alert' }, say('reminder_expired')));
      else button.after(notice(error));
    }
  });
  button.addEventListener('click', () => void confirm());
  show(h('p', { class: 'lead' }, say('reminder_ask')), h('div', {}, button));
}

function done(c: Schema['ReminderConfirmed']): void {
  const text = say(c.state === 'upcoming' ? 'reminder_done' : c.state === 'live' ? 'reminder_begun' : 'reminder_over', { campaign: c.campaignTitle });
  const told = h('p', { class: 'lead', tabindex: -1 }, text);
  show(told, h('p', {}, h('a', { class: 'button quiet', href: `${root}/campaigns/${c.campaignSlug}/` }, say('reminder_see'))));
  told.focus();
}
