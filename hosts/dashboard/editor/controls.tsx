// A control for each kind of field. What it shows are the file's own values: amounts in
// dollars, and nothing where the file says nothing.
import { useState } from 'preact/hooks';
import { holds } from '../session.ts';
import { Check, Choice, Field as Labelled, Text } from '../ui/form.tsx';
import { List } from './list.tsx';
import { Media } from './media.tsx';
import type { Kind } from './upload.ts';
import { at, put, type Field, type Value, type Values } from './draft.ts';
import { say } from './words.ts';

export interface Control {
  readonly field: Field;
  readonly value: Value;
  readonly set: (value: Value) => void;
  readonly wrong: string;
  /** Of the entry that the field is in, where entries are of several types. */
  readonly type?: string;
}

export function Fields({ fields, values, set, wrong, type = '' }: { fields: readonly Field[]; values: Values; set: (values: Values) => void; wrong: (path: string) => string; type?: string }) {
  return <>{fields.filter((f) => !f.onlyTypes || f.onlyTypes.includes(type)).map((f) => <One key={f.path} field={f} value={at(values, f.path)} set={(v) => set(put(values, f.path, v))} wrong={wrong(f.path)} type={type} />)}</>;
}

function One(c: Control) {
  const { field: f, value, set, wrong } = c;
  if (!holds(f.write)) return <ReadOnly {...c} />;
  switch (f.kind) {
    case 'boolean':
      return <Check label={f.label} help={help(f)} on={value === undefined ? f.default === true : value === true} set={(on) => set(on === (f.default === true) ? undefined : on)} />;
    case 'choice':
      return <Choice label={label(f)} help={help(f)} value={text(value)} set={(v) => set(v || undefined)} choices={[...(f.required && value !== undefined ? [] : [['', standard(f)] as const]), ...(f.choices ?? []).map((o) => [o.value, o.label] as const)]} />;
    case 'choices':
      return <Several {...c} />;
    case 'money': case 'integer': case 'decimal': case 'percent': case 'rate':
      return <Amount {...c} />;
    case 'integers': case 'emails': case 'countries':
      return <Commas {...c} />;
    case 'objects': case 'blocks':
      return <List {...c} />;
    case 'object':
      return <fieldset><legend>{f.label}</legend><Fields fields={f.fields ?? []} values={typeof value === 'object' && value ? (value as Values) : {}} set={(v) => set(Object.keys(v).length ? v : undefined)} wrong={() => ''} /></fieldset>;
    case 'media':
      return <Media label={label(f)} help={help(f)} value={text(value)} kind={kindOf(c)} set={(v) => set(v || undefined)} wrong={wrong} />;
    case 'color':
      return <Text label={label(f)} help={help(f)} value={text(value)} set={(v) => set(v || undefined)} wrong={wrong} />;
    default:
      return <Text label={label(f)} help={help(f)} value={text(value)} set={(v) => set(v || undefined)} wrong={wrong} long={f.kind === 'markdown'} {...(f.maxLength ? { max: f.maxLength } : {})} />;
  }
}

/** A field that who is signed in may see and not change. */
function ReadOnly({ field: f, value }: Control) {
  const shown = value ?? f.default;
  return <Labelled label={f.label} help={f.help}>{(a) => <output {...a}>{typeof shown === 'boolean' ? say(shown ? 'yes' : 'no') : text(shown) || say('none')}</output>}</Labelled>;
}

const text = (v: Value): string => (v === undefined || v === null ? '' : typeof v === 'object' ? JSON.stringify(v) : String(v));

/** Pictures, but for films and recordings themselves. */
function kindOf({ field: f, type }: Control): Kind {
  if (f.path === 'hero_video' || f.path === 'src' && type === 'video') return 'video';
  return f.path === 'src' && type === 'audio' ? 'audio' : 'image';
}

const label = (f: Field): string => (f.required ? `${f.label} *` : f.label);

function help(f: Field): string {
  const dollars = f.kind === 'money' ? 100 : 1;
  const { min, max } = f;
  const bounds = min !== undefined && max !== undefined ? say('between', { min: text(min / dollars), max: text(max / dollars) }) : min !== undefined ? say('least', { min: text(min / dollars) }) : max !== undefined ? say('most', { max: text(max / dollars) }) : '';
  const kind = f.kind === 'datetime' ? say('datetime') : f.kind === 'month' ? say('month') : f.kind === 'media' && f.path !== 'hero_video' ? say('media') : f.kind === 'money' ? say('dollars') : f.unit ? say('unit', { unit: f.unit }) : '';
  return [f.help ?? '', kind, bounds, f.requiredWhenPublic ? say('public') : '', f.promise ? say('promise') : ''].filter(Boolean).join(' ');
}

function standard(f: Field): string {
  const chosen = f.choices?.find((o) => o.value === f.default);
  return chosen ? say('standard', { value: chosen.label }) : say('none');
}

/** A number. What isn't one stays as it was typed, and the service says so. */
function Amount({ field: f, value, set, wrong }: Control) {
  const [typed, setTyped] = useState<string | null>(null);
  const shown = typed !== null && number(typed) === value ? typed : text(value);
  const type = (t: string): void => {
    setTyped(t);
    set(number(t));
  };
  return <Text label={label(f)} help={help(f)} value={shown} set={type} wrong={wrong} />;
}

function number(typed: string): Value {
  const plain = typed.trim().replace(/^\$/, '').replaceAll(',', '');
  if (!plain) return undefined;
  return /^-?\d+(\.\d+)?$/.test(plain) ? Number(plain) : typed;
}

function Several({ field: f, value, set }: Control) {
  const on = new Set(Array.isArray(value) ? value.map(String) : []);
  const turn = (one: string, yes: boolean): void => {
    const next = (f.choices ?? []).map((o) => o.value).filter((v) => (v === one ? yes : on.has(v)));
    set(next.length ? next : undefined);
  };
  return <fieldset><legend>{f.label}</legend>{f.help ? <p class="hint">{f.help}</p> : null}{(f.choices ?? []).map((o) => <Check key={o.value} label={o.label} on={on.has(o.value)} set={(yes) => turn(o.value, yes)} />)}</fieldset>;
}

/** A list that is written on one line. */
function Commas({ field: f, value, set, wrong }: Control) {
  const [typed, setTyped] = useState<string | null>(null);
  const read = (t: string): Value => {
    const all = t.split(',').map((s) => s.trim()).filter(Boolean);
    if (!all.length) return undefined;
    if (f.kind === 'countries' && all.length === 1 && all[0] === 'everywhere') return 'everywhere';
    return f.kind === 'integers' ? all.map((s) => (/^\d+$/.test(s) ? Number(s) : s)) : all;
  };
  const written = Array.isArray(value) ? value.join(', ') : text(value);
  const shown = typed !== null && JSON.stringify(read(typed)) === JSON.stringify(value) ? typed : written;
  return (
    <Labelled label={label(f)} help={[help(f), say('commas')].filter(Boolean).join(' ')} wrong={wrong}>
      {(a) => <input {...a} value={shown} onInput={(e) => { setTyped(e.currentTarget.value); set(read(e.currentTarget.value)); }} />}
    </Labelled>
  );
}
