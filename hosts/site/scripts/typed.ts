// What was typed into a form. It is kept as long as the tab, over a reload, another
// language and a step back, and forgotten once it was sent or given up.
import type { Address, Prefix } from './address.ts';

type Fields = Readonly<Record<string, string>>;

class Typed {
  readonly #key: string;
  #here: Fields = {}; // where the browser keeps nothing, as long as the page

  constructor(key: string) {
    this.#key = key;
  }

  fields(): Fields {
    try {
      return JSON.parse(sessionStorage.getItem(this.#key) ?? 'null') as Fields | null ?? this.#here;
    } catch {
      return this.#here;
    }
  }

  address(prefix: Prefix): Address {
    const of = Object.entries(this.fields()).filter(([name, value]) => name.startsWith(`${prefix}.`) && value);
    return Object.fromEntries(of.map(([name, value]) => [name.slice(prefix.length + 1), value]));
  }

  /** Keeps the form's fields, beside those that it has not at the moment. What is in the cart is kept there. */
  keep(form: HTMLFormElement): void {
    const now: Record<string, string> = { ...this.fields() };
    for (const e of form.elements) {
      if (!(e instanceof HTMLInputElement || e instanceof HTMLSelectElement) || e.name === '' || e.name.startsWith('items[')) continue;
      if (e.type === 'radio' && !(e as HTMLInputElement).checked) continue;
      now[e.name] = e instanceof HTMLInputElement && e.type === 'checkbox' ? (e.checked ? 'on' : '') : e.value;
    }
    this.#here = now;
    try {
      sessionStorage.setItem(this.#key, JSON.stringify(now));
    } catch {
      // it is kept here
    }
  }

  /** Puts what was kept into a form, in its order: an address has the fields of its country, which comes first. */
  restore(form: HTMLFormElement): void {
    for (const [name, value] of Object.entries(this.fields())) {
      const named = form.elements.namedItem(name);
      const e = named instanceof RadioNodeList ? [...named].find((radio) => (radio as HTMLInputElement).value === value) : named;
      if (!(e instanceof HTMLInputElement || e instanceof HTMLSelectElement) || e.disabled) continue;
      if (e instanceof HTMLSelectElement || !['radio', 'checkbox'].includes(e.type)) e.value = value;
      else e.checked = e.type === 'radio' || value === 'on';
      e.dispatchEvent(new Event('input'));
    }
  }

  forget(): void {
    this.#here = {};
    try {
      sessionStorage.removeItem(this.#key);
    } catch {
      // nothing was kept
    }
  }
}

export const atCheckout = new Typed('typed');
export const inChange = new Typed('change');
