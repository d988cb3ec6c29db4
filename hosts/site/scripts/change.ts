// The form that changes a pledge: the supporter selects items, previews the new total and confirms
// it. Until then the selection is kept in sessionStorage.
import { addressFields, readAddress } from './address.ts';
import { post, type Schema } from './api.ts';
import { billTable, lineAmounts } from './bill.ts';
import { type Choice, loadChoices } from './choices.ts';
import { h, singleFlight } from './dom.ts';
import { markField, notice, validateForm } from './errors.ts';
import { changeInput } from './savedinput.ts';
import { readTip, tip, tipOf } from './tip.ts';
import { announce, money, price, say } from './words.ts';

type View = Schema['PledgeView'];

/** Returns an identifier of the pledge and the revision that a change is based on. */
const changeSubject = (v: View): string => [v.orderId, v.campaignSlug, v.revision].join(' ');

/**
 * Reports whether this tab has an unfinished change of the pledge. Changes of another pledge or an
 * older revision are deleted.
 */
export function hasUnfinishedChange(v: View): boolean {
  const same = v.canModify && changeInput.fields().subject === changeSubject(v);
  if (!same) changeInput.clear();
  return same;
}

export async function showChangeForm(
  token: string,
  v: View,
  work: HTMLElement,
  done: () => Promise<void>,
  field?: string, // name of the field that takes the focus
): Promise<void> {
  const list = await loadChoices(v);
  const look = h('button', { type: 'submit' }, say('change_look'));
  const stop = h('button', { type: 'button', class: 'quiet' }, say('change_stop'));
  const result = h('div', { 'aria-live': 'polite' });
  const heading = h('h3', { tabindex: -1 }, say('change_title'));
  const where = addressFields('shippingAddress', v.shippingAddress ?? {});
  const form = h(
    'form',
    { class: 'sheet change', novalidate: true },
    h('input', { type: 'hidden', name: 'subject', value: changeSubject(v) }),
    heading,
    ...groups(list),
    tip(tipOf(v)),
    where,
    h('div', { class: 'row' }, look, stop),
    result,
  );
  const sends = (): boolean => list.some((d) => d.physical && selectedAmount(form, d) > 0);
  const show = (): void => {
    where.hidden = where.disabled = !sends() && !v.shippingAddress;
  };
  const request = (dryRun: boolean): Schema['ModifyRequest'] => {
    const items = list
      .filter((d) => selectedAmount(form, d) > 0)
      .map((d) => ({ id: d.id, [d.price === undefined ? 'amount' : 'quantity']: selectedAmount(form, d) }));
    for (const container of form.querySelectorAll<HTMLElement>('.choice')) {
      // The server's error for an item is shown at the element with this attribute.
      const at = items.findIndex((i) => i.id === container.dataset.item);
      if (at < 0) delete container.dataset.field;
      else container.dataset.field = `items[${at}]`;
    }
    const shippingAddress = where.disabled ? undefined : readAddress(form, 'shippingAddress');
    return {
      token,
      items,
      ...readTip(form),
      expectedRevision: v.revision,
      dryRun,
      ...(shippingAddress ? { shippingAddress } : {}),
    };
  };
  const untouched = (): string => JSON.stringify({ ...request(true), token: '' });
  let before = '';
  const preview = singleFlight(look, async () => {
    if (!validateForm(form)) return;
    if (untouched() === before) {
      result.replaceChildren(h('p', { class: 'note', tabindex: -1 }, say('change_none')));
      return;
    }
    try {
      const asked = request(true);
      showDifference(await post<Schema['Modified']>('/pledge/modify', asked), result, async () => {
        await post<Schema['Modified']>('/pledge/modify', { ...asked, dryRun: false });
        changeInput.clear();
        announce(say('change_done'));
        await done();
      });
    } catch (error) {
      if (!markField(form, error)) result.replaceChildren(notice(error));
    }
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void preview();
  });
  form.addEventListener('input', () => {
    result.replaceChildren();
    show();
    changeInput.save(form);
  });
  stop.addEventListener('click', () => {
    changeInput.clear();
    work.replaceChildren();
  });
  show();
  before = untouched();
  changeInput.restore(form);
  show();
  changeInput.save(form);
  work.replaceChildren(form);
  const first = field ? form.querySelector<HTMLElement>(`[name="${CSS.escape(field)}"]`) : null;
  (first ?? heading).focus();
}

