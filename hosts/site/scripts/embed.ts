// The script of an embedded campaign. It applies the query parameters for the appearance (theme,
// media, cta) and reports the height to the parent page.
export function embed(): void {
  const parameters = new URLSearchParams(location.search);
  const theme = parameters.get('theme');
  if (theme === 'light' || theme === 'dark' || theme === 'plain') document.documentElement.dataset.theme = theme;
  if (parameters.get('media') === 'hide') document.querySelector('.embedded > img')?.remove();
  if (parameters.get('cta') === 'hide') document.querySelector('.embedded .button')?.remove();
  const tell = (): void => {
    window.parent.postMessage({ type: 'pledgeworks:resize', height: document.documentElement.scrollHeight }, '*');
  };
  new ResizeObserver(tell).observe(document.body);
  tell();
}
