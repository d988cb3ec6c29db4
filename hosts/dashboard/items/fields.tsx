// The fields of an entry in its panel. Fields that supporters rely on are locked after the first
// claim, and unlocked one by one.
import { Lock } from 'lucide-preact';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { equal, type Field, valueAt, withValue } from '../editor/draft.ts';
import { ChoiceField } from '../fields/choice.tsx';
import { applies, lockReason, SchemaControl } from '../fields/field.tsx';
import { FieldFrame } from '../fields/frame.tsx';
import { Icon } from '../ui/icon.tsx';
import type { OpenEntry, ScreenProps } from './list.tsx';
import { say } from './words.ts';

interface Props extends OpenEntry {
  readonly fields: readonly Field[];
  readonly groups: ScreenProps['groups'];
  readonly errorOf: (path: string) => string;
  /** Why the promised fields are locked; "" if nothing was claimed. */
  readonly locked?: string;
  /** Renders a field differently, or returns null for the default control. */
  readonly control?: (field: Field, given: Given) => ComponentChildren;
  /** The values that empty fields inherit from the campaign, by name. */
  readonly inherited?: Readonly<Record<string, string>>;
  /** Fields that the panel does not show. */
  readonly without?: readonly string[];
}

/** The properties of a control for an entry's field. */
export interface Given {
  readonly value: unknown;
  readonly set: (value: unknown) => void;
  readonly name: string;
  readonly error: string;
  readonly changed: boolean;
  readonly locked: string | undefined;
  readonly unlock: (() => void) | undefined;
}

/** Groups whose fields are rarely changed. They are shown on demand. */
const folded = new Set(['measures', 'availability']);

export function EntryFields({
  fields,
  groups,
  entry,
  set,
  published,
  prefix,
  errorOf,
  locked,
  control,
  inherited,
  without,
}: Props) {
  const [unlocked, setUnlocked] = useState<ReadonlySet<string>>(new Set());
  const shown = fields.filter(
    (f) => !without?.includes(f.path) && applies(f, (path) => valueAt(entry, path), String(entry.type ?? '')),
  );
  const draw = (f: Field): ComponentChildren => {
    const value = valueAt(entry, f.path);
    const changed = published !== undefined && !equal(valueAt(published, f.path), value);
    const claimed = Boolean(locked) && f.locked?.rule === 'claimed' && !changed && !unlocked.has(f.path);
    const given: Given = {
      value,
      set: (v) => set(withValue(entry, f.path, v)),
      name: prefix + f.path,
      error: errorOf(prefix + f.path),
      changed,
      locked: claimed ? locked : lockReason(f),
      unlock: claimed ? () => setUnlocked(new Set([...unlocked, f.path])) : undefined,
    };
    const fallback = f.inherits ? inherited?.[f.inherits] : undefined;
    const field = fallback ? adjusted(f, { default: fallback }) : f;
    return control?.(field, given) ?? <EntryField key={f.path} field={field} {...given} />;
  };
  const headed = (key: string | undefined): readonly Field[] =>
    shown.filter((f) => f.section === key || (key === undefined && !groups.some((g) => g.key === f.section)));
  return (
    <>
      {headed(undefined).map(draw)}
      {groups.map((g) => {
        const inside = headed(g.key);
        if (!inside.length) return null;
        if (!folded.has(g.key)) return inside.map(draw);
        return (
          <details key={g.key} class="more">
            <summary>{g.label}</summary>
            <div class="grid2">{inside.map(draw)}</div>
          </details>
        );
      })}
    </>
  );
}

/** The default control of an entry's field. A choice between two values is shown as two buttons. */
export function EntryField({ field, ...given }: Given & { readonly field: Field }) {
  if (field.control === 'choice' && field.choices?.length === 2 && field.default !== undefined)
    return <Segments field={field} {...given} />;
  if (field.path === 'shipping_preset')
    return (
      <ChoiceField
        {...given}
        label={field.label}
        hint={field.help}
        value={typeof given.value === 'string' ? given.value : undefined}
        choices={field.choices ?? []}
        none={say('own_measures')}
      />
    );
  return (
    <SchemaControl
      field={field}
      {...given}
      {...(given.unlock ? { locked: given.locked ?? '' } : given.locked ? { locked: given.locked } : {})}
    />
  );
}

/** A choice between two values that are both shown. */
function Segments({ field, value, set, ...given }: Given & { readonly field: Field }) {
  const chosen = value ?? field.default;
  return (
    <FieldFrame props={{ label: field.label, ...given }} group>
      {(a) => (
        <div class="seg big" role="group" aria-labelledby={`${a.id}-label`}>
          {field.choices?.map((c, i) => (
            <button
              key={c.value}
              id={i === 0 ? a.id : undefined}
              type="button"
              aria-pressed={c.value === chosen}
              aria-disabled={a.readOnly}
              onClick={() => !a.readOnly && set(c.value)}
            >
              {c.label}
            </button>
          ))}
        </div>
      )}
    </FieldFrame>
  );
}

/** Explains why fields of an entry are locked. */
export const LockNotice = ({ strong, children }: { strong: string; children: ComponentChildren }) => (
  <div class="notice">
    <Icon of={Lock} />
    <p class="small">
      <b>{strong}</b> {children}
    </p>
  </div>
);

/** Returns a field with some properties replaced. */
export const adjusted = (f: Field, by: Partial<Field>): Field => ({ ...f, ...by });
