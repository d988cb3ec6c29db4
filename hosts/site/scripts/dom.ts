// DOM helpers.
type Child = Node | string | null | undefined | false;
type Props = Readonly<Record<string, string | number | boolean | EventListener | undefined>>;

/**
 * Creates an element. A function becomes an event listener ("onclick"), true an empty attribute, and
 * false no attribute.
 */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value !== undefined) element.setAttribute(name, String(value));
  }
  element.append(...children.filter((c): c is Node | string => c !== null && c !== undefined && c !== false));
  return element;
}

/** Returns the element that the page's script fills. */
export const app = (): HTMLElement => document.querySelector<HTMLElement>('[data-app]') ?? document.body;

/** Sets the text of the page's heading, makes it focusable and returns it. */
export function pageHeading(text: string): HTMLElement {
  const heading = document.querySelector('h1') ?? h('h1');
  heading.textContent = text;
  heading.tabIndex = -1;
  return heading;
}

/** Removes the introduction that explains how to reach the page. */
export const removeIntroduction = (): void => document.querySelector('.lead')?.remove();

/**
 * Shows content in place of the app element's. The element is a new one, because browsers count a layout shift if an
 * element moves, even with entirely new content.
 */
export function show(...children: Child[]): void {
  const old = app();
  const nodes = children.filter((c): c is Node | string => c !== null && c !== undefined && c !== false);
  if (old === document.body) {
    old.replaceChildren(...nodes);
    return;
  }
  const container = old.cloneNode(false) as HTMLElement;
  container.append(...nodes);
  old.replaceWith(container);
}

/** Returns a function that runs a button's task, with the button disabled, and ignores calls while it is running. */
export function singleFlight(button: HTMLButtonElement, task: () => Promise<void>): () => Promise<void> {
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
