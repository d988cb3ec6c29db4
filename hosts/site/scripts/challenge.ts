// The widget that shows that somebody is no robot: Cloudflare Turnstile.
import { h } from './dom.ts';
import { say } from './words.ts';

interface Widget {
  render(place: HTMLElement, options: { sitekey: string; action: string; language: string; 'response-field': boolean }): string;
  getResponse(id: string): string | undefined;
  reset(id: string): void;
}
declare global {
  interface Window {
    turnstile?: Widget;
  }
}

const script = 'https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit';

export interface Challenge {
  /** What the service asks about; "" before the widget has decided. */
  response(): string;
  /** A response is good for one question. */
  again(): void;
}

export function challenge(place: HTMLElement, sitekey: string, action: string): Challenge {
  let id: string | undefined;
  const start = (): void => {
    id = window.turnstile?.render(place, { sitekey, action, language: document.documentElement.lang, 'response-field': false });
  };
  document.head.append(h('script', { src: script, onload: start, onerror: () => place.replaceChildren(h('p', { class: 'note bad' }, say('remind_unchecked'))) }));
  return {
    response: () => (id === undefined ? '' : (window.turnstile?.getResponse(id) ?? '')),
    again: () => {
      if (id !== undefined) window.turnstile?.reset(id);
    },
  };
}
