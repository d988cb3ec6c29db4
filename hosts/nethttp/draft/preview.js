// Reloads the page when the draft has changed. While the server is stopped, it keeps polling.
let shown;
async function poll() {
  try {
    const response = await fetch('/preview/revision', { cache: 'no-store' });
    const revision = await response.text();
    if (shown !== undefined && revision !== shown) return location.reload();
    shown = revision;
  } catch {}
  setTimeout(poll, 500);
}
poll();
