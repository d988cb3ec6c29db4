// A switch between a few views, whose names are all visible.
interface SegmentsProps<V extends string> {
  readonly name: string;
  readonly value: V;
  readonly set: (value: V) => void;
  readonly choices: readonly (readonly [value: V, label: string])[];
}

export const Segments = <V extends string>({ name, value, set, choices }: SegmentsProps<V>) => (
  <div class="seg" role="group" aria-label={name}>
    {choices.map(([v, label]) => (
      <button key={v} type="button" aria-pressed={v === value} onClick={() => set(v)}>
        {label}
      </button>
    ))}
  </div>
);
