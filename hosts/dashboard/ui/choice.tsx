// A filter of a list.
interface ChoiceProps {
  readonly name: string;
  readonly value: string;
  readonly set: (value: string) => void;
  readonly choices: readonly (readonly [value: string, label: string])[];
}

/** A filter with a fixed set of values. */
export const Choice = ({ name, value, set, choices }: ChoiceProps) => (
  <select
    class={`select w-m ${value ? 'on' : ''}`}
    aria-label={name}
    value={value}
    onChange={(e) => set(e.currentTarget.value)}
  >
    {choices.map(([v, label]) => (
      <option key={v} value={v}>
        {label}
      </option>
    ))}
  </select>
);
