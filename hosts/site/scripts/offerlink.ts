// Links to a reward (#reward-poster) or to support with an amount (?amount=25). The page scrolls to
// the reward and marks it, or fills in the amount.

/** Returns the amount in a query in whole dollars, or undefined if there is none. */
export function linkedAmount(query: string): number | undefined {
  const text = new URLSearchParams(query).get('amount') ?? '';
  return /^\d{1,7}$/.test(text) && Number(text) > 0 ? Number(text) : undefined;
}

export function followOfferLink(): void {
  if (document.body.dataset.page !== 'campaign') return;
  showLinkedReward();
  window.addEventListener('hashchange', showLinkedReward);
  const amount = linkedAmount(location.search);
  const field = document.querySelector<HTMLInputElement>('[data-own-amount]');
  if (amount === undefined || !field) return;
  field.value = String(amount);
  if (location.hash) return; // the link has another target
  field.closest('section')?.scrollIntoView({ block: 'center' });
  field.focus({ preventScroll: true });
}

function showLinkedReward(): void {
  for (const marked of document.querySelectorAll('.tier.linked')) marked.classList.remove('linked');
  const reward = location.hash.startsWith('#reward-') ? document.getElementById(location.hash.slice(1)) : null;
  if (!reward) return;
  reward.classList.add('linked');
  reward.scrollIntoView({ block: 'center' });
  reward.focus({ preventScroll: true });
}
