// Forms and labelled fields with help and error texts.
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { APIError } from '../../site/scripts/api.ts';
import { useTask } from './button.tsx';
import { ErrorMessage } from './notice.tsx';

interface FormProps {
  readonly task: () => Promise<unknown>;
  readonly submitLabel: string;
  readonly quiet?: boolean;
  readonly disabled?: boolean;
  readonly children?: ComponentChildren | ((errorOf: (field: string) => string) => ComponentChildren);
  readonly actions?: ComponentChildren;
}

/** A form that runs its task one at a time. A children function receives the server's error for each field. */
export function Form({ task, submitLabel, quiet, disabled, children, actions }: FormProps) {
  const { busy, error, run } = useTask();
  const errorOf = (field: string): string =>
    error instanceof APIError && error.problem.field === field ? error.problem.error : '';
  const submit = (event: Event): void => {
    event.preventDefault();
    void run(task);
  };
  return (
    <form onSubmit={submit}>
      {typeof children === 'function' ? children(errorOf) : children}
      {error ? <ErrorMessage error={error} /> : null}
      <div class="row">
        <button type="submit" class={quiet ? 'quiet' : ''} disabled={disabled} aria-busy={busy} aria-disabled={busy}>
          {submitLabel}
        </button>
        {actions}
      </div>
    </form>
  );
}

interface FieldProps {
  readonly label: string;
  readonly help?: string | undefined;
  readonly error?: string | undefined;
  readonly children: (attributes: {
    id: string;
    'aria-describedby'?: string;
    'aria-invalid'?: 'true';
  }) => ComponentChildren;
}

/** A labelled control with its help and error text. */
export function LabelledField({ label, help, error, children }: FieldProps) {
  const id = useId();
  const described = [help ? `${id}-help` : '', error ? `${id}-wrong` : ''].filter(Boolean).join(' ');
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {help ? (
        <span class="hint" id={`${id}-help`}>
          {help}
        </span>
      ) : null}
      {children({
        id,
        ...(described ? { 'aria-describedby': described } : {}),
        ...(error ? { 'aria-invalid': 'true' as const } : {}),
      })}
      {error ? (
        <p class="wrong" id={`${id}-wrong`}>
          {error}
        </p>
      ) : null}
    </div>
  );
}

interface TextProps {
  readonly label: string;
  readonly value: string;
  readonly set: (value: string) => void;
  readonly type?: 'text' | 'email' | 'url' | 'date' | 'search' | 'number';
  readonly help?: string;
  readonly error?: string;
  readonly required?: boolean;
  readonly max?: number;
  readonly long?: boolean;
}

export function TextField({ label, value, set, type = 'text', help, error, required, max, long }: TextProps) {
  return (
    <LabelledField label={label} help={help} error={error}>
      {(a) =>
        long ? (
          <textarea
            {...a}
            rows={6}
            value={value}
            required={required}
            maxLength={max}
            onInput={(e) => set(e.currentTarget.value)}
          />
        ) : (
          <input
            {...a}
            {...inputType(type)}
            value={value}
            required={required}
            maxLength={max}
            onInput={(e) => set(e.currentTarget.value)}
          />
        )
      }
    </LabelledField>
  );
}

/** Widens the input type: Preact's types tie ARIA roles to literal input types. */
const inputType = (type: string): object => ({ type });

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly set: (value: string) => void;
  readonly choices: readonly (readonly [value: string, name: string])[];
  readonly help?: string;
}

export function Select({ label, value, set, choices, help }: ChoiceProps) {
  return (
    <LabelledField label={label} help={help}>
      {(a) => (
        <select {...a} value={value} onChange={(e) => set(e.currentTarget.value)}>
          {choices.map(([v, name]) => (
            <option key={v} value={v}>
              {name}
            </option>
          ))}
        </select>
      )}
    </LabelledField>
  );
}

export function Checkbox({
  label,
  on,
  set,
  help,
}: {
  label: string;
  on: boolean;
  set: (on: boolean) => void;
  help?: string;
}) {
  const id = useId();
  return (
    <div class="field check">
      <label>
        <input
          type="checkbox"
          checked={on}
          aria-describedby={help ? id : undefined}
          onChange={(e) => set(e.currentTarget.checked)}
        />
        {label}
      </label>
      {help ? (
        <span class="hint" id={id}>
          {help}
        </span>
      ) : null}
    </div>
  );
}
