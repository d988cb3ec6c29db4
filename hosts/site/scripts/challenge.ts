// The bot check with Cloudflare Turnstile.
import { h } from './dom.ts';
import { say } from './words.ts';

interface Widget {
  render(
    container: HTMLElement,
    options: { sitekey: string; action: string; language: string; 'response-field': boolean },
  ): string;
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
  /** Returns the token that the server verifies, or "" before the widget has finished. */
  response(): string;
  /** Resets the widget, because a token can be verified only once. */
  resetWidget(): void;
}

export function showChallenge(container: HTMLElement, sitekey: string, action: string): Challenge {
  let id: string | undefined;
  const start = (): void => {
    id = window.turnstile?.render(container, {
      sitekey,
      action,
      language: document.documentElement.lang,
      'response-field': false,
    });
  };
  document.head.append(
    h('script', {
      src: script,
      onload: start,
      onerror: () => container.replaceChildren(h('p', { class: 'note bad' }, say('remind_unchecked'))),
    }),
  );
  return {
    response: () => (id === undefined ? '' : (window.turnstile?.getResponse(id) ?? '')),
    resetWidget: () => {
      if (id !== undefined) window.turnstile?.reset(id);
    },
  };
}
