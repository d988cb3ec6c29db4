// Fields for amounts, percentages and numbers with a unit.
import type { ComponentChildren } from 'preact';
import { useContext, useState } from 'preact/hooks';
import { lang } from '../words.ts';
import { amountProblem, type Bounds, numberProblem } from './check.ts';
import { FieldFrame, FieldLayout, type FieldProps } from './frame.tsx';
import { formatCents, formatNumber, parseCents, parseNumber } from './parse.ts';
import { say } from './words.ts';

/** A number, or the typed text if it is not a number. */
export type Typed = number | string;

interface NumberProps extends FieldProps<Typed>, Bounds {
  readonly unit?: string | undefined;
}

/**
 * A field for an amount. Values, bounds and the checked value are in cents. With `whole`, only
 * whole dollars are accepted.
 */
export const MoneyField = (p: Omit<NumberProps, 'unit'>) => (
  <Numeric
    {...p}
    {...(lang === 'es' ? { after: 'US$' } : { before: '$', after: 'USD' })}
    format={formatCents}
    parse={parseCents}
    problem={(v) => amountProblem(v, p)}
  />
);

/** A field for a percentage. The value is in percent. */
export const PercentField = (p: Omit<NumberProps, 'unit'>) => <NumberField {...p} unit="%" />;

/** A field for a number with its unit. */
export const NumberField = (p: NumberProps) => (
  <Numeric
    {...p}
    after={p.unit}
    format={formatNumber}
    parse={(typed) => {
      if (!typed.trim()) return undefined;
      const n = parseNumber(typed);
      return Number.isNaN(n) ? typed : n;
    }}
    problem={(v) => numberProblem(v, p)}
  />
);

interface NumericProps extends NumberProps {
  readonly before?: ComponentChildren;
  readonly after?: ComponentChildren;
  readonly format: (value: Typed | undefined) => string;
  readonly parse: (typed: string) => Typed | undefined;
  readonly problem: (value: Typed) => string;
}

/**
 * The typed text is unchanged while the field has the focus, and is formatted when it loses the
 * focus.
 */
function Numeric(p: NumericProps) {
  const { value, set, before, after, format, parse, problem, placeholder, required, check } = p;
  const [typed, setTyped] = useState<string | null>(null);
  const layout = useContext(FieldLayout);
  const wrong = value === undefined ? (required ? say('required') : '') : problem(value);
  return (
    <FieldFrame props={p} problem={wrong || (check?.(value) ?? '')}>
      {(a) => (
        <span class={`affix ${layout === 'row' ? 'w-m' : ''} ${p.locked ? 'readonly' : ''}`}>
          {before ? <span>{before}</span> : null}
          <input
            {...a}
            inputMode="decimal"
            autocomplete="off"
            placeholder={placeholder}
            value={typed !== null && parse(typed) === value ? typed : format(value)}
            onInput={(e) => {
              setTyped(e.currentTarget.value);
              set(parse(e.currentTarget.value));
            }}
            onBlur={() => setTyped(null)}
          />
          {after ? <span>{after}</span> : null}
        </span>
      )}
    </FieldFrame>
  );
}
