// Form input that is kept in sessionStorage. It survives a reload, a language switch and the back
// button, and is deleted when it has been submitted or discarded.
import type { Address, Prefix } from './address.ts';

type Fields = Readonly<Record<string, string>>;

class SavedInput {
  readonly #key: string;
  #here: Fields = {}; // used if storage is unavailable; lasts as long as the page

  constructor(key: string) {
    this.#key = key;
  }

  fields(): Fields {
    try {
      return (JSON.parse(sessionStorage.getItem(this.#key) ?? 'null') as Fields | null) ?? this.#here;
    } catch {
      return this.#here;
    }
  }

  address(prefix: Prefix): Address {
    const of = Object.entries(this.fields()).filter(([name, value]) => name.startsWith(`${prefix}.`) && value);
    return Object.fromEntries(of.map(([name, value]) => [name.slice(prefix.length + 1), value]));
  }

  /**
   * Stores the form's fields and keeps stored fields that the form does not currently have. Cart
   * items are left out, because the cart stores them itself.
   */
  save(form: HTMLFormElement): void {
    const now: Record<string, string> = { ...this.fields() };
    for (const e of form.elements) {
      if (
        !(e instanceof HTMLInputElement || e instanceof HTMLSelectElement) ||
        e.name === '' ||
        e.name.startsWith('items[')
      )
        continue;
      if (e.type === 'radio' && !(e as HTMLInputElement).checked) continue;
      now[e.name] = e instanceof HTMLInputElement && e.type === 'checkbox' ? (e.checked ? 'on' : '') : e.value;
    }
    this.#store(now);
  }

  #store(now: Fields): void {
    this.#here = now;
    try {
      sessionStorage.setItem(this.#key, JSON.stringify(now));
    } catch {
      // Storage is unavailable. The fields are kept in memory.
    }
  }

  /** Stores an email and addresses, unless an email is already stored. */
  fill(email: string, addresses: Readonly<Partial<Record<Prefix, Address | undefined>>>): void {
    if (this.fields().email) return;
    const parts = Object.entries(addresses).flatMap(([prefix, address]) =>
      Object.entries(address ?? {}).map(([name, value]) => [`${prefix}.${name}`, value] as const),
    );
    this.#store({ ...this.fields(), email, ...Object.fromEntries(parts) });
  }

  /**
   * Restores the stored input in the order of the fields. An address's country comes first, because
   * its other fields depend on it.
   */
  restore(form: HTMLFormElement): void {
    for (const [name, value] of Object.entries(this.fields())) {
      const named = form.elements.namedItem(name);
      const e =
        named instanceof RadioNodeList
          ? [...named].find((radio) => (radio as HTMLInputElement).value === value)
          : named;
      if (!(e instanceof HTMLInputElement || e instanceof HTMLSelectElement) || e.disabled) continue;
      if (e instanceof HTMLSelectElement || !['radio', 'checkbox'].includes(e.type)) e.value = value;
      else e.checked = e.type === 'radio' || value === 'on';
      e.dispatchEvent(new Event('input'));
    }
  }

  clear(): void {
    this.#here = {};
    try {
      sessionStorage.removeItem(this.#key);
    } catch {
      // Storage is unavailable.
    }
  }
}

export const checkoutInput = new SavedInput('typed');
export const changeInput = new SavedInput('change');
