// The fields of a form or of a list entry, by their descriptions.
import { BlocksField } from '../blocks/field.tsx';
import { applies, SchemaControl } from '../fields/field.tsx';
import { type Field, type Values, valueAt, withValue } from './draft.ts';
import { List } from './list.tsx';

const lists: readonly Field['kind'][] = ['objects', 'object'];

/** Returns the fields that are shown below a block: its type is fixed, and its text is edited in place. */
const blockFields = (f: Field): readonly Field[] =>
  (f.fields ?? []).filter((g) => g.path !== 'type' && g.path !== 'text');

export function Fields({
  fields,
  values,
  set,
  errorOf,
  type = '',
  prefix = '',
}: {
  fields: readonly Field[];
  values: Values;
  set: (values: Values) => void;
  errorOf: (path: string) => string;
  type?: string;
  /** The path of the entry that contains the fields, with a dot. */
  prefix?: string;
}) {
  return (
    <>
      {fields
        .filter((f) => applies(f, (path) => valueAt(values, path), type))
        .map((f) => {
          const control = {
            field: f,
            value: valueAt(values, f.path),
            set: (v: unknown) => set(withValue(values, f.path, v)),
            error: errorOf(f.path),
            type,
            name: prefix + f.path,
          };
          if (f.kind === 'blocks')
            return (
              <BlocksField
                key={f.path}
                field={f}
                value={control.value}
                set={control.set}
                renderFields={(block, change) => (
                  <Fields
                    fields={blockFields(f)}
                    values={block}
                    type={String(block.type)}
                    set={change}
                    errorOf={() => ''}
                  />
                )}
              />
            );
          return lists.includes(f.kind) ? (
            <List
              key={f.path}
              {...control}
              renderEntry={(entry, entryType, change) => (
                <Fields
                  fields={f.fields ?? []}
                  values={entry}
                  type={entryType}
                  set={change}
                  errorOf={() => ''}
                  prefix={`${prefix}${f.path}[${String(entry['#'] ?? '')}].`}
                />
              )}
            />
          ) : (
            <SchemaControl key={f.path} {...control} />
          );
        })}
    </>
  );
}
