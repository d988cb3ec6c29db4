import type { ComponentChildren } from 'preact';

export type Tone = '' | 'good' | 'warn' | 'bad';

/** A status label. The text carries the meaning; the color only supports it. */
export const Badge = ({ tone = '', children }: { tone?: Tone; children: ComponentChildren }) => (
  <span class={`state ${tone}`}>{children}</span>
);

/** A row of key figures, each with its name. */
export function KeyFigures({
  figures,
}: {
  figures: readonly (readonly [name: string, value: ComponentChildren, more?: ComponentChildren])[];
}) {
  return (
    <dl class="key-figures">
      {figures.map(([name, value, more]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {value}
            {more ? <span class="small">{more}</span> : null}
          </dd>
        </div>
      ))}
    </dl>
  );
}
