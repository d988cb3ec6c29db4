// The form that emails supporters the links to their pledges.
import { post, type Schema } from './api.ts';
import { app, h, singleFlight } from './dom.ts';
import { markField, notice, validateForm } from './errors.ts';
import { say } from './words.ts';

export function links(): void {
  app().append(linkRequestForm());
}

/** Returns the form. */
export function linkRequestForm(): HTMLElement {
  const email = h('input', { type: 'email', name: 'email', required: true, autocomplete: 'email', maxlength: 254 });
  const button = h('button', { type: 'submit' }, say('manage_links_send'));
  const messages = h('div', { role: 'status' });
  const form = h(
    'form',
    { novalidate: true },
    h('label', {}, say('checkout_email'), email),
    h('div', { class: 'row' }, button),
    messages,
  );
  const send = singleFlight(button, async () => {
    messages.replaceChildren();
    if (!validateForm(form)) return;
    try {
      await post<Schema['LinksSent']>('/pledge/links', { email: email.value.trim() } satisfies Schema['LinksRequest']);
      messages.replaceChildren(h('p', { class: 'note' }, say('manage_links_sent')));
    } catch (error) {
      if (!markField(form, error)) messages.replaceChildren(notice(error));
    }
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void send();
  });
  return form;
}
