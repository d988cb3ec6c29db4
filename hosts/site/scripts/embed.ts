// A page in another site's frame: it looks as its address says (theme, media, cta), and
// tells how high it is.
export function embed(): void {
  const wish = new URLSearchParams(location.search);
  const theme = wish.get('theme');
  if (theme === 'light' || theme === 'dark' || theme === 'plain') document.documentElement.dataset.theme = theme;
  if (wish.get('media') === 'hide') document.querySelector('.embedded > img')?.remove();
  if (wish.get('cta') === 'hide') document.querySelector('.embedded .button')?.remove();
  const tell = (): void => {
    window.parent.postMessage({ type: 'pledgeworks:resize', height: document.documentElement.scrollHeight }, '*');
  };
  new ResizeObserver(tell).observe(document.body);
  tell();
}
