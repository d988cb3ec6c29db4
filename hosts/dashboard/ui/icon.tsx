import type { LucideIcon } from 'lucide-preact';

/** A decorative icon. The text beside it, or its button's label, carries the meaning. */
export const Icon = ({ of: Drawn, small }: { of: LucideIcon; small?: boolean }) => (
  <Drawn class={small ? 'i sm' : 'i'} aria-hidden="true" />
);
