// The variants of an add-on as an editable table. Tab moves between cells, Enter goes to the next
// row and adds one at the end, and pasted spreadsheet rows are filled in.
import { Plus, X } from 'lucide-preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Field, Values } from '../editor/draft.ts';
import { fieldProblem } from '../fields/check.ts';
import { centsOfDollars, dollarsOfCents, formatCents, parseCents } from '../fields/parse.ts';
import { FieldError } from '../ui/form.tsx';
import { Icon } from '../ui/icon.tsx';
import { keepKey, keyOf, moveEntry } from '../ui/order.ts';
import { Sortable } from '../ui/sortable.tsx';
import { price as priceWords } from '../words.ts';
import { cents, textOf, wholeNumber } from './entry.ts';
import { type Column, cellsOf, fill, isTable } from './paste.ts';
import { say } from './words.ts';

interface Props {
  readonly field: Field;
  readonly rows: readonly Values[];
  readonly set: (rows: readonly Values[]) => void;
  /** The property in which the variants differ, such as Size. */
  readonly option: string;
  /** The add-on's price in cents, for variants without one. */
  readonly price: number;
  /** Returns the remaining units of a variant, or undefined if unknown. */
  readonly left: (row: Values) => number | undefined;
  /** Returns the claimed units of a variant. */
  readonly claimed: (row: Values) => number;
  /** The number of remaining units at which the number is shown as a warning. */
  readonly low: number;
  readonly errorOf: (path: string) => string;
}

const dollars = (cell: string): unknown => dollarsOfCents(parseCents(cell));
const whole = (cell: string): unknown => wholeNumber(cell) ?? cell;

const columns: readonly Column[] = [
  { path: 'label', parse: (cell) => cell },
  { path: 'price', parse: dollars },
  { path: 'inventory', parse: whole },
];

