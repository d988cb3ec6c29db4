// Links to the views of one screen, in a row that scrolls on narrow screens.
import { useCurrentInView } from './inview.ts';

interface Props<K extends string> {
  readonly label: string;
  readonly tabs: readonly { readonly key: K; readonly name: string; readonly count?: string | undefined }[];
  readonly current: K;
  /** The link of a view. */
  readonly href: (key: K) => string;
}

export function ViewTabs<K extends string>({ label, tabs, current, href }: Props<K>) {
  const list = useCurrentInView<HTMLElement>(current);
  return (
    <nav ref={list} class="viewtabs" aria-label={label}>
      {tabs.map((t) => (
        <a key={t.key} href={href(t.key)} aria-current={t.key === current ? 'page' : undefined}>
          {t.name}
          {t.count === undefined ? null : (
            <>
              {' '}
              <span class="n">{t.count}</span>
            </>
          )}
        </a>
      ))}
    </nav>
  );
}