/** Returns a fieldset per group, with the items in the pledge first. */
function groups(list: readonly Choice[]): HTMLElement[] {
  return (['rewards', 'support', 'addons'] as const).flatMap((group) => {
    const choices = list
      .filter((d) => d.group === group)
      .sort((a, b) => Number(b.heldQuantity > 0) - Number(a.heldQuantity > 0) || Number(a.locked) - Number(b.locked));
    const none = choices.some((d) => d.exclusive) ? [noRewardOption(choices)] : [];
    return choices.length
      ? [h('fieldset', {}, h('legend', {}, say(`change_${group}`)), ...choices.map(row), ...none)]
      : [];
  });
}

/** Returns the option for no reward, which campaigns with one reward per pledge have. */
function noRewardOption(choices: readonly Choice[]): HTMLElement {
  return h(
    'label',
    { class: 'choice' },
    h('input', { type: 'radio', name: 'reward', value: '', checked: !choices.some((d) => d.heldQuantity > 0) }),
    h('span', { class: 'name' }, say('change_no_reward')),
  );
}

/** Returns a row with an item's control, name, price, and its stock or the reason why it is unavailable. */
function row(d: Choice): HTMLElement {
  const hint = d.availability || (d.price === undefined ? say('checkout_amount') : '');
  const name = h(
    'span',
    { class: 'name' },
    d.name,
    d.price === undefined ? null : h('span', { class: 'price' }, price(d.price)),
    hint ? h('span', { class: 'hint' }, hint) : null,
  );
  return h('label', { class: `choice${d.locked ? ' locked' : ''}`, 'data-item': d.id }, control(d), name);
}

function control(d: Choice): HTMLInputElement {
  if (d.price === undefined) {
    const amount = h('input', {
      type: 'number',
      inputmode: 'numeric',
      min: d.least,
      max: d.most,
      step: 1,
      name: d.id,
      value: d.heldQuantity || '',
      placeholder: '$',
      'data-amount': true,
    });
    amount.addEventListener('input', () => {
      amount.min = amount.value === '0' ? '0' : String(d.least ?? 1); // 0 is also valid and removes the item
    });
    return amount;
  }
  if (d.exclusive)
    return h('input', { type: 'radio', name: 'reward', value: d.id, checked: d.heldQuantity > 0, disabled: d.locked });
  if ((d.most ?? 2) <= 1)
    return h('input', { type: 'checkbox', name: d.id, value: 1, checked: d.heldQuantity > 0, disabled: d.locked });
  return h('input', {
    type: 'number',
    inputmode: 'numeric',
    min: 0,
    max: d.most,
    step: 1,
    name: d.id,
    value: d.heldQuantity,
    disabled: d.locked,
  });
}

function selectedAmount(form: HTMLFormElement, d: Choice): number {
  const data = new FormData(form);
  if (d.exclusive && d.price !== undefined) return data.get('reward') === d.id ? Math.max(d.heldQuantity, 1) : 0;
  return Math.floor(Number(data.get(d.id) ?? 0));
}

/** Shows how the change affects the total, with the button that confirms it. */
function showDifference(m: Schema['Modified'], container: HTMLElement, confirm: () => Promise<void>): void {
  const button = h('button', { type: 'button' }, say('change_confirm'));
  button.addEventListener(
    'click',
    singleFlight(button, async () => {
      try {
        await confirm();
      } catch (error) {
        container.append(notice(error));
      }
    }),
  );
  const id = m.amountDelta > 0 ? 'change_more' : m.amountDelta < 0 ? 'change_less' : 'change_same';
  container.replaceChildren(
    h(
      'p',
      { class: 'note' },
      say(id, {
        delta: money(Math.abs(m.amountDelta)),
        before: money(m.previous.amount),
        after: money(m.current.amount),
      }),
    ),
    billTable(
      {
        subtotal: m.current.subtotal,
        shipping: m.current.shipping,
        tax: m.current.tax,
        tip: m.current.tipAmount,
        tipPercent: m.current.tipPercent,
        amount: m.current.amount,
      },
      lineAmounts(m.lines),
    ),
    h('p', { class: 'small' }, m.consent.text),
    button,
  );
  button.focus();
}
