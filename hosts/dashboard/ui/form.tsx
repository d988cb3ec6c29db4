// Fields with their names, help and what is wrong with them.
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { Refused } from '../../site/scripts/api.ts';
import { useTask } from './button.tsx';
import { Wrong } from './notice.tsx';

interface FormProps {
  readonly task: () => Promise<unknown>;
  readonly send: string;
  readonly quiet?: boolean;
  readonly disabled?: boolean;
  readonly children?: ComponentChildren | ((wrong: (field: string) => string) => ComponentChildren);
  readonly beside?: ComponentChildren;
}

/** A form whose task runs once at a time. Its children may ask what the service says of a field. */
export function Form({ task, send, quiet, disabled, children, beside }: FormProps) {
  const { busy, error, run } = useTask();
  const wrong = (field: string): string => (error instanceof Refused && error.problem.field === field ? error.problem.error : '');
  const submit = (event: Event): void => {
    event.preventDefault();
    void run(task);
  };
  return (
    <form onSubmit={submit}>
      {typeof children === 'function' ? children(wrong) : children}
      {error ? <Wrong error={error} /> : null}
      <div class="row"><button type="submit" class={quiet ? 'quiet' : ''} disabled={disabled} aria-busy={busy} aria-disabled={busy}>{send}</button>{beside}</div>
    </form>
  );
}

interface FieldProps {
  readonly label: string;
  readonly help?: string | undefined;
  readonly wrong?: string | undefined;
  readonly children: (attributes: { id: string; 'aria-describedby'?: string; 'aria-invalid'?: 'true' }) => ComponentChildren;
}

/** A labelled control with its help and its fault. */
export function Field({ label, help, wrong, children }: FieldProps) {
  const id = useId();
  const described = [help ? `${id}-help` : '', wrong ? `${id}-wrong` : ''].filter(Boolean).join(' ');
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {help ? <span class="hint" id={`${id}-help`}>{help}</span> : null}
      {children({ id, ...(described ? { 'aria-describedby': described } : {}), ...(wrong ? { 'aria-invalid': 'true' as const } : {}) })}
      {wrong ? <p class="wrong" id={`${id}-wrong`}>{wrong}</p> : null}
    </div>
  );
}

interface TextProps {
  readonly label: string;
  readonly value: string;
  readonly set: (value: string) => void;
  readonly type?: 'text' | 'email' | 'url' | 'date' | 'search' | 'number';
  readonly help?: string;
  readonly wrong?: string;
  readonly required?: boolean;
  readonly max?: number;
  readonly long?: boolean;
}

export function Text({ label, value, set, type = 'text', help, wrong, required, max, long }: TextProps) {
  return (
    <Field label={label} help={help} wrong={wrong}>
      {(a) => long
        ? <textarea {...a} rows={6} value={value} required={required} maxLength={max} onInput={(e) => set(e.currentTarget.value)} />
        : <input {...a} {...typed(type)} value={value} required={required} maxLength={max} onInput={(e) => set(e.currentTarget.value)} />}
    </Field>
  );
}

/** Preact types the roles of an input by a literal type; these have none of their own. */
const typed = (type: string): object => ({ type });

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly set: (value: string) => void;
  readonly choices: readonly (readonly [value: string, name: string])[];
  readonly help?: string;
}

export function Choice({ label, value, set, choices, help }: ChoiceProps) {
  return (
    <Field label={label} help={help}>
      {(a) => <select {...a} value={value} onChange={(e) => set(e.currentTarget.value)}>{choices.map(([v, name]) => <option key={v} value={v}>{name}</option>)}</select>}
    </Field>
  );
}

export function Check({ label, on, set, help }: { label: string; on: boolean; set: (on: boolean) => void; help?: string }) {
  const id = useId();
  return (
    <div class="field check">
      <label><input type="checkbox" checked={on} aria-describedby={help ? id : undefined} onChange={(e) => set(e.currentTarget.checked)} />{label}</label>
      {help ? <span class="hint" id={id}>{help}</span> : null}
    </div>
  );
}
