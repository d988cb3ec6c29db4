// The page with the preview of an unpublished campaign. The static page contains nothing about the
// campaign. The script loads the preview from the API with the link's token or an operator's session,
// and shows it in a sandboxed frame that can access neither this page nor the API.
import { APIError, type Schema, sendRequest, tokenHeaders } from './api.ts';
import { h, show } from './dom.ts';
import { notice } from './errors.ts';
import { takeToken } from './token.ts';
import { say, visitorMoment } from './words.ts';

type Preview = Schema['CampaignPreview'];

export async function preview(): Promise<void> {
  const [, slug = ''] = /\/campaigns\/([^/]+)\/preview\//.exec(location.pathname) ?? [];
  const token = takeToken(`preview ${slug}`);
  const query = new URLSearchParams({ lang: document.documentElement.lang });
  try {
    showPreview(
      await sendRequest<Preview>(
        `/admin/campaign-preview/${encodeURIComponent(slug)}?${query.toString()}`,
        token ? { credentials: 'omit', headers: tokenHeaders(token) } : { credentials: 'include' },
      ),
    );
  } catch (error) {
    const unavailable = error instanceof APIError && [401, 403, 404].includes(error.status);
    show(
      h(
        'div',
        { class: 'narrow' },
        unavailable ? h('p', { class: 'note bad', role: 'alert' }, say('preview_gone')) : notice(error),
      ),
    );
  }
}

function showPreview(p: Preview): void {
  const frame = h('iframe', {
    class: 'preview-frame',
    sandbox: 'allow-scripts',
    title: say('preview_frame'),
    srcdoc: p.html,
  });
  const until = p.expiresAt ? say('preview_until', { date: visitorMoment(p.expiresAt) }) : '';
  document.querySelector('[data-note]')?.append([say('preview_note'), until].filter(Boolean).join(' '));
  show(frame);
}
