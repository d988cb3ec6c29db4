// Mails in a frame. The dashboard's content security policy blocks styles in markup, so a script
// adds the mail's styles to the frame's document.

/** A mail with its styles separated from its markup. */
interface FramedMail {
  readonly html: string;
  /** The content of its style elements. */
  readonly css: string;
}

/** Extracts the styles from a mail's markup. */
export function frameMail(mail: string): FramedMail {
  const styles = /<style>(.*?)<\/style>/gs;
  return {
    css: [...mail.matchAll(styles)].map(([, css]) => css).join('\n'),
    html: mail.replace(styles, '').replace(/(<[a-z][^<>]*?) style="/gi, '$1 data-style="'),
  };
}

/** Returns a style sheet with the rules for readers with a light or a dark theme. */
export const themed = (css: string, dark: boolean): string =>
  css
    .replaceAll('(prefers-color-scheme:dark)', dark ? 'all' : 'not all')
    .replaceAll('color-scheme:light dark', `color-scheme:${dark ? 'dark' : 'light'}`);

/** Applies a mail's styles to its document, and makes its links open outside of the frame. */
export function styleMail(doc: Document, css: string, dark: boolean): void {
  const view = doc.defaultView as (Window & typeof globalThis) | null;
  if (!view) return;
  for (const element of doc.querySelectorAll<HTMLElement>('[data-style]'))
    element.style.cssText = element.dataset.style ?? '';
  for (const link of doc.querySelectorAll('a')) link.target = '_blank';
  const sheet = new view.CSSStyleSheet();
  sheet.replaceSync(themed(css, dark));
  doc.adoptedStyleSheets = [sheet];
}
