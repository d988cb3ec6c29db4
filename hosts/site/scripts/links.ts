// The links to one's pledges, mailed again.
import { post, type Schema } from './api.ts';
import { app, h, once } from './dom.ts';
import { notice } from './problem.ts';
import { say } from './words.ts';

export function links(): void {
  app().append(askForLinks());
}

/** Asks for the address to which the links are mailed again. */
export function askForLinks(): HTMLElement {
  const email = h('input', { type: 'email', required: true, autocomplete: 'email', maxlength: 254 });
  const button = h('button', { type: 'submit' }, say('manage_links_send'));
  const said = h('div', { role: 'status' });
  const send = once(button, async () => {
    try {
      await post<Schema['LinksSent']>('/pledge/links', { email: email.value } satisfies Schema['LinksRequest']);
      said.replaceChildren(h('p', { class: 'note' }, say('manage_links_sent')));
    } catch (error) {
      said.replaceChildren(notice(error));
    }
  });
  const submit = (event: Event): void => {
    event.preventDefault();
    void send();
  };
  return h('form', { onsubmit: submit }, h('p', {}, say('manage_links_ask')),
    h('label', {}, say('checkout_email'), email), h('div', { class: 'row' }, button), said);
}
