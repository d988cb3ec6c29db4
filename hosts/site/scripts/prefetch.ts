// Prefetches pages when the pointer or the focus rests on their link, up to a limit per page. Only
// public pages are prefetched, not the API, the dashboard or personal pages.
const documents = /^(?:\/[a-z]{2})?\/(?:about\/|terms\/|campaigns\/[^/]+\/)?$/;

export function prefetch(setting: string | undefined): void {
  const [delay, limit] = (setting ?? '').split(' ').map(Number);
  if (delay === undefined || !limit || matchMedia('(prefers-reduced-data: reduce)').matches) return;
  const done = new Set<string>();
  const onRest = (event: Event): void => {
    const link = (event.target as Element | null)?.closest?.('a');
    if (!link || !isPrefetchable(link) || done.has(link.href)) return;
    const timer = window.setTimeout(() => {
      if (done.size >= limit) return;
      done.add(link.href);
      const hint = document.createElement('link');
      hint.rel = 'prefetch';
      hint.href = link.href;
      document.head.append(hint);
    }, delay);
    for (const leave of ['pointerleave', 'blur'])
      link.addEventListener(leave, () => window.clearTimeout(timer), { once: true });
  };
  document.addEventListener('pointerover', onRest, { passive: true });
  document.addEventListener('focusin', onRest);
}

function isPrefetchable(link: HTMLAnchorElement): boolean {
  const url = new URL(link.href, location.href);
  return (
    url.origin === location.origin &&
    url.search === '' &&
    url.pathname !== location.pathname &&
    documents.test(url.pathname)
  );
}
