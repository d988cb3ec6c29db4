import type { LucideIcon } from 'lucide-preact';
import type { ComponentChildren } from 'preact';
import { Icon } from './icon.tsx';

interface Props {
  readonly icon: LucideIcon;
  readonly title: string;
  readonly children?: ComponentChildren;
  readonly action?: ComponentChildren;
}

/** Shown in place of an empty list: what the list will contain, and the first step. */
export const Empty = ({ icon, title, children, action }: Props) => (
  <div class="empty">
    <span class="art">
      <Icon of={icon} />
    </span>
    <h2>{title}</h2>
    {children ? <p>{children}</p> : null}
    {action}
  </div>
);
