// What was typed into the checkout. It is kept as long as the tab, over a reload, another
// language and a step back, and forgotten once the pledge is saved.
import type { Address, Prefix } from './address.ts';

type Typed = Readonly<Record<string, string>>;

const key = 'typed';
let here: Typed = {}; // where the browser keeps nothing, as long as the page

export function typed(): Typed {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? 'null') as Typed | null ?? here;
  } catch {
    return here;
  }
}

/** Keeps the form's fields, beside those that it has not at the moment. What is in the cart is kept there. */
export function keepTyped(form: HTMLFormElement): void {
  const now: Record<string, string> = { ...typed() };
  for (const e of form.elements) {
    if (!(e instanceof HTMLInputElement || e instanceof HTMLSelectElement) || e.name === '' || e.name.startsWith('items[')) continue;
    now[e.name] = e instanceof HTMLInputElement && e.type === 'checkbox' ? (e.checked ? 'on' : '') : e.value;
  }
  here = now;
  try {
    sessionStorage.setItem(key, JSON.stringify(now));
  } catch {
    // it is kept here
  }
}

export function forgetTyped(): void {
  here = {};
  try {
    sessionStorage.removeItem(key);
  } catch {
    // nothing was kept
  }
}

export function typedAddress(prefix: Prefix): Address {
  const of = Object.entries(typed()).filter(([name, value]) => name.startsWith(`${prefix}.`) && value);
  return Object.fromEntries(of.map(([name, value]) => [name.slice(prefix.length + 1), value]));
}