export function Variants({ field, rows, set, option, price, left, claimed, low, errorOf }: Props) {
  const root = useRef<HTMLDivElement>(null);
  const most = field.maxLength ?? Number.POSITIVE_INFINITY;
  const wanted = useRef<readonly [row: number, column: number] | null>(null);
  useLayoutEffect(() => {
    if (!wanted.current) return;
    const [row, column] = wanted.current;
    root.current?.querySelectorAll<HTMLElement>('li')[row]?.querySelectorAll<HTMLElement>('input')[column]?.focus();
    wanted.current = null;
  });
  const add = (): void => {
    if (rows.length >= most) return;
    wanted.current = [rows.length, 0];
    set([...rows, { label: '' }]);
  };
  const change = (row: Values, path: string, value: unknown): void => {
    const { [path]: _, ...rest } = row;
    set(rows.map((r) => (r === row ? keepKey(row, value === undefined ? rest : { ...rest, [path]: value }) : r)));
  };
  const press = (event: KeyboardEvent, at: number, column: number): void => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    if (at === rows.length - 1) add();
    else
      root.current
        ?.querySelectorAll<HTMLElement>('li')
        [at + 1]?.querySelectorAll<HTMLElement>('input')
        [column]?.focus();
  };
  const paste = (event: ClipboardEvent, row: number, column: number): void => {
    const text = event.clipboardData?.getData('text/plain') ?? '';
    if (!isTable(text)) return;
    event.preventDefault();
    const filled = fill(rows, cellsOf(text), { row, column }, columns, most);
    set(filled.map((r, i) => (rows[i] && r !== rows[i] ? keepKey(rows[i], r) : r)));
  };
  const problems = rows.flatMap((row, i) => {
    const name = textOf(row.label) || say('row', { n: i + 1 });
    return columns.flatMap(({ path }) => {
      const f = field.fields?.find((g) => g.path === path);
      const words =
        (f && fieldProblem(f, row[path])) || belowClaimed(row, path, claimed(row)) || errorOf(`[${i}].${path}`);
      return words ? [{ row: i, path, words: `${name}, ${f?.label ?? path}: ${words}` }] : [];
    });
  });
  const isWrong = (row: number, path: string): boolean => problems.some((p) => p.row === row && p.path === path);
  return (
    <div ref={root} class="stack g3">
      <div class="variants card">
        <div class="variant-head" aria-hidden="true">
          <span />
          <span>{option}</span>
          <span>{say('price')}</span>
          <span>{say('stock')}</span>
          <span class="end">{say('left')}</span>
          <span />
        </div>
        <Sortable
          class="variant-rows"
          label={say('variants')}
          entries={rows}
          keyOf={keyOf}
          nameOf={(r, i) => textOf(r.label) || say('row', { n: i + 1 })}
          move={(from, to) => set(moveEntry(rows, from, to))}
          itemClass={() => 'variant'}
        >
          {(row, i, moves) => {
            const name = textOf(row.label) || say('row', { n: i + 1 });
            const remaining = left(row);
            const cell = (column: number, path: string) => ({
              onKeyDown: (e: KeyboardEvent) => press(e, i, column),
              onPaste: (e: ClipboardEvent) => paste(e, i, column),
              'aria-invalid': isWrong(i, path) ? ('true' as const) : undefined,
            });
            return (
              <>
                {moves.handle}
                <input
                  class="input"
                  aria-label={`${option}, ${say('row', { n: i + 1 })}`}
                  value={textOf(row.label)}
                  onInput={(e) => change(row, 'label', e.currentTarget.value)}
                  {...cell(0, 'label')}
                />
                <PriceCell
                  label={say('price_of', { name })}
                  value={row.price}
                  placeholder={formatCents(price)}
                  set={(v) => change(row, 'price', v)}
                  cell={cell(1, 'price')}
                />
                <input
                  class="input"
                  inputMode="numeric"
                  aria-label={say('stock_of', { name })}
                  value={textOf(row.inventory)}
                  onInput={(e) =>
                    change(row, 'inventory', e.currentTarget.value ? whole(e.currentTarget.value) : undefined)
                  }
                  {...cell(2, 'inventory')}
                />
                <span class={`end ${remaining !== undefined && remaining <= low ? 'low' : ''}`}>
                  <span class="unseen">{say('left')} </span>
                  {remaining ?? '—'}
                </span>
                <button
                  type="button"
                  class="btn plain icon sm"
                  aria-label={say('remove_row', { name })}
                  aria-disabled={claimed(row) > 0}
                  title={claimed(row) ? say('variant_claimed', { count: claimed(row) }) : undefined}
                  onClick={() => {
                    if (claimed(row)) return;
                    wanted.current = [Math.max(0, i - 1), 0];
                    set(rows.filter((r) => r !== row));
                  }}
                >
                  <Icon of={X} small />
                </button>
              </>
            );
          }}
        </Sortable>
      </div>
      {problems.map((p) => (
        <FieldError key={`${p.row} ${p.path}`} text={p.words} />
      ))}
      <div class="row between wrap">
        {rows.length < most ? (
          <button type="button" class="btn sm" onClick={add}>
            <Icon of={Plus} small />
            {say('add_variant')}
          </button>
        ) : null}
        <span class="small muted">{say('empty_price', { sum: priceWords(price) })}</span>
      </div>
    </div>
  );
}

function belowClaimed(row: Values, path: string, claimed: number): string {
  const stock = wholeNumber(row.inventory);
  return path === 'inventory' && stock !== undefined && stock < claimed ? say('below_claimed', { count: claimed }) : '';
}

interface CellProps {
  readonly label: string;
  readonly value: unknown;
  readonly placeholder: string;
  readonly set: (value: unknown) => void;
  readonly cell: object;
}

/** A price. The typed text is unchanged while the cell has the focus. */
function PriceCell({ label, value, placeholder, set, cell }: CellProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const shown =
    typeof value === 'string' && Number.isNaN(Number(value)) && cents(value) === 0
      ? value
      : formatCents(centsOfDollars(value));
  return (
    <span class="affix">
      <span>$</span>
      <input
        inputMode="decimal"
        aria-label={label}
        placeholder={placeholder}
        value={typed ?? shown}
        onInput={(e) => {
          setTyped(e.currentTarget.value);
          set(e.currentTarget.value ? dollars(e.currentTarget.value) : undefined);
        }}
        onBlur={() => setTyped(null)}
        {...cell}
      />
    </span>
  );
}
