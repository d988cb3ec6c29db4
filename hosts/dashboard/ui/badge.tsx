import type { ComponentChildren } from 'preact';

export type Tone = '' | 'live' | 'good' | 'warn' | 'bad' | 'info' | 'outline';

/** A status label. The text carries the meaning; the color only supports it. */
export const Badge = ({ tone = '', children }: { tone?: Tone; children: ComponentChildren }) => (
  <span class={`badge ${tone}`}>{children}</span>
);

/** A row of key figures, each with its name and an optional note. */
export function KeyFigures({
  figures,
}: {
  figures: readonly (readonly [name: string, value: ComponentChildren, note?: ComponentChildren])[];
}) {
  return (
    <dl class="figs">
      {figures.map(([name, value, note]) => (
        <div key={name}>
          <dt class="fig-l">{name}</dt>
          <dd class="fig-v">{value}</dd>
          {note ? <dd class="fig-n">{note}</dd> : null}
        </div>
      ))}
    </dl>
  );
}
