import type { ComponentChildren } from 'preact';

export type Tone = '' | 'good' | 'warn' | 'bad';

/** A word for a state. The word says it; the colour only helps. */
export const Badge = ({ tone = '', children }: { tone?: Tone; children: ComponentChildren }) => <span class={`state ${tone}`}>{children}</span>;

/** A few figures beside each other, each with what it is. */
export function Figures({ of }: { of: readonly (readonly [name: string, value: ComponentChildren, more?: ComponentChildren])[] }) {
  return <dl class="key-figures">{of.map(([name, value, more]) => <div key={name}><dt>{name}</dt><dd>{value}{more ? <span class="small">{more}</span> : null}</dd></div>)}</dl>;
}
