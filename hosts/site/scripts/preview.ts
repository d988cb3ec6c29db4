// A campaign before everybody sees it. This page knows nothing of it: what it shows comes
// from the service, for who is signed in or has a reviewer's link, and stands in a frame
// that can reach neither this page nor the service.
import { ask, Refused, shown, type Schema } from './api.ts';
import { h, show } from './dom.ts';
import { notice } from './problem.ts';
import { takeToken } from './token.ts';
import { say } from './words.ts';

type Preview = Schema['CampaignPreview'];

export async function preview(): Promise<void> {
  const [, slug = ''] = /\/campaigns\/([^/]+)\/preview\//.exec(location.pathname) ?? [];
  const token = takeToken(`preview ${slug}`);
  const query = new URLSearchParams({ lang: document.documentElement.lang });
  try {
    fill(await ask<Preview>(`/admin/campaign-preview/${encodeURIComponent(slug)}?${query.toString()}`, token ? { credentials: 'omit', headers: shown(token) } : { credentials: 'include' }));
  } catch (error) {
    const gone = error instanceof Refused && [401, 403, 404].includes(error.status);
    show(h('div', { class: 'narrow' }, gone ? h('p', { class: 'note bad', role: 'alert' }, say('preview_gone')) : notice(error)));
  }
}

function fill(p: Preview): void {
  const frame = h('iframe', { class: 'preview-frame', sandbox: 'allow-scripts', title: say('preview_frame'), srcdoc: p.html });
  const until = p.expiresAt ? say('preview_until', { date: new Date(p.expiresAt).toLocaleString(document.documentElement.lang, { dateStyle: 'long', timeStyle: 'short' }) }) : '';
  show(h('p', { class: 'note preview-note' }, [say('preview_note'), until].filter(Boolean).join(' ')), frame);
}
