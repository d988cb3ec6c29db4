// Films of other sites are loaded when somebody asks for one, not before.
import { h } from './dom.ts';

export function film(): void {
  for (const link of document.querySelectorAll<HTMLAnchorElement>('[data-play]')) {
    link.addEventListener('click', (event) => {
      const place = link.closest<HTMLElement>('[data-frame]');
      const src = place?.dataset.frame;
      if (!place || !src) return;
      event.preventDefault();
      const frame = h('iframe', { src, title: place.dataset.title ?? '', allow: 'fullscreen', allowfullscreen: true, referrerpolicy: 'strict-origin-when-cross-origin' });
      place.replaceChildren(frame);
      frame.focus();
    });
  }
}
