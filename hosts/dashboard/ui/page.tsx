// The frame of a screen: its title, actions and width.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface Props {
  readonly title: string;
  /** A link to the parent screen, above the title. */
  readonly crumb?: ComponentChildren;
  /** Badges next to the title. */
  readonly badges?: ComponentChildren;
  /** A picture before the title, on wide screens. */
  readonly picture?: ComponentChildren;
  readonly lede?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly width?: '' | 'wide' | 'narrow';
  readonly children: ComponentChildren;
}

export const brand = document.body.dataset.brand ?? '';

/**
 * A screen's page. It sets the document's title, and takes the focus if no element has it after a
 * navigation.
 */
export function Page({ title, crumb, badges, picture, lede, actions, width = '', children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = brand ? `${title} · ${brand}` : title;
  }, [title]);
  useEffect(() => {
    if (!document.activeElement || document.activeElement === document.body) heading.current?.focus();
  }, []);
  return (
    <div class={`page ${width}`}>
      <header class="phead">
        {picture}
        <div class="t">
          {crumb ? <p class="crumb">{crumb}</p> : null}
          <div class="titleline">
            <h1 ref={heading} tabIndex={-1}>
              {title}
            </h1>
            {badges}
          </div>
          {lede ? <p class="lede">{lede}</p> : null}
        </div>
        {actions ? <div class="acts">{actions}</div> : null}
      </header>
      {children}
    </div>
  );
}
