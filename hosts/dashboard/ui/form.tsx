// Forms and labelled fields with hint and error texts.
import { CircleAlert } from 'lucide-preact';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { APIError } from '../../site/scripts/api.ts';
import { type ButtonKind, buttonClass, useTask } from './button.tsx';
import { Icon } from './icon.tsx';
import { ErrorMessage } from './notice.tsx';

interface FormProps {
  readonly task: () => Promise<unknown>;
  readonly submitLabel: string;
  readonly kind?: ButtonKind;
  /** The form consists of the body and footer of a dialog. */
  readonly dialog?: boolean;
  readonly disabled?: boolean;
  readonly children?: ComponentChildren | ((errorOf: (field: string) => string) => ComponentChildren);
  readonly actions?: ComponentChildren;
}

/**
 * A form that runs its task one at a time. If children is a function, it receives the server's
 * error for each field.
 */
export function Form({ task, submitLabel, kind = 'primary', dialog, disabled, children, actions }: FormProps) {
  const { busy, error, run } = useTask();
  const errorOf = (field: string): string =>
    error instanceof APIError && error.problem.field === field ? error.problem.error : '';
  const submit = (event: Event): void => {
    event.preventDefault();
    if (!disabled) void run(task);
  };
  const body = (
    <>
      {typeof children === 'function' ? children(errorOf) : children}
      {error ? <ErrorMessage error={error} /> : null}
    </>
  );
  const buttons = (
    <>
      <button type="submit" class={buttonClass(kind)} aria-busy={busy} aria-disabled={busy || disabled}>
        {busy ? <span class="spin" aria-hidden="true" /> : null}
        {submitLabel}
      </button>
      {actions}
    </>
  );
  return dialog ? (
    <form onSubmit={submit}>
      <div class="in">{body}</div>
      <footer>{buttons}</footer>
    </form>
  ) : (
    <form class="stack" onSubmit={submit}>
      {body}
      <div class="row wrap">{buttons}</div>
    </form>
  );
}

interface FieldAttributes {
  readonly id: string;
  readonly 'aria-describedby'?: string;
  readonly 'aria-invalid'?: 'true';
}

interface FieldProps {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
  /** Shown after the label, such as "optional". */
  readonly note?: ComponentChildren;
  readonly children: (attributes: FieldAttributes) => ComponentChildren;
}

/** A labelled control with its hint and error below. The error does not replace the hint. */
export function LabelledField({ label, hint, error, note, children }: FieldProps) {
  const id = useId();
  const described = [hint ? `${id}-hint` : '', error ? `${id}-error` : ''].filter(Boolean).join(' ');
  return (
    <div class="field">
      <label class="label" for={id}>
        {label}
        {note ? <span class="opt">{note}</span> : null}
      </label>
      {children({
        id,
        ...(described ? { 'aria-describedby': described } : {}),
        ...(error ? { 'aria-invalid': 'true' as const } : {}),
      })}
      {hint ? (
        <span class="hint" id={`${id}-hint`}>
          {hint}
        </span>
      ) : null}
      {error ? <FieldError id={`${id}-error`} text={error} /> : null}
    </div>
  );
}

export const FieldError = ({ id, text }: { id?: string; text: string }) => (
  <p class="err" id={id}>
    <Icon of={CircleAlert} small />
    <span>{text}</span>
  </p>
);

interface TextProps {
  readonly label: string;
  readonly value: string;
  readonly set: (value: string) => void;
  readonly type?: 'text' | 'email' | 'url' | 'date' | 'search' | 'number';
  readonly hint?: string;
  readonly note?: ComponentChildren;
  readonly error?: string;
  readonly required?: boolean;
  readonly max?: number;
  readonly long?: boolean;
  readonly placeholder?: string;
}

export function TextField({ label, value, set, type = 'text', long, hint, note, error, max, ...more }: TextProps) {
  const input = (e: { currentTarget: { value: string } }): void => set(e.currentTarget.value);
  return (
    <LabelledField label={label} hint={hint} note={note} error={error}>
      {(a) =>
        long ? (
          <textarea {...a} {...more} class="area" rows={6} value={value} maxLength={max} onInput={input} />
        ) : (
          <input {...a} {...more} {...inputType(type)} class="input" value={value} maxLength={max} onInput={input} />
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
  readonly hint?: string;
  readonly error?: string;
}

export function Select({ label, value, set, choices, hint, error }: ChoiceProps) {
  return (
    <LabelledField label={label} hint={hint} error={error}>
      {(a) => (
        <select {...a} class="select" value={value} onChange={(e) => set(e.currentTarget.value)}>
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

interface SwitchProps {
  readonly label: string;
  readonly on: boolean;
  readonly set: (on: boolean) => void;
  readonly hint?: string;
  readonly disabled?: boolean;
}

export const Checkbox = (props: SwitchProps) => <Option {...props} class="check" />;

/** An on/off switch. Its label names the feature that is on or off. */
export const Toggle = (props: SwitchProps) => <Option {...props} class="toggle" role="switch" />;

function Option({
  label,
  on,
  set,
  hint,
  disabled,
  class: look,
  role,
}: SwitchProps & { class: string; role?: 'switch' }) {
  const id = useId();
  return (
    <div class="field">
      <label class="opt">
        <input
          type="checkbox"
          class={look}
          role={role}
          checked={on}
          disabled={disabled}
          aria-describedby={hint ? id : undefined}
          onChange={(e) => set(e.currentTarget.checked)}
        />
        <span>{label}</span>
      </label>
      {hint ? (
        <span class="hint" id={id}>
          {hint}
        </span>
      ) : null}
    </div>
  );
}
