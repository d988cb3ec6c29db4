// Fields whose controls are widgets: dates, countries, time zones, colors and lists of short texts.
import { useMemo } from 'preact/hooks';
import { now } from '../session.ts';
import { lang } from '../words.ts';
import { isColor, isEmail } from './check.ts';
import type { Item } from './combobox.tsx';
import { FieldFrame, type FieldProps } from './frame.tsx';
import { countryItems, zoneItems } from './items.ts';
import { daysBetween, type Edge, instantOf, type Wall, wallOf } from './moment.ts';
import { Widget } from './widget.tsx';
import { say } from './words.ts';
import { formatWall, platformZone, today } from './zone.ts';

/** A field for a date and time in the format of files. A date without a time is the whole day. */
export function DateTimeField(p: FieldProps<string> & { readonly edge?: Edge; readonly min?: string }) {
  const { value = '', edge = 'starts' } = p;
  const wall = wallOf(value, edge, platformZone);
  const problem = value ? (wall ? '' : say('not_date')) : p.required ? say('required') : '';
  return (
    <FieldFrame props={p} problem={problem || (p.check?.(p.value) ?? '')}>
      {(a) => (
        <Widget
          name="MomentPicker"
          text={wall ? formatWall(wall) : value}
          props={{
            attributes: a,
            label: p.label,
            value,
            set: p.set,
            edge,
            placeholder: p.placeholder ?? say('date_placeholder'),
            min: p.min,
          }}
        />
      )}
    </FieldFrame>
  );
}

const weekdays = new Intl.DateTimeFormat(lang === 'es' ? 'es-ES' : 'en-US', { weekday: 'long', timeZone: 'UTC' });
const weekday = (w: Wall): string => weekdays.format(Date.UTC(w.year, w.month - 1, w.day));

/** How long a campaign runs, and when it ends: "Runs 40 days. Ends in 12 days, on a Tuesday." */
export function Duration({ starts, ends }: { readonly starts: unknown; readonly ends: unknown }) {
  const from = typeof starts === 'string' ? wallOf(starts, 'starts', platformZone) : undefined;
  const to = typeof ends === 'string' ? wallOf(ends, 'ends', platformZone) : undefined;
  if (!to) return null;
  const left = instantOf(to, platformZone) - now();
  const runs = from && instantOf(from, platformZone) < instantOf(to, platformZone);
  return (
    <p class="small soft" role="status">
      {runs ? <b>{say('runs', { count: daysBetween(from, to) })} </b> : null}
      {left > 0 ? say('ends_in', { count: daysBetween(today(), to), weekday: weekday(to) }) : say('ended')}
    </p>
  );
}

/** A field for a country, as its two-letter code. */
export const CountryField = (p: FieldProps<string>) => <One {...p} items={useMemo(countryItems, [])} />;

/** A field for an IANA time zone. */
export const TimeZoneField = (p: FieldProps<string>) => <One {...p} items={useMemo(zoneItems, [])} />;

/** A field for one of many values. */
function One(p: FieldProps<string> & { readonly items: readonly Item[] }) {
  const label = p.items.find((i) => i.value === p.value)?.label ?? p.value ?? '';
  const known = p.value === undefined || p.items.some((i) => i.value === p.value);
  return (
    <FieldFrame props={p} problem={(known ? '' : say('not_listed')) || (p.check?.(p.value) ?? '')}>
      {(a) => (
        <Widget
          name="Combobox"
          text={label}
          props={{
            attributes: a,
            label: p.label,
            items: p.items,
            value: p.value ? [p.value] : [],
            set: ([v]) => p.set(v),
            clearable: !p.required,
            placeholder: p.items.find((i) => i.value === p.placeholder)?.label ?? p.placeholder,
          }}
        />
      )}
    </FieldFrame>
  );
}

/**
 * A field for several countries. `everywhere` adds an option for all countries, whose value is that
 * word.
 */
