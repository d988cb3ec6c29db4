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

/** Replaces the content of the app element. */
export function show(...children: Child[]): void {
  const container = app();
  container.replaceChildren(
    ...children.filter((c): c is Node | string => c !== null && c !== undefined && c !== false),
  );
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
