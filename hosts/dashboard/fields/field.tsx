// The control of a field according to its description in the schema, for screens without a special
// control.
import type { ComponentChildren } from 'preact';
import { root } from '../../site/scripts/api.ts';
import { hasPermissions } from '../session.ts';
import { price } from '../words.ts';
import { fieldProblem, percentBounds, type SchemaField } from './check.ts';
import { ChoiceField, ChoicesField, ToggleField, VisibilityField } from './choice.tsx';
import { durationUnit, hours, unitName } from './duration.ts';
import type { FieldBase } from './frame.tsx';
import { ImageField, MediaField } from './image.tsx';
import { countryName } from './items.ts';
import { LengthField } from './length.tsx';
import { MonthField } from './month.tsx';
import { MoneyField, NumberField, PercentField, type Typed } from './number.tsx';
import {
  centsOfDollars,
  dollarsOfCents,
  formatCents,
  formatCountries,
  formatNumber,
  fractionOfPercent,
  parseCountries,
  percentOfFraction,
} from './parse.ts';
import { Lines, LongText, TextInput } from './text.tsx';
import {
  ColorField,
  CountriesField,
  CountryField,
  DateTimeField,
  DaysField,
  EmailsField,
  TimeZoneField,
} from './widgetfields.tsx';
import { say } from './words.ts';

interface SchemaFieldProps extends Omit<FieldBase, 'label'> {
  readonly field: SchemaField;
  /** The value in the format of the file. */
  readonly value: unknown;
  readonly set: (value: unknown) => void;
  readonly label?: string;
  /** Returns the problem with the value, instead of only checking the rules in the description. */
  readonly check?: () => string;
  /** Overrides the description's hint. */
  readonly hint?: ComponentChildren;
  /** The type of the list entry that contains the field, for lists with several entry types. */
  readonly type?: string;
  /** Colors to choose from. */
  readonly swatches?: readonly string[];
}

/** A field according to its description. List fields have no control here. */
export function SchemaControl({ field: f, value, set, type, swatches, check, ...given }: SchemaFieldProps) {
  const common = {
    label: f.label,
    name: f.path,
    hint: f.help,
    required: f.required,
    placeholder: inheritedText(f) ?? defaultText(f),
    locked: lockReason(f),
    ...Object.fromEntries(Object.entries(given).filter(([, v]) => v !== undefined)),
  } as FieldBase;
  const problem = check ?? (() => fieldProblem(f, value));
  const text = { ...common, value: textOf(value), set, max: f.maxLength, check: problem };
  switch (f.control) {
    case 'money':
      return (
        <MoneyField
          {...common}
          value={centsOfDollars(value)}
          set={(v) => set(dollarsOfCents(v))}
          min={f.min}
          max={f.max}
          whole={f.step === 100}
          check={problem}
        />
      );
    case 'percent':
      return f.kind === 'rate' ? (
        <PercentField
          {...common}
          {...percentBounds(f)}
          value={percentOfFraction(value)}
          set={(v) => set(fractionOfPercent(v))}
          check={problem}
        />
      ) : (
        <PercentField
          {...common}
          whole
          value={value as Typed | undefined}
          set={set}
          min={f.min}
          max={f.max}
          check={problem}
        />
      );
    case 'duration':
      return <DurationField field={f} common={common} value={value as Typed | undefined} set={set} check={problem} />;
    case 'integer':
    case 'decimal':
      return f.unit === 'hour' ? (
        <ChoiceField
          {...common}
          value={textOf(value)}
          set={(v) => set(v === undefined ? undefined : Number(v))}
          choices={hours}
          none={hours.find((h) => h.value === String(f.default))?.label ?? say('none')}
        />
      ) : (
        <NumberField
          {...common}
          value={value as Typed | undefined}
          set={set}
          min={f.min}
          max={f.max}
          whole={f.control !== 'decimal'}
          unit={unitName(f)}
          check={problem}
        />
      );
    case 'datetime':
      return <DateTimeField {...text} edge={f.path.endsWith('deadline') ? 'ends' : 'starts'} />;
    case 'month':
      return <MonthField {...text} />;
    case 'toggle':
      return (
        <ToggleField
          {...common}
          value={value === undefined ? f.default === true : value === true}
          set={(on) => set(on === (f.default === true) ? undefined : on)}
        />
      );
    case 'choice':
      if (f.path === 'visibility')
        return <VisibilityField {...common} value={textOf(value) ?? textOf(f.default)} set={set} />;
      return (
        <ChoiceField
          {...common}
          value={textOf(value)}
          set={set}
          choices={f.choices ?? []}
          none={f.required ? undefined : noneLabel(f)}
        />
      );
    case 'choices':
      return (
        <ChoicesField {...common} value={value as readonly string[] | undefined} set={set} choices={f.choices ?? []} />
      );
    case 'country':
      return <CountryField {...text} />;
    case 'countries':
      return (
        <CountriesField
          {...common}
          value={
            f.kind === 'countries'
              ? (value as readonly string[] | string | undefined)
              : parseCountries(textOf(value) ?? textOf(f.default))
          }
          set={(v) => set(f.kind === 'countries' ? v : formatCountries(v ?? [], textOf(f.default)))}
          everywhere={f.kind === 'countries'}
          placeholder={f.kind === 'countries' ? textOf(f.default) : undefined}
        />
      );
    case 'timezone':
      return <TimeZoneField {...text} />;
    case 'color':
      return <ColorField {...text} {...(swatches ? { swatches } : {})} />;
    case 'emails':
      return (
        <EmailsField
          {...common}
          value={value as readonly string[] | undefined}
          set={set}
          max={f.maxLength}
          check={problem}
        />
      );
    case 'lines':
      return (
        <Lines {...common} value={(value as readonly unknown[] | undefined)?.map(String)} set={set} check={problem} />
      );
    case 'days':
      return (
        <DaysField
          {...common}
          value={value as readonly (number | string)[] | undefined}
          set={set}
          min={f.min ?? 1}
          max={f.max ?? Number.MAX_SAFE_INTEGER}
          most={f.maxLength}
          fallback={(f.default ?? []) as readonly number[]}
          inherited={Boolean(f.inherits)}
          check={problem}
        />
      );
    case 'image':
      return <ImageField {...text} />;
    case 'media': {
      const kind = mediaKind(f, type);
      return kind === 'image' ? <ImageField {...text} /> : <MediaField {...text} kind={kind} />;
    }
    case 'length':
      return <LengthField {...text} />;
    case 'longtext':
      return <LongText {...text} rows={3} counted={f.maxLength !== undefined && f.maxLength <= 500} />;
    case 'richtext':
      return <LongText {...text} rows={6} />;
    case 'slug':
      return <TextInput {...text} before={`${location.host}${root}/campaigns/`} />;
    case 'email':
      return <TextInput {...text} type="email" />;
    case 'url':
      return <TextInput {...text} type="url" />;
    default:
      return <TextInput {...text} />;
  }
}

