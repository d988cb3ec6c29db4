// Players of other sites are loaded only when the visitor plays the video.
import { h } from './dom.ts';

export function loadVideosOnPlay(): void {
  for (const link of document.querySelectorAll<HTMLAnchorElement>('[data-play]')) {
    link.addEventListener('click', (event) => {
      const container = link.closest<HTMLElement>('[data-frame]');
      const src = container?.dataset.frame;
      if (!container || !src) return;
      event.preventDefault();
      const frame = h('iframe', {
        src,
        title: container.dataset.title ?? '',
        allow: 'fullscreen',
        allowfullscreen: true,
        referrerpolicy: 'strict-origin-when-cross-origin',
      });
      container.replaceChildren(frame);
      frame.focus();
    });
  }
}
