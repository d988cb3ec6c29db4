// The sign-up form for launch reminders. The script creates it, because it does not work without
// JavaScript. The text announces a single email; submitting the form is the consent to it.
import { post, type Schema } from './api.ts';
import { showChallenge } from './challenge.ts';
import { h, singleFlight } from './dom.ts';
import { markField, notice, validateForm } from './errors.ts';
import { lang, say } from './words.ts';

export function showReminderForm(container: HTMLElement): void {
  const email = h('input', { type: 'email', name: 'email', required: true, autocomplete: 'email', maxlength: 254 });
  const button = h('button', { type: 'submit' }, say('remind_send'));
  const captcha = h('div');
  const messages = h('div', { role: 'status' });
  const form = h(
    'form',
    { novalidate: true, class: 'remind' },
    h('label', {}, say('checkout_email'), email),
    captcha,
    h('div', { class: 'row' }, button),
    messages,
  );
  const answer = container.dataset.challenge
    ? showChallenge(captcha, container.dataset.challenge, 'launch-reminder')
    : undefined;
  const send = singleFlight(button, async () => {
    if (!validateForm(form)) return;
    const request = {
      campaignSlug: container.dataset.remind ?? '',
      email: email.value.trim(),
      consent: true,
      preferredLang: lang,
      challenge: answer?.response() ?? '',
    };
    try {
      const { confirm } = await post<Schema['ReminderRegistered']>(
        '/launch-reminders',
        request satisfies Schema['ReminderRequest'],
      );
      const sent = h(
        'p',
        { class: 'note good', role: 'status', tabindex: -1 },
        say(confirm ? 'remind_sent' : 'remind_registered'),
      );
      form.replaceWith(sent);
      sent.focus();
    } catch (error) {
      answer?.resetWidget();
      if (!markField(form, error)) messages.replaceChildren(notice(error));
    }
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void send();
  });
  container.append(form);
}