interface DurationProps {
  readonly field: SchemaField;
  readonly common: FieldBase;
  readonly value: Typed | undefined;
  readonly set: (value: unknown) => void;
  readonly check: () => string;
}

/** A field for a duration. It is in hours or minutes if the file's unit is seconds. */
function DurationField({ field: f, common, value, set, check }: DurationProps) {
  const [size, unit] = durationUnit(f);
  const shown = (n: number | undefined): number | undefined => (n === undefined ? undefined : n / size);
  return (
    <NumberField
      {...common}
      value={typeof value === 'number' ? value / size : value}
      set={(v) => set(typeof v === 'number' ? Math.round(v * size) : v)}
      min={shown(f.min)}
      max={shown(f.max)}
      unit={unit}
      placeholder={typeof f.default === 'number' ? formatNumber(f.default / size) : common.placeholder}
      check={check}
    />
  );
}

const textOf = (value: unknown): string | undefined =>
  value === undefined || value === null || value === '' ? undefined : String(value);

/**
 * Returns why a field can never be changed here, or undefined. Screens handle locks that depend on
 * the campaign.
 */
export function lockReason(f: SchemaField): string | undefined {
  if (f.locked?.rule === 'readOnly' || f.locked?.rule === 'computed') return f.locked.words;
  if (!f.write.length) return say('read_only');
  return hasPermissions(f.write) ? undefined : say('no_permission');
}

/** Returns the file type of a media field. */
function mediaKind(f: SchemaField, type = ''): 'image' | 'video' | 'audio' {
  if (f.path === 'src') return type === 'video' || type === 'audio' ? type : 'image';
  return 'video';
}

/**
 * Returns the value that applies if the field is empty, in the format of its control, or undefined.
 */
function defaultText(f: SchemaField): string | undefined {
  const value = f.default;
  if (value === undefined || value === null || value === '') return undefined;
  switch (f.kind) {
    case 'money':
      return formatCents(value as number);
    case 'rate':
      return formatNumber(percentOfFraction(value));
    case 'country':
      return String(value);
    default:
      return typeof value === 'number' ? formatNumber(value) : String(value);
  }
}

/**
 * Returns a note that the platform's number applies while a campaign's field is empty, or
 * undefined.
 */
function inheritedText(f: SchemaField): string | undefined {
  const value = typeof f.default === 'number' && f.inherits ? defaultText(f) : undefined;
  return value && say('same_as_platform', { value });
}

/** Returns the label of the choice that removes the field from the file. */
function noneLabel(f: SchemaField): string {
  if (f.default === undefined) return say('none');
  const label = f.choices?.find((c) => c.value === f.default)?.label ?? displayDefault(f);
  return say(f.inherits ? 'same_as_platform' : 'default_value', { value: label });
}

function displayDefault(f: SchemaField): string {
  if (typeof f.default === 'boolean') return say(f.default ? 'yes' : 'no').toLowerCase();
  if (f.kind === 'money') return price(f.default as number);
  return f.kind === 'country' ? countryName(String(f.default)) : String(f.default);
}

/** Reports whether a field applies, according to the values of the object that it belongs to. */
export const applies = (f: SchemaField, valueAt: (path: string) => unknown, type = ''): boolean =>
  f.control !== 'hidden' &&
  (!f.onlyTypes || f.onlyTypes.includes(type)) &&
  (f.onlyIf ?? []).every((c) => {
    const value = valueAt(c.field);
    const text = value === undefined || value === null ? '' : String(value);
    return c.is.includes('*') ? text !== '' : c.is.includes(text);
  });
