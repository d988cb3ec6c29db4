// The search form of the home page, with a category and an order. The script shows the matching
// campaigns of an index and keeps the filter in the URL: ?q=boat&cat=Book&sort=new. Without a filter
// it shows the page's own cards. Without JavaScript the form is hidden, and links lead to all
// campaigns.
import { root } from './api.ts';
import { h } from './dom.ts';
import { startUpdates } from './live.ts';
import { day, price, say } from './words.ts';

/** A campaign in the search index. */
export interface Entry {
  readonly s: string; // slug
  readonly t: string; // title
  readonly c?: string; // creator
  readonly b?: string; // blurb
  readonly l?: string; // language of the title and the blurb
  readonly k?: string; // category
  readonly st: string; // state
  readonly a?: number; // start, in seconds since 1970
  readonly e?: number; // last second, in seconds since 1970
  readonly g: number; // goal, in cents
  readonly i?: string; // image
  readonly x?: string; // its alternative text
  readonly p?: number; // pledged when the site was built, in cents
  readonly n?: number; // supporters when the site was built
}

export interface Filter {
  readonly q: string;
  readonly cat: string;
  readonly sort: string;
}

const perPage = 9;

/** Returns a text in lower case without accents. */
const plain = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

/** Returns the campaigns of a category ('' for all) that contain every word of the query. */
export function matching(all: readonly Entry[], { q, cat }: Pick<Filter, 'q' | 'cat'>): Entry[] {
  const words = plain(q).split(/\s+/).filter(Boolean);
  return all.filter((e) => {
    const text = plain(`${e.t} ${e.c ?? ''} ${e.b ?? ''}`);
    return (!cat || e.k === cat) && words.every((w) => text.includes(w));
  });
}

const share = (e: Entry): number => (e.g ? (e.p ?? 0) / e.g : 0);

const orders: Readonly<Record<string, (a: Entry, b: Entry) => number>> = {
  ending: (a, b) => (a.e ?? 0) - (b.e ?? 0),
  soon: (a, b) => (a.a ?? Number.POSITIVE_INFINITY) - (b.a ?? Number.POSITIVE_INFINITY),
  new: (a, b) => (b.a ?? 0) - (a.a ?? 0),
  supporters: (a, b) => (b.n ?? 0) - (a.n ?? 0),
  // Campaigns below their goal come first, and among them the one closest to it.
  closest: (a, b) => (share(a) < 1 ? -share(a) : 1) - (share(b) < 1 ? -share(b) : 1),
};

export const sorted = (all: readonly Entry[], order: string): Entry[] =>
  orders[order] ? [...all].sort(orders[order]) : [...all];

export function listenToSearch(form: HTMLFormElement): void {
  const controls = form.elements as unknown as Record<'q' | 'cat' | 'sort', HTMLInputElement | HTMLSelectElement>;
  const { q, cat, sort } = controls;
  const standard = sort.value;
  const list = document.querySelector<HTMLElement>('[data-cards]');
  if (!list) return;
  const view = new Results(form, list);
  const read = (): Filter => ({ q: q.value.trim(), cat: cat.value, sort: sort.value });
  const isFiltered = (f: Filter): boolean => Boolean(f.q || f.cat || f.sort !== standard);
  const update = (): void => {
    const f = read();
    const query = new URLSearchParams();
    if (f.q) query.set('q', f.q);
    if (f.cat) query.set('cat', f.cat);
    if (f.sort !== standard) query.set('sort', f.sort);
    history.replaceState(history.state, '', location.pathname + (query.size ? `?${query}` : ''));
    view.keepInTabs(query);
    if (isFiltered(f)) void view.show(f);
    else view.reset();
  };
  const given = new URLSearchParams(location.search);
  q.value = given.get('q') ?? '';
  for (const [control, name] of [
    [cat, 'cat'],
    [sort, 'sort'],
  ] as const) {
    const value = given.get(name);
    if (value && [...(control as HTMLSelectElement).options].some((o) => o.value === value)) control.value = value;
  }
  let waiting = 0;
  form.addEventListener('input', () => {
    window.clearTimeout(waiting);
    waiting = window.setTimeout(update, 150);
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    update();
  });
  form.hidden = false;
  if (isFiltered(read())) update();
}

/** The results of a search, whose cards replace the page's own cards. */
class Results {
  private readonly own: readonly Node[];
  private readonly status = document.querySelector<HTMLElement>('[data-found]');
  private readonly ownStatus = this.status?.textContent ?? '';
  private readonly pages = document.querySelector<HTMLElement>('[data-pages]');
  private readonly nothing = document.querySelector<HTMLElement>('[data-nothing]');
  private index: Promise<readonly Entry[]> | undefined;
  private shown = 0; // counts requests, so that only the latest is shown

  constructor(
    private readonly form: HTMLFormElement,
    private readonly list: HTMLElement,
  ) {
    this.own = [...list.childNodes];
  }

  /** Shows the page's own cards again. */
  reset(): void {
    this.shown++;
    this.list.replaceChildren(...this.own);
    this.showMore(0);
    if (this.status) this.status.textContent = this.ownStatus;
    if (this.pages) this.pages.hidden = false;
    if (this.nothing) this.nothing.hidden = true;
  }

