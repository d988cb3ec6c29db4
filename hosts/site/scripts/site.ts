// The entry point of all pages. Page-specific code is loaded on demand.
import { storeAttribution } from './attribution.ts';
import { showChosenRewards } from './badges.ts';
import { listenToItemForms, updateCartLink } from './cart.ts';
import { h } from './dom.ts';
import { live } from './live.ts';
import { followOfferLink } from './offerlink.ts';
import { prefetch } from './prefetch.ts';
import { loadVideosOnPlay } from './video.ts';
import { say } from './words.ts';

/** Runs a page's script when it is loaded. If it cannot be loaded, an error message is shown. */
function start<T>(script: Promise<T>, run: (script: T) => unknown): void {
  void script.then(run, () => {
    document.querySelector('.loading')?.remove();
    document.querySelector('[data-app]')?.append(h('p', { class: 'note bad', role: 'alert' }, say('load_failed')));
  });
}

const page = document.body.dataset.page;
storeAttribution();
updateCartLink();
listenToItemForms();
showChosenRewards();
window.addEventListener('cart', showChosenRewards);
loadVideosOnPlay();
followOfferLink();
prefetch(document.body.dataset.prefetch);
void live();
const search = document.querySelector<HTMLFormElement>('form[data-find]');
if (search) void import('./find.ts').then((m) => m.listenToSearch(search));
const upcoming = document.querySelector<HTMLElement>('[data-remind]');
if (upcoming) void import('./remind.ts').then((m) => m.showReminderForm(upcoming));
switch (page) {
  case 'checkout':
    start(import('./checkout.ts'), (m) => m.checkout());
    break;
  case 'success':
    start(import('./success.ts'), (m) => m.success());
    break;
  case 'manage':
    start(import('./manage.ts'), (m) => m.manage());
    break;
  case 'links':
    start(import('./links.ts'), (m) => m.links());
    break;
  case 'reminder':
    start(import('./reminder.ts'), (m) => m.reminder());
    break;
  case 'mails':
    start(import('./mails.ts'), (m) => m.mails());
    break;
  case 'admin':
    start(import('./admin.ts'), (m) => m.admin());
    break;
  case 'preview':
    start(import('./preview.ts'), (m) => m.preview());
    break;
  case 'community':
    start(import('./community.ts'), (m) => m.community());
    break;
  case 'embed':
    start(import('./embed.ts'), (m) => m.embed());
    break;
}
