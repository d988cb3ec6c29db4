// Elements without a framework.
type Child = Node | string | null | undefined | false;
type Props = Readonly<Record<string, string | number | boolean | EventListener | undefined>>;

/** Makes an element: properties that begin with "on" are listeners, true is an empty attribute. */
export function h<K extends keyof HTMLElementTagNameMap>(tag: K, props: Props = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value !== undefined) element.setAttribute(name, String(value));
  }
  element.append(...children.filter((c): c is Node | string => c !== null && c !== undefined && c !== false));
  return element;
}

/** The part of the page that a script fills. */
export const app = (): HTMLElement => document.querySelector<HTMLElement>('[data-app]') ?? document.body;

/** Takes away what leads to a page that its reader has opened. */
export const arrived = (): void => document.querySelector('.lead')?.remove();

/** Shows something new and leads keyboard and reader to it. */
export function show(...children: Child[]): void {
  const place = app();
  place.replaceChildren(...children.filter((c): c is Node | string => c !== null && c !== undefined && c !== false));
}

/** Runs a task of a button once at a time: a second click while it runs is none. */
export function once(button: HTMLButtonElement, task: () => Promise<void>): () => Promise<void> {
  return async () => {
    if (button.getAttribute('aria-busy') === 'true') return;
    button.setAttribute('aria-busy', 'true');
    button.disabled = true;
    try {
      await task();
    } finally {
      button.removeAttribute('aria-busy');
      button.disabled = false;
    }
  };
}
