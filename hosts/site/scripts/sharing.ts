// Buttons for sharing a campaign.
import { root } from './api.ts';
import { h } from './dom.ts';
import { announce, say } from './words.ts';

/** Returns buttons that share a campaign's page: by the device, as a copied link, or by email. */
export function shareLinks(slug: string, title: string): HTMLElement {
  const url = `${location.origin}${root}/campaigns/${slug}/`;
  const copy = h('button', { type: 'button', class: 'quiet' }, say('share_copy'));
  copy.addEventListener('click', () => {
    void navigator.clipboard.writeText(url).then(() => announce(say('share_copied')));
  });
  const device = h('button', { type: 'button', class: 'quiet' }, say('share_device'));
  device.addEventListener('click', () => void navigator.share({ title, url }).catch(() => undefined));
  const mail = `mailto:?${new URLSearchParams({ subject: title, body: url }).toString().replaceAll('+', '%20')}`;
  return h(
    'section',
    { class: 'note' },
    h('h2', {}, say('share_title', { campaign: title })),
    h(
      'p',
      { class: 'row' },
      'share' in navigator ? device : null,
      copy,
      h('a', { class: 'button quiet', href: mail }, say('share_email')),
    ),
  );
}
