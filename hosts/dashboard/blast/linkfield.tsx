import { LabelledField } from '../ui/form.tsx';
import { say } from './words.ts';

interface Props {
  readonly value: string;
  readonly set: (value: string) => void;
  readonly error: string;
}

const hasScheme = /^[a-z][a-z+.-]*:/i;

/** The address of the button. Paths on the site are typed without their leading slash. */
export function LinkField({ value, set, error }: Props) {
  const onSite = !hasScheme.test(value);
  return (
    <LabelledField label={say('url')} hint={onSite ? undefined : say('url_outside')} error={error}>
      {(a) => (
        <div class="affix">
          {onSite ? <span aria-hidden="true">/</span> : null}
          <input
            {...a}
            value={onSite ? value.replace(/^\//, '') : value}
            onInput={(e) => set(asAddress(e.currentTarget.value))}
          />
        </div>
      )}
    </LabelledField>
  );
}

function asAddress(typed: string): string {
  const text = typed.trim();
  return !text || hasScheme.test(text) ? text : `/${text.replace(/^\/+/, '')}`;
}
