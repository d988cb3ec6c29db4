// The search field of a list.
import { Search } from 'lucide-preact';
import { Icon } from './icon.tsx';

interface SearchFieldProps {
  readonly name: string;
  readonly value: string;
  readonly set: (value: string) => void;
  readonly max?: number;
  readonly kind?: string; // classes
}

export const SearchField = ({ name, value, set, max, kind = 'grow' }: SearchFieldProps) => (
  <div class={`affix ${kind}`}>
    <Icon of={Search} small />
    <input
      type="search"
      aria-label={name}
      placeholder={name}
      value={value}
      maxLength={max}
      onInput={(e) => set(e.currentTarget.value)}
    />
  </div>
);
