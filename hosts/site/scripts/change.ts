// Changing a pledge: choose anew from what there is, see what it would come to, and
// only then decide. Until then what was chosen is kept in the tab.
import { addressFields, readAddress } from './address.ts';
import { post, type Schema } from './api.ts';
import { bill, linesOf } from './bill.ts';
import { h, once } from './dom.ts';
import { menu, type Choice } from './menu.ts';
import { complete, mark, notice } from './problem.ts';
import { tip } from './tip.ts';
import { inChange } from './typed.ts';
import { announce, money, say } from './words.ts';

type View = Schema['PledgeView'];

/** What a change is of: a pledge as it stands. */
const subject = (v: View): string => [v.orderId, v.campaignSlug, v.revision].join(' ');

/** Whether a change of the pledge was begun in this tab. One of another pledge, or of what this one was, is forgotten. */
export function wasBegun(v: View): boolean {
  const same = v.canModify && inChange.fields().subject === subject(v);
  if (!same) inChange.forget();
  return same;
}

export async function change(token: string, v: View, work: HTMLElement, done: () => Promise<void>): Promise<void> {
  const list = await menu(v);
  const look = h('button', { type: 'submit' }, say('change_look'));
  const stop = h('button', { type: 'button', class: 'quiet' }, say('change_stop'));
  const result = h('div', { 'aria-live': 'polite' });
  const heading = h('h3', { tabindex: -1 }, say('change_title'));
  const where = addressFields('shippingAddress', v.shippingAddress ?? {});
  const form = h('form', { class: 'sheet change', novalidate: true }, h('input', { type: 'hidden', name: 'subject', value: subject(v) }), heading, ...groups(list), tip(v.tipPercent), where, h('div', { class: 'row' }, look, stop), result);
  const sends = (): boolean => list.some((d) => d.sent && chosen(form, d) > 0);
  const show = (): void => {
    where.hidden = where.disabled = !sends() && !v.shippingAddress;
  };
  const request = (dryRun: boolean): Schema['ModifyRequest'] => {
    const items = list.filter((d) => chosen(form, d) > 0).map((d) => ({ id: d.id, [d.price === undefined ? 'amount' : 'quantity']: chosen(form, d) }));
    for (const place of form.querySelectorAll<HTMLElement>('.choice')) { // where the service's word on an item stands
      const at = items.findIndex((i) => i.id === place.dataset.item);
      if (at < 0) delete place.dataset.field;
      else place.dataset.field = `items[${at}]`;
    }
    const shippingAddress = where.disabled ? undefined : readAddress(form, 'shippingAddress');
    const tipPercent = Number(new FormData(form).get('tipPercent'));
    return { token, items, tipPercent, expectedRevision: v.revision, dryRun, ...(shippingAddress ? { shippingAddress } : {}) };
  };
  const untouched = (): string => JSON.stringify({ ...request(true), token: '' });
  let before = '';
  const preview = once(look, async () => {
    if (!complete(form)) return;
    if (untouched() === before) {
      result.replaceChildren(h('p', { class: 'note', tabindex: -1 }, say('change_none')));
      return;
    }
    try {
      const asked = request(true);
      difference(await post<Schema['Modified']>('/pledge/modify', asked), result, async () => {
        await post<Schema['Modified']>('/pledge/modify', { ...asked, dryRun: false });
        inChange.forget();
        announce(say('change_done'));
        await done();
      });
    } catch (error) {
      if (!mark(form, error)) result.replaceChildren(notice(error));
    }
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void preview();
  });
  form.addEventListener('input', () => {
    result.replaceChildren();
    show();
    inChange.keep(form);
  });
  stop.addEventListener('click', () => {
    inChange.forget();
    work.replaceChildren();
  });
  show();
  before = untouched();
  inChange.restore(form);
  show();
  inChange.keep(form);
  work.replaceChildren(form);
  heading.focus();
}

/** What is chosen first, and then the rest, by what it is. */
function groups(list: readonly Choice[]): HTMLElement[] {
  return (['rewards', 'support', 'addons'] as const).flatMap((group) => {
    const choices = list.filter((d) => d.group === group).sort((a, b) => Number(b.held > 0) - Number(a.held > 0) || Number(a.locked) - Number(b.locked));
    const none = choices.some((d) => d.single) ? [noReward(choices)] : [];
    return choices.length ? [h('fieldset', {}, h('legend', {}, say(`change_${group}`)), ...choices.map(row), ...none)] : [];
  });
}

/** Where only one reward can be had, none can be had as well. */
function noReward(choices: readonly Choice[]): HTMLElement {
  return h('label', { class: 'choice' }, h('input', { type: 'radio', name: 'reward', value: '', checked: !choices.some((d) => d.held > 0) }), h('span', { class: 'name' }, say('change_no_reward')));
}

/** One thing: its control, its name and price, and what is left or why it is locked. */
function row(d: Choice): HTMLElement {
  const hint = d.state || (d.price === undefined ? say('checkout_amount') : '');
  const name = h('span', { class: 'name' }, d.name, d.price === undefined ? null : h('span', { class: 'price' }, money(d.price)), hint ? h('span', { class: 'hint' }, hint) : null);
  return h('label', { class: 'choice' + (d.locked ? ' locked' : ''), 'data-item': d.id }, control(d), name);
}

function control(d: Choice): HTMLInputElement {
  if (d.price === undefined) {
    const amount = h('input', { type: 'number', inputmode: 'numeric', min: d.least, max: d.most, step: 1, name: d.id, value: d.held || '', placeholder: '$', 'data-amount': true });
    amount.addEventListener('input', () => {
      amount.min = amount.value === '0' ? '0' : String(d.least ?? 1); // who wants none of it may say so
    });
    return amount;
  }
  if (d.single) return h('input', { type: 'radio', name: 'reward', value: d.id, checked: d.held > 0, disabled: d.locked });
  if ((d.most ?? 2) <= 1) return h('input', { type: 'checkbox', name: d.id, value: 1, checked: d.held > 0, disabled: d.locked });
  return h('input', { type: 'number', inputmode: 'numeric', min: 0, max: d.most, step: 1, name: d.id, value: d.held, disabled: d.locked });
}

function chosen(form: HTMLFormElement, d: Choice): number {
  const data = new FormData(form);
  if (d.single && d.price !== undefined) return data.get('reward') === d.id ? Math.max(d.held, 1) : 0;
  return Math.floor(Number(data.get(d.id) ?? 0));
}

/** What the change would come to, and the button that makes it. */
function difference(m: Schema['Modified'], place: HTMLElement, confirm: () => Promise<void>): void {
  const button = h('button', { type: 'button' }, say('change_confirm'));
  button.addEventListener('click', once(button, async () => {
    try {
      await confirm();
    } catch (error) {
      place.append(notice(error));
    }
  }));
  const id = m.amountDelta > 0 ? 'change_more' : m.amountDelta < 0 ? 'change_less' : 'change_same';
  place.replaceChildren(
    h('p', { class: 'note' }, say(id, { delta: money(Math.abs(m.amountDelta)), before: money(m.previous.amount), after: money(m.current.amount) })),
    bill({ subtotal: m.current.subtotal, shipping: m.current.shipping, tax: m.current.tax, tip: m.current.tipAmount, tipPercent: m.current.tipPercent, amount: m.current.amount },
      linesOf(m.lines)),
    h('p', { class: 'small' }, m.consent.text),
    button,
  );
  button.focus();
}
