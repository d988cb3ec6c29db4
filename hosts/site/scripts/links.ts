// The form that emails supporters the links to their pledges.
import { post, type Schema } from './api.ts';
import { app, h, removeIntroduction, singleFlight } from './dom.ts';
import { markField, notice, validateForm } from './errors.ts';
import { say } from './words.ts';

export function links(): void {
  app().append(linkRequestForm(removeIntroduction));
}

/** Returns the form. After it is sent, the next steps replace it, and `sent` is called. */
export function linkRequestForm(sent?: () => void): HTMLElement {
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
      showSent(form, email.value.trim());
      sent?.();
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

/** Replaces the form with the next steps, and a button that shows the form again. */
function showSent(form: HTMLElement, email: string): void {
  const heading = h('h2', { tabindex: -1 }, say('links_sent'));
  const again = h('button', { type: 'button', class: 'quiet' }, say('links_again'));
  const result = h(
    'div',
    {},
    heading,
    h('p', {}, say('manage_links_sent', { email })),
    h('ul', {}, h('li', {}, say('links_spam')), h('li', {}, say('links_other'))),
    again,
  );
  again.addEventListener('click', () => {
    result.replaceWith(form);
    form.querySelector('input')?.focus();
  });
  form.replaceWith(result);
  heading.focus();
}