  async show(f: Filter): Promise<void> {
    const request = ++this.shown;
    const all = await this.read();
    if (request !== this.shown) return;
    if (!all) {
      if (this.status) this.status.textContent = say('find_failed');
      return;
    }
    const state = this.form.dataset.state ?? '';
    const everywhere = matching(all, f);
    const found = sorted(
      everywhere.filter((e) => e.st === state),
      f.sort,
    );
    this.list.replaceChildren();
    this.add(found);
    if (this.pages) this.pages.hidden = true;
    if (this.status) this.status.textContent = say('found', { count: found.length });
    this.showNothing(found.length ? undefined : f, matching(all, { q: f.q, cat: '' }).length, everywhere.length);
  }

  /** Adds the query and the category to the links of the tabs. */
  keepInTabs(query: URLSearchParams): void {
    const kept = new URLSearchParams([...query].filter(([name]) => name !== 'sort'));
    for (const tab of document.querySelectorAll<HTMLAnchorElement>('[data-tab]'))
      tab.href = tab.pathname + (kept.size ? `?${kept}` : '');
  }

  private async read(): Promise<readonly Entry[] | undefined> {
    this.index ??= fetch(this.form.dataset.find ?? '').then(async (answer) => {
      if (!answer.ok) throw new Error(answer.statusText);
      return (await answer.json()) as readonly Entry[];
    });
    try {
      return await this.index;
    } catch {
      this.index = undefined; // the next search retries
      return undefined;
    }
  }

  private add(entries: readonly Entry[]): void {
    const cards = entries.slice(0, perPage).map((e) => card(e, this.categoryName(e.k)));
    this.list.append(...cards);
    for (const c of cards) void startUpdates(c);
    const rest = entries.slice(perPage);
    this.showMore(rest.length, () => {
      this.add(rest);
      cards.at(-1)?.nextElementSibling?.querySelector('a')?.focus();
    });
  }

  private showMore(count: number, more?: () => void): void {
    this.list.parentElement?.querySelector('[data-more]')?.remove();
    if (!count || !more) return;
    const button = h(
      'button',
      { type: 'button', class: 'quiet', 'data-more': true, onclick: more },
      say('find_more', { count }),
    );
    this.list.after(button);
  }

  private showNothing(f: Filter | undefined, inEveryCategory: number, inOtherStates: number): void {
    const box = this.nothing;
    if (!box) return;
    box.hidden = !f?.q && !f?.cat;
    if (!f || box.hidden) return;
    const category = this.categoryName(f.cat);
    const values = { state: say(`find_${this.form.dataset.state ?? 'live'}`), category, query: f.q };
    const key = f.q ? (category ? 'find_nothing_in' : 'find_nothing') : 'find_none_in';
    const elsewhere = Math.max(inEveryCategory, inOtherStates);
    const every = h('button', { type: 'button', onclick: () => this.searchEverything() }, say('find_everything'));
    const clear = h('button', { type: 'button', class: 'quiet', onclick: () => this.clear() }, say('find_clear'));
    box.replaceChildren(
      h('h3', {}, say(key, values)),
      h('p', {}, say('find_elsewhere', { count: elsewhere })),
      h('p', { class: 'row' }, elsewhere && f.cat ? every : null, clear),
    );
  }

  private searchEverything(): void {
    const { cat } = this.form.elements as unknown as Record<'cat', HTMLSelectElement>;
    cat.value = '';
    this.form.requestSubmit();
    cat.form?.querySelector('input')?.focus();
  }

  private clear(): void {
    this.form.reset();
    this.form.requestSubmit();
    this.form.querySelector('input')?.focus();
  }

  private categoryName(id: string | undefined): string {
    const option = id ? this.form.querySelector<HTMLOptionElement>(`option[value="${CSS.escape(id)}"]`) : null;
    return option?.dataset.name ?? '';
  }
}

const isoDay = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10);

/** Returns a campaign's card, which looks like those of the page's template. */
function card(e: Entry, category: string): HTMLElement {
  const percent = Math.floor(share(e) * 100);
  const above = [category, e.c ? say('by', { creator: e.c }) : ''].filter(Boolean).join(' · ');
  const ends = e.e ? new Date(e.e * 1000).toISOString() : undefined;
  return h(
    'li',
    { class: 'card camp', 'data-live': e.s, 'data-state': e.st, 'data-ends': ends },
    e.i ? h('img', { src: e.i, alt: e.x ?? '', width: 640, height: 360, loading: 'lazy' }) : null,
    h('p', { class: 'badge', 'data-badge': true, hidden: e.st !== 'upcoming' }, say('badge_upcoming')),
    h(
      'div',
      { class: 'words' },
      h('p', { class: 'small' }, above),
      h('h3', {}, h('a', { href: `${root}/campaigns/${e.s}/`, lang: e.l }, e.t)),
      h('p', { class: 'blurb', lang: e.l }, e.b ?? ''),
      h(
        'div',
        { class: 'end' },
        h('progress', {
          max: 100,
          value: Math.min(percent, 100),
          'aria-label': say('progress', { title: e.t }),
          hidden: e.st === 'upcoming',
        }),
        h(
          'p',
          { class: 'figures' },
          h(
            'span',
            {},
            h('strong', { 'data-pledged': true }, price(e.p ?? e.g)),
            ' ',
            h('span', { 'data-percent': true }),
          ),
          ' ',
          h(
            'span',
            { 'data-left': true },
            e.st === 'upcoming' && e.a ? say('launches', { moment: day(isoDay(e.a)) }) : '',
          ),
        ),
      ),
    ),
  );
}
