// Lists and blocks inside a form. The fields of their entries are nested in them.
import { BlocksField } from '../blocks/field.tsx';
import { applies, SchemaControl } from '../fields/field.tsx';
import { type Field, type Value, type Values, valueAt, withValue } from './draft.ts';
import { List } from './list.tsx';

export const isNested = (f: Field): boolean => ['objects', 'object', 'blocks'].includes(f.kind);

export interface NestedProps {
  readonly field: Field;
  /** The field's path in the form. */
  readonly path: string;
  readonly value: Value;
  readonly set: (value: Value) => void;
  readonly errorOf: (path: string) => string;
}

export function Nested({ field, path, value, set, errorOf }: NestedProps) {
  const entry = (fields: readonly Field[], values: Values, change: (values: Values) => void, at: string) => (
    <EntryFields fields={fields} values={values} set={change} errorOf={errorOf} prefix={`${path}[${at}].`} />
  );
  if (field.kind === 'blocks')
    return (
      <BlocksField
        field={field}
        name={path}
        value={value}
        set={set}
        renderFields={(block, change) => entry(blockFields(field), block, change, '')}
      />
    );
  return (
    <List
      field={field}
      value={value}
      set={set}
      error={errorOf(path)}
      renderEntry={(values, change, at) => entry(field.fields ?? [], values, change, at)}
    />
  );
}

/** Returns the fields that are shown below a block: its type is fixed, and its text is edited in place. */
const blockFields = (f: Field): readonly Field[] =>
  (f.fields ?? []).filter((g) => g.path !== 'type' && g.path !== 'text');

interface EntryProps {
  readonly fields: readonly Field[];
  readonly values: Values;
  readonly set: (values: Values) => void;
  readonly errorOf: (path: string) => string;
  /** The entry's path in the form, with a dot. */
  readonly prefix: string;
}

function EntryFields({ fields, values, set, errorOf, prefix }: EntryProps) {
  const type = String(values.type ?? '');
  return (
    <>
      {fields
        .filter((f) => applies(f, (path) => valueAt(values, path), type))
        .map((f) => {
          const path = prefix + f.path;
          const value = valueAt(values, f.path);
          const change = (v: Value): void => set(withValue(values, f.path, v));
          return isNested(f) ? (
            <Nested key={f.path} field={f} path={path} value={value} set={change} errorOf={errorOf} />
          ) : (
            <SchemaControl
              key={f.path}
              field={f}
              name={path}
              value={value}
              set={change}
              error={errorOf(path)}
              type={type}
            />
          );
        })}
    </>
  );
}
