import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface Props {
  readonly title: string;
  /** The purpose of the section, shown below its title. */
  readonly hint?: ComponentChildren;
  /** Content at the end of the header: a badge, a link or buttons. */
  readonly aside?: ComponentChildren;
  /** The content has its own padding, as tables and lists do. */
  readonly flush?: boolean;
  readonly footer?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A section of a page with a heading. */
export function Card({ title, hint, aside, flush, footer, children }: Props) {
  const id = useId();
  return (
    <section class="card" aria-labelledby={id}>
      <header>
        {hint ? (
          <div class="grow stack g1">
            <h2 id={id}>{title}</h2>
            <p class="small muted">{hint}</p>
          </div>
        ) : (
          <h2 id={id}>{title}</h2>
        )}
        {aside}
      </header>
      {flush ? children : <div class="in">{children}</div>}
      {footer ? <footer>{footer}</footer> : null}
    </section>
  );
}
