// Fields for a choice: a list, cards, check boxes and switches.
import { useContext } from 'preact/hooks';
import { FieldFrame, FieldLayout, type FieldProps } from './frame.tsx';
import { say } from './words.ts';

export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly hint?: string;
}

interface ChoiceProps extends FieldProps<string> {
  readonly choices: readonly Choice[];
  /** The label of the empty choice; without it the value cannot be cleared. */
  readonly none?: string | undefined;
}

/** A field for one of several values, as a native list. */
export const ChoiceField = (p: ChoiceProps) => (
  <FieldFrame props={p} problem={p.check?.(p.value) ?? ''}>
    {({ readOnly, ...a }) => (
      <select
        {...a}
        class={`select ${p.locked ? 'readonly' : ''}`}
        value={p.value ?? ''}
        aria-readonly={readOnly || undefined}
        disabled={readOnly}
        onChange={(e) => p.set(e.currentTarget.value || undefined)}
      >
        {p.none !== undefined || p.value === undefined ? <option value="">{p.none ?? say('choose')}</option> : null}
        {p.value !== undefined && !p.choices.some((c) => c.value === p.value) ? (
          <option value={p.value}>{p.value}</option>
        ) : null}
        {p.choices.map((c) => (
          <option key={c.value} value={c.value}>
            {c.label}
          </option>
        ))}
      </select>
    )}
  </FieldFrame>
);

/** A field for one of a few values, as cards with explanations. */
const ChoiceCards = (p: ChoiceProps) => (
  <FieldFrame props={p} group>
    {(a) => (
      <div
        class="stack g2"
        role="radiogroup"
        aria-labelledby={`${a.id}-label`}
        aria-describedby={a['aria-describedby']}
      >
        {p.choices.map((c, i) => (
          <label key={c.value} class="choice">
            <input
              id={(p.value === undefined ? i === 0 : c.value === p.value) ? a.id : undefined}
              class="check radio"
              type="radio"
              name={a.id}
              checked={c.value === p.value}
              disabled={a.readOnly}
              onChange={() => p.set(c.value)}
            />
            <span>
              <b>{c.label}</b>
              {c.hint ? <span class="small muted choice-hint">{c.hint}</span> : null}
            </span>
          </label>
        ))}
      </div>
    )}
  </FieldFrame>
);

/** A field for several of a few values. */
export const ChoicesField = (p: FieldProps<readonly string[]> & { readonly choices: readonly Choice[] }) => {
  const chosen = new Set(p.value ?? []);
  const turn = (one: string, on: boolean): void => {
    const next = p.choices.map((c) => c.value).filter((v) => (v === one ? on : chosen.has(v)));
    p.set(next.length ? next : undefined);
  };
  return (
    <FieldFrame props={p} group problem={p.check?.(p.value) ?? ''}>
      {(a) => (
        <div class="stack g2" role="group" aria-labelledby={`${a.id}-label`} aria-describedby={a['aria-describedby']}>
          {p.choices.map((c, i) => (
            <label key={c.value} class="opt">
              <input
                id={i === 0 ? a.id : undefined}
                type="checkbox"
                class="check"
                checked={chosen.has(c.value)}
                disabled={a.readOnly}
                onChange={(e) => turn(c.value, e.currentTarget.checked)}
              />
              <span>{c.label}</span>
            </label>
          ))}
        </div>
      )}
    </FieldFrame>
  );
};

const switchRole = { role: 'switch' } as const; // checked is its aria-checked

/** An on/off switch. Its label names the feature that is on or off. */
export function ToggleField(p: FieldProps<boolean>) {
  const layout = useContext(FieldLayout);
  const control = (a: { id: string; 'aria-describedby'?: string | undefined; readOnly?: boolean | undefined }) => (
    <input
      id={a.id}
      type="checkbox"
      {...switchRole}
      class="toggle"
      checked={p.value ?? false}
      disabled={a.readOnly}
      aria-describedby={a['aria-describedby']}
      onChange={(e) => p.set(e.currentTarget.checked)}
    />
  );
  if (layout === 'row') return <FieldFrame props={p}>{control}</FieldFrame>;
  return (
    <FieldFrame props={{ ...p, label: '', hint: undefined, locked: undefined }}>
      {(a) => (
        <div class="opt">
          {control({ ...a, 'aria-describedby': `${a.id}-text`, readOnly: Boolean(p.locked) })}
          <span class="grow">
            <label for={a.id}>
              <b>{p.label}</b>
            </label>
            <span class="small muted choice-hint" id={`${a.id}-text`}>
              {p.locked ?? p.hint}
            </span>
          </span>
        </div>
      )}
    </FieldFrame>
  );
}

/** The field that determines who can see a campaign, as a single choice. */
export const VisibilityField = (p: FieldProps<string>) => (
  <ChoiceCards
    {...p}
    labelHidden
    choices={(['public', 'preview', 'hidden'] as const).map((v) => ({
      value: v,
      label: say(`visibility_${v}`),
      hint: say(`visibility_${v}_hint`),
    }))}
  />
);
