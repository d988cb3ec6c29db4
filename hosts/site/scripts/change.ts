// Changing a pledge: choose anew from what there is, see what it would come to, and
// only then decide.
import { addressFields, readAddress } from './address.ts';
import { post, type Schema } from './api.ts';
import { bill } from './bill.ts';
import { h, once } from './dom.ts';
import { menu, type Choice } from './menu.ts';
import { mark, notice } from './problem.ts';
import { announce, money, say } from './words.ts';

type View = Schema['PledgeView'];

export async function change(token: string, v: View, work: HTMLElement, done: () => Promise<void>): Promise<void> {
  const list = await menu(v);
  const look = h('button', { type: 'submit' }, say('change_look'));
  const stop = h('button', { type: 'button', class: 'quiet' }, say('change_stop'));
  const result = h('div', { 'aria-live': 'polite' });
  const heading = h('h3', { tabindex: -1 }, say('change_title'));
  const where = addressFields('shippingAddress', v.shippingAddress ?? {});
  const form = h('form', { class: 'sheet change', novalidate: true }, heading, ...groups(list), tipField(v), where, h('div', { class: 'row' }, look, stop), result);
  const sends = (): boolean => list.some((d) => d.sent && chosen(form, d) > 0);
  const show = (): void => {
    where.toggleAttribute('hidden', !sends() && !v.shippingAddress);
  };
  const request = (dryRun: boolean): Schema['ModifyRequest'] => {
    const items = list.flatMap((d) => {
      const n = chosen(form, d);
      if (!(n > 0)) return [];
      return [d.price === undefined ? { id: d.id, amount: n } : { id: d.id, quantity: n }];
    });
    const shippingAddress = where.hasAttribute('hidden') ? undefined : readAddress(form, 'shippingAddress');
    const tipPercent = Number(new FormData(form).get('tipPercent'));
    return { token, items, tipPercent, expectedRevision: v.revision, dryRun, ...(shippingAddress ? { shippingAddress } : {}) };
  };
  const preview = once(look, async () => {
    try {
      const asked = request(true);
      difference(await post<Schema['Modified']>('/pledge/modify', asked), result, async () => {
        await post<Schema['Modified']>('/pledge/modify', { ...asked, dryRun: false });
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
  });
  stop.addEventListener('click', () => work.replaceChildren());
  show();
  work.replaceChildren(form);
  heading.focus();
}

/** What is chosen first, and then the rest, by what it is. */
function groups(list: readonly Choice[]): HTMLElement[] {
  return (['rewards', 'support', 'addons'] as const).flatMap((group) => {
    const choices = list.filter((d) => d.group === group).sort((a, b) => Number(b.held > 0) - Number(a.held > 0) || Number(a.locked) - Number(b.locked));
    return choices.length ? [h('fieldset', {}, h('legend', {}, say(`change_${group}`)), ...choices.map(row))] : [];
  });
}

/** One thing: its control, its name and price, and what is left or why it is locked. */
function row(d: Choice): HTMLElement {
  const hint = d.state || (d.price === undefined ? say('checkout_amount') : '');
  const name = h('span', { class: 'name' }, d.name, d.price === undefined ? null : h('span', { class: 'price' }, money(d.price)), hint ? h('span', { class: 'hint' }, hint) : null);
  return h('label', { class: 'choice' + (d.locked ? ' locked' : '') }, control(d), name);
}

function control(d: Choice): HTMLInputElement {
  if (d.price === undefined) {
    return h('input', { type: 'number', inputmode: 'numeric', min: 0, max: d.most, step: 1, name: d.id, value: d.held || '', placeholder: '$' });
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

function tipField(v: View): HTMLElement {
  const most = Number((document.body.dataset.tip ?? '5 15').split(' ')[1]);
  return h('label', {}, say('tip'), h('span', { class: 'hint' }, say('tip_label')), h('input', { type: 'number', inputmode: 'numeric', min: 0, max: most, step: 1, name: 'tipPercent', value: v.tipPercent }));
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
      m.lines.map((l) => [l.name + (l.variantName ? `, ${l.variantName}` : '') + (l.quantity > 1 ? ` × ${l.quantity}` : ''), money(l.amount)] as const)),
    h('p', { class: 'small' }, m.consent.text),
    button,
  );
  button.focus();
}
