// A field of the open editor by its path.
import type { ComponentChildren } from 'preact';
import { applies, SchemaControl } from '../fields/field.tsx';
import { type Field, type Value, valueAt } from './draft.ts';
import { type EditorForm, findField, useForm } from './form.ts';
import { isNested, Nested } from './nested.tsx';
import { problemAt } from './problems.ts';
import { say } from './words.ts';

interface Props {
  readonly path: string;
  readonly hint?: ComponentChildren;
  readonly label?: string;
  readonly labelHidden?: boolean | undefined;
  readonly note?: ComponentChildren;
  readonly below?: ComponentChildren;
  readonly swatches?: readonly string[];
  readonly placeholder?: string | undefined;
}

/**
 * A field of the open editor. It is hidden if it does not currently apply or the operator may not
 * read it.
 */
export function FormField({ path, ...given }: Props) {
  const form = useForm();
  const found = findField(form.sections, path);
  const field = found?.field;
  if (!field || !applies(field, (p) => valueAt(form.values, p))) return null;
  const value = valueAt(form.values, path);
  const set = (v: Value): void => form.set(path, v);
  if (isNested(field)) return <Nested field={field} path={path} value={value} set={set} errorOf={form.errorOf} />;
  return (
    <SchemaControl
      {...given}
      field={field}
      name={path}
      value={value}
      set={set}
      check={() => problemAt(field, form.values, found.section.fields)}
      error={form.errorOf(path)}
      changed={form.isChanged(path)}
      hint={given.hint ?? changeHint(form, field)}
      locked={lockOf(form, field)}
    />
  );
}

/** Returns why a field is locked in the campaign's current state. */
function lockOf(form: EditorForm, f: Field): string | undefined {
  return f.locked?.rule === 'started' && form.locks.started && !form.isChanged(f.path) ? f.locked.words : undefined;
}

/** Returns the consequence of changing a field that supporters rely on, or the field's own hint. */
function changeHint(form: EditorForm, f: Field): ComponentChildren {
  const { supporters } = form.locks;
  if (f.locked?.rule !== 'pledged' || !supporters || !form.isChanged(f.path)) return f.help;
  return say('relied', { count: supporters });
}
