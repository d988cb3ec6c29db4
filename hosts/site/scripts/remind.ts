// Asking to be told when a campaign begins. The form is there only with the script that
// sends it.
import { post, type Schema } from './api.ts';
import { challenge } from './challenge.ts';
import { h, once } from './dom.ts';
import { complete, mark, notice } from './problem.ts';
import { lang, say } from './words.ts';

export function remind(place: HTMLElement): void {
  const email = h('input', { type: 'email', name: 'email', required: true, autocomplete: 'email', maxlength: 254 });
  const consent = h('input', { type: 'checkbox', name: 'consent', required: true });
  const button = h('button', { type: 'submit' }, say('remind_send'));
  const human = h('div');
  const said = h('div', { role: 'status' });
  const form = h('form', { novalidate: true, class: 'remind' },
    h('label', {}, say('checkout_email'), email), h('label', { class: 'tick' }, consent, ' ', say('remind_consent')), human, h('div', { class: 'row' }, button), said);
  const answer = place.dataset.challenge ? challenge(human, place.dataset.challenge, 'launch-reminder') : undefined;
  const send = once(button, async () => {
    if (!complete(form)) return;
    const request = { campaignSlug: place.dataset.remind ?? '', email: email.value.trim(), consent: consent.checked, preferredLang: lang, challenge: answer?.response() ?? '' };
    try {
      const { confirm } = await post<Schema['ReminderRegistered']>('/launch-reminders', request satisfies Schema['ReminderRequest']);
      const sent = h('p', { class: 'note', role: 'status', tabindex: -1 }, say(confirm ? 'remind_sent' : 'remind_registered'));
      form.replaceWith(sent);
      sent.focus();
    } catch (error) {
      answer?.again();
      if (!mark(form, error)) said.replaceChildren(notice(error));
    }
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void send();
  });
  place.append(form);
}
