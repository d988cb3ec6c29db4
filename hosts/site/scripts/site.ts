// The entry point of all pages. Page-specific code is loaded on demand.
import { storeAttribution } from './attribution.ts';
import { showChosenRewards } from './badges.ts';
import { listenToItemForms, updateCartLink } from './cart.ts';
import { live } from './live.ts';
import { followOfferLink } from './offerlink.ts';
import { prefetch } from './prefetch.ts';
import { loadVideosOnPlay } from './video.ts';

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
    void import('./checkout.ts').then((m) => m.checkout());
    break;
  case 'success':
    void import('./success.ts').then((m) => m.success());
    break;
  case 'manage':
    void import('./manage.ts').then((m) => m.manage());
    break;
  case 'links':
    void import('./links.ts').then((m) => m.links());
    break;
  case 'reminder':
    void import('./reminder.ts').then((m) => m.reminder());
    break;
  case 'mails':
    void import('./mails.ts').then((m) => m.mails());
    break;
  case 'admin':
    void import('./admin.ts').then((m) => m.admin());
    break;
  case 'preview':
    void import('./preview.ts').then((m) => m.preview());
    break;
  case 'community':
    void import('./community.ts').then((m) => m.community());
    break;
  case 'embed':
    void import('./embed.ts').then((m) => m.embed());
    break;
}