export function CountriesField(p: FieldProps<readonly string[] | string> & { readonly everywhere?: boolean }) {
  const countries = useMemo(countryItems, []);
  const all = p.value === 'everywhere';
  const list = Array.isArray(p.value) ? (p.value as readonly string[]) : [];
  return (
    <FieldFrame props={p} problem={p.check?.(p.value) ?? ''}>
      {(a) => (
        <Widget
          name="Combobox"
          text={all ? say('everywhere') : list.join(', ')}
          props={{
            attributes: a,
            label: p.label,
            items: p.everywhere ? [{ value: 'everywhere', label: say('everywhere') }, ...countries] : countries,
            value: all ? ['everywhere'] : list,
            set: (next) => {
              const picked = next.filter((v) => v !== 'everywhere');
              if (next.includes('everywhere') && !all) p.set('everywhere');
              else p.set(picked.length ? picked : undefined);
            },
            multiple: true,
            placeholder: p.placeholder === 'everywhere' ? say('everywhere') : p.placeholder,
          }}
        />
      )}
    </FieldFrame>
  );
}

/** A field for a color, as a hex code. */
export const ColorField = (p: FieldProps<string> & { readonly swatches?: readonly string[] }) => (
  <FieldFrame props={p} problem={(p.value && !isColor(p.value) ? say('not_color') : '') || (p.check?.(p.value) ?? '')}>
    {(a) => (
      <Widget
        name="ColorPicker"
        text={p.value ?? ''}
        props={{
          attributes: a,
          label: p.label,
          value: p.value ?? '',
          set: (v) => p.set(v || undefined),
          fallback: p.placeholder ?? '',
          swatches: p.swatches ?? [],
        }}
      />
    )}
  </FieldFrame>
);

interface TagsFieldProps extends FieldProps<readonly string[]> {
  readonly isValid: (tag: string) => boolean;
  /** The error that is shown while a tag is invalid. */
  readonly invalid: string;
  readonly show?: (tag: string) => string;
  readonly max?: number | undefined;
  /** The placeholder after the last tag, such as "Add a day". */
  readonly adding?: string;
}

/** A field for a list of short texts. */
const TagsField = (p: TagsFieldProps) => (
  <FieldFrame
    props={p}
    problem={
      (p.value?.every(p.isValid) === false ? p.invalid : '') ||
      (p.max && (p.value?.length ?? 0) > p.max ? say('too_many', { max: p.max }) : '') ||
      (p.check?.(p.value) ?? '')
    }
  >
    {(a) => (
      <Widget
        name="Tags"
        text={(p.value ?? []).join(', ')}
        props={{
          attributes: a,
          value: p.value ?? [],
          set: (v) => p.set(v.length ? v : undefined),
          isValid: p.isValid,
          show: p.show,
          max: p.max,
          placeholder: p.placeholder,
          adding: p.adding ?? say('add'),
        }}
      />
    )}
  </FieldFrame>
);

/** A field for email addresses. */
export const EmailsField = (p: Omit<TagsFieldProps, 'isValid' | 'invalid'>) => (
  <TagsField {...p} isValid={isEmail} invalid={say('not_emails')} adding={say('add_email')} />
);

/** Describes the days that apply while the field is empty. */
function inheritedDays(days: readonly number[] | undefined, inherited: boolean | undefined): string | undefined {
  const value = days?.map((d) => say('day_n', { day: d })).join(', ');
  return value && inherited ? say('same_as_platform', { value }) : value;
}

/**
 * A field for days as whole numbers within bounds. Text that is not a number is kept in the value.
 */
export const DaysField = (
  p: Omit<FieldProps<readonly (number | string)[]>, 'placeholder'> & {
    readonly min: number;
    readonly max: number;
    readonly most?: number | undefined;
    readonly fallback?: readonly number[];
    /** The fallback comes from the platform's settings. */
    readonly inherited?: boolean;
  },
) => (
  <TagsField
    {...p}
    value={p.value?.map(String)}
    set={(tags) => p.set(tags?.map((t) => (/^\d+$/.test(t) ? Number(t) : t)))}
    check={p.check && (() => p.check?.(p.value) ?? '')}
    isValid={(t) => /^\d+$/.test(t) && Number(t) >= p.min && Number(t) <= p.max}
    invalid={say('not_days', { min: p.min, max: p.max })}
    show={(t) => say('day_n', { day: t })}
    max={p.most}
    placeholder={inheritedDays(p.fallback, p.inherited)}
    adding={say('add_day')}
  />
);
