// A control for each kind of field. Values are shown as they are in the file: amounts in dollars,
// and empty if the file has no value.
import { useState } from 'preact/hooks';
import { hasPermissions } from '../session.ts';
import { Checkbox, LabelledField as Labelled, Select, TextField } from '../ui/form.tsx';
import type { Control } from './control.ts';
import { type Field, type Value, type Values, valueAt, withValue } from './draft.ts';
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
          help={help(f)}
          on={value === undefined ? f.default === true : value === true}
          set={(on) => set(on === (f.default === true) ? undefined : on)}
        />
      );
    case 'choice':
      return (
        <Select
          label={label(f)}
          help={help(f)}
          value={valueText(value)}
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
          label={label(f)}
          help={help(f)}
          value={valueText(value)}
          kind={kindOf(c)}
          set={(v) => set(v || undefined)}
          error={error}
        />
      );
    case 'color':
      return (
        <TextField
          label={label(f)}
          help={help(f)}
          value={valueText(value)}
          set={(v) => set(v || undefined)}
          error={error}
        />
      );
    default:
      return (
        <TextField
          label={label(f)}
          help={help(f)}
          value={valueText(value)}
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
          {typeof shown === 'boolean' ? say(shown ? 'yes' : 'no') : valueText(shown) || say('none')}
        </output>
      )}
    </Labelled>
  );
}

const valueText = (v: Value): string =>
  v === undefined || v === null ? '' : typeof v === 'object' ? JSON.stringify(v) : String(v);

/** Returns the kind of file that a media field takes. */
function kindOf({ field: f, type }: Control): Kind {
  if (f.path === 'hero_video' || (f.path === 'src' && type === 'video')) return 'video';
  return f.path === 'src' && type === 'audio' ? 'audio' : 'image';
}

const label = (f: Field): string => (f.required ? `${f.label} *` : f.label);

function help(f: Field): string {
  const dollars = f.kind === 'money' ? 100 : 1;
  const { min, max } = f;
  const bounds =
    min !== undefined && max !== undefined
      ? say('between', { min: valueText(min / dollars), max: valueText(max / dollars) })
      : min !== undefined
        ? say('least', { min: valueText(min / dollars) })
        : max !== undefined
          ? say('most', { max: valueText(max / dollars) })
          : '';
  const kind =
    f.kind === 'datetime'
      ? say('datetime')
      : f.kind === 'month'
        ? say('month')
        : f.kind === 'media' && f.path !== 'hero_video'
          ? say('media')
          : f.kind === 'money'
            ? say('dollars')
            : f.unit
              ? say('unit', { unit: f.unit })
              : '';
  return [f.help ?? '', kind, bounds, f.requiredWhenPublic ? say('public') : '', f.promise ? say('promise') : '']
    .filter(Boolean)
    .join(' ');
}

function defaultLabel(f: Field): string {
  const chosen = f.choices?.find((o) => o.value === f.default);
  return chosen ? say('standard', { value: chosen.label }) : say('none');
}

/** A number field. Invalid input is kept as typed, and the server reports the error. */
function NumberField({ field: f, value, set, error }: Control) {
  const [typed, setTyped] = useState<string | null>(null);
  const shown = typed !== null && number(typed) === value ? typed : valueText(value);
  const type = (t: string): void => {
    setTyped(t);
    set(number(t));
  };
  return <TextField label={label(f)} help={help(f)} value={shown} set={type} error={error} />;
}

function number(typed: string): Value {
  const plain = typed.trim().replace(/^\$/, '').replaceAll(',', '');
  if (!plain) return undefined;
  return /^-?\d+(\.\d+)?$/.test(plain) ? Number(plain) : typed;
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
  const read = (t: string): Value => {
    const all = t
      .split(',')
      .map((s) => s.trim())
      .filter(Boolean);
    if (!all.length) return undefined;
    if (f.kind === 'countries' && all.length === 1 && all[0] === 'everywhere') return 'everywhere';
    return f.kind === 'integers' ? all.map((s) => (/^\d+$/.test(s) ? Number(s) : s)) : all;
  };
  const written = Array.isArray(value) ? value.join(', ') : valueText(value);
  const shown = typed !== null && JSON.stringify(read(typed)) === JSON.stringify(value) ? typed : written;
  return (
    <Labelled label={label(f)} help={[help(f), say('commas')].filter(Boolean).join(' ')} error={error}>
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
