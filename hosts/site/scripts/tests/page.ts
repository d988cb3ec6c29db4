// A fake page with the properties that modules read when they are imported. english.ts and spanish.ts
// open such a page. A test imports one of them before the modules that it tests.

/** Opens an empty page with the given language and messages, for a visitor in Madrid. */
export function openPage(lang: string, messages: Readonly<Record<string, string>>): void {
  process.env.TZ = 'Europe/Madrid';
  const events = new EventTarget();
  const location = new URL('https://fund.example/');
  const page = {
    location,
    document: {
      documentElement: { lang },
      body: {
        dataset: {
          service: 'https://api.fund.example',
          zone: 'America/Denver',
          zoneNames: '{"GMT-07:00":"MST","GMT-06:00":"MDT"}',
        },
      },
      getElementById: (id: string) => (id === 'messages' ? { textContent: JSON.stringify(messages) } : null),
      querySelector: () => null,
    },
    history: {
      state: null,
      replaceState: (_state: unknown, _title: string, address: string) => {
        location.href = new URL(address, location.href).href;
      },
    },
    localStorage: new PageStorage(),
    sessionStorage: new PageStorage(),
    window: globalThis,
    addEventListener: events.addEventListener.bind(events),
    dispatchEvent: events.dispatchEvent.bind(events),
  };
  for (const [name, value] of Object.entries(page)) Object.defineProperty(globalThis, name, { value });
}

/** A fake Storage. As in browsers, its items are own properties, which Object.keys lists. */
class PageStorage {
  [key: string]: unknown;

  getItem(key: string): unknown {
    return Object.hasOwn(this, key) ? this[key] : null;
  }

  setItem(key: string, value: string): void {
    this[key] = String(value);
  }

  removeItem(key: string): void {
    delete this[key];
  }

  clear(): void {
    for (const key of Object.keys(this)) delete this[key];
  }
}
