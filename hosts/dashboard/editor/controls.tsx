// A control for each kind of field.
import { useState } from 'preact/hooks';
import { hasPermissions } from '../session.ts';
import { Checkbox, LabelledField as Labelled, Select, TextField } from '../ui/form.tsx';
import type { Control } from './control.ts';
import { type Field, type Value, type Values, valueAt, withValue } from './draft.ts';
import { defaultLabel, fieldHelp, fieldLabel, formatValue, parseList, parseNumber } from './fieldtext.ts';
import { List } from './list.tsx';
import { Media } from './media.tsx';
import type { Kind } from './upload.ts';
import { say } from './words.ts';

export function Fields({
  fields,
  values,
  set,
  errorOf,
  type = '',
}: {
  fields: readonly Field[];
  values: Values;
  set: (values: Values) => void;
  errorOf: (path: string) => string;
  type?: string;
}) {
  return (
    <>
      {fields
        .filter((f) => !f.onlyTypes || f.onlyTypes.includes(type))
        .map((f) => (
          <FieldControl
            key={f.path}
            field={f}
            value={valueAt(values, f.path)}
            set={(v) => set(withValue(values, f.path, v))}
            error={errorOf(f.path)}
            type={type}
          />
        ))}
    </>
  );
}

function FieldControl(c: Control) {
  const { field: f, value, set, error } = c;
  if (!hasPermissions(f.write)) return <ReadOnly {...c} />;
  switch (f.kind) {
    case 'boolean':
      return (
        <Checkbox
          label={f.label}
          help={fieldHelp(f)}
          on={value === undefined ? f.default === true : value === true}
          set={(on) => set(on === (f.default === true) ? undefined : on)}
        />
      );
    case 'choice':
      return (
        <Select
          label={fieldLabel(f)}
          help={fieldHelp(f)}
          value={formatValue(value)}
          set={(v) => set(v || undefined)}
          choices={[
            ...(f.required && value !== undefined ? [] : [['', defaultLabel(f)] as const]),
            ...(f.choices ?? []).map((o) => [o.value, o.label] as const),
          ]}
        />
      );
    case 'choices':
      return <CheckboxGroup {...c} />;
    case 'money':
    case 'integer':
    case 'decimal':
    case 'percent':
    case 'rate':
      return <NumberField {...c} />;
    case 'integers':
    case 'emails':
    case 'countries':
      return <CommaList {...c} />;
    case 'objects':
    case 'blocks':
      return (
        <List
          {...c}
          renderEntry={(entry, type, change) => (
            <Fields fields={f.fields ?? []} values={entry} type={type} set={change} errorOf={() => ''} />
          )}
        />
      );
    case 'object':
      return (
        <fieldset>
          <legend>{f.label}</legend>
          <Fields
            fields={f.fields ?? []}
            values={typeof value === 'object' && value ? (value as Values) : {}}
            set={(v) => set(Object.keys(v).length ? v : undefined)}
            errorOf={() => ''}
          />
        </fieldset>
      );
    case 'media':
      return (
        <Media
          label={fieldLabel(f)}
          help={fieldHelp(f)}
          value={formatValue(value)}
          kind={kindOf(c)}
          set={(v) => set(v || undefined)}
          error={error}
        />
      );
    case 'color':
      return (
        <TextField
          label={fieldLabel(f)}
          help={fieldHelp(f)}
          value={formatValue(value)}
          set={(v) => set(v || undefined)}
          error={error}
        />
      );
    default:
      return (
        <TextField
          label={fieldLabel(f)}
          help={fieldHelp(f)}
          value={formatValue(value)}
          set={(v) => set(v || undefined)}
          error={error}
          long={f.kind === 'markdown'}
          {...(f.maxLength ? { max: f.maxLength } : {})}
        />
      );
  }
}

/** A field that the operator may see but not change. */
function ReadOnly({ field: f, value }: Control) {
  const shown = value ?? f.default;
  return (
    <Labelled label={f.label} help={f.help}>
      {(a) => (
        <output {...a}>
          {typeof shown === 'boolean' ? say(shown ? 'yes' : 'no') : formatValue(shown) || say('none')}
        </output>
      )}
    </Labelled>
  );
}

/** Returns the kind of file that a media field takes. */
function kindOf({ field: f, type }: Control): Kind {
  if (f.path === 'hero_video' || (f.path === 'src' && type === 'video')) return 'video';
  return f.path === 'src' && type === 'audio' ? 'audio' : 'image';
}

/** A number field. Invalid input is kept as typed, and the server reports the error. */
function NumberField({ field: f, value, set, error }: Control) {
  const [typed, setTyped] = useState<string | null>(null);
  const shown = typed !== null && parseNumber(typed) === value ? typed : formatValue(value);
  const type = (t: string): void => {
    setTyped(t);
    set(parseNumber(t));
  };
  return <TextField label={fieldLabel(f)} help={fieldHelp(f)} value={shown} set={type} error={error} />;
}

function CheckboxGroup({ field: f, value, set }: Control) {
  const on = new Set(Array.isArray(value) ? value.map(String) : []);
  const turn = (one: string, yes: boolean): void => {
    const next = (f.choices ?? []).map((o) => o.value).filter((v) => (v === one ? yes : on.has(v)));
    set(next.length ? next : undefined);
  };
  return (
    <fieldset>
      <legend>{f.label}</legend>
      {f.help ? <p class="hint">{f.help}</p> : null}
      {(f.choices ?? []).map((o) => (
        <Checkbox key={o.value} label={o.label} on={on.has(o.value)} set={(yes) => turn(o.value, yes)} />
      ))}
    </fieldset>
  );
}

/** A comma-separated list. */
function CommaList({ field: f, value, set, error }: Control) {
  const [typed, setTyped] = useState<string | null>(null);
  const read = (t: string): Value => parseList(f.kind, t);
  const written = Array.isArray(value) ? value.join(', ') : formatValue(value);
  const shown = typed !== null && JSON.stringify(read(typed)) === JSON.stringify(value) ? typed : written;
  return (
    <Labelled label={fieldLabel(f)} help={[fieldHelp(f), say('commas')].filter(Boolean).join(' ')} error={error}>
      {(a) => (
        <input
          {...a}
          value={shown}
          onInput={(e) => {
            setTyped(e.currentTarget.value);
            set(read(e.currentTarget.value));
          }}
        />
      )}
    </Labelled>
  );
}
