// Buttons for sharing a campaign.
import { root } from './api.ts';
import { h } from './dom.ts';
import { announce, say } from './words.ts';

/**
 * Returns a card with a campaign's share picture and buttons that share its page: with the device's
 * share menu, by copying the link, or by email.
 */
export function shareCard(slug: string, title: string): HTMLElement {
  const url = `${location.origin}${root}/campaigns/${slug}/`;
  const named = (id: string): (string | Node)[] => [say(id), h('span', { class: 'unseen' }, `: ${title}`)];
  const copy = h('button', { type: 'button', class: 'quiet' }, ...named('share_copy'));
  copy.addEventListener('click', () => void copyLink(url, copy));
  const device = h('button', { type: 'button', class: 'quiet' }, ...named('share_device'));
  device.addEventListener('click', () => void navigator.share({ title, url }).catch(() => undefined));
  const mail = `mailto:?${new URLSearchParams({ subject: title, body: url }).toString().replaceAll('+', '%20')}`;
  return h(
    'section',
    { class: 'card' },
    h('img', { src: `/share/${slug}.png`, alt: '', width: 1200, height: 630, loading: 'lazy' }),
    h(
      'div',
      { class: 'words' },
      h('h2', {}, say('share_title', { campaign: title })),
      h(
        'p',
        { class: 'row' },
        'share' in navigator ? device : null,
        copy,
        h('a', { class: 'button quiet', href: mail }, ...named('share_email')),
      ),
    ),
  );
}

/** Copies a link. If the browser does not allow that, a field with the link replaces the button. */
async function copyLink(url: string, button: HTMLElement): Promise<void> {
  try {
    await navigator.clipboard.writeText(url);
    announce(say('share_copied'));
  } catch {
    const field = h('input', { type: 'text', readonly: true, value: url, 'aria-label': say('share_link') });
    button.replaceWith(field);
    field.select();
  }
}
