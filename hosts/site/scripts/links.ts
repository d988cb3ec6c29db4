// The links to one's pledges, mailed again.
import { post, type Schema } from './api.ts';
import { app, h, once } from './dom.ts';
import { complete, mark, notice } from './problem.ts';
import { say } from './words.ts';

export function links(): void {
  app().append(askForLinks());
}

/** Asks for the address to which the links are mailed again. */
export function askForLinks(): HTMLElement {
  const email = h('input', { type: 'email', name: 'email', required: true, autocomplete: 'email', maxlength: 254 });
  const button = h('button', { type: 'submit' }, say('manage_links_send'));
  const said = h('div', { role: 'status' });
  const form = h('form', { novalidate: true }, h('label', {}, say('checkout_email'), email), h('div', { class: 'row' }, button), said);
  const send = once(button, async () => {
    said.replaceChildren();
    if (!complete(form)) return;
    try {
      await post<Schema['LinksSent']>('/pledge/links', { email: email.value.trim() } satisfies Schema['LinksRequest']);
      said.replaceChildren(h('p', { class: 'note' }, say('manage_links_sent')));
    } catch (error) {
      if (!mark(form, error)) said.replaceChildren(notice(error));
    }
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void send();
  });
  return form;
}
