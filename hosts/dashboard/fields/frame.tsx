// The frame of a field: its label, hint, error, lock and change mark.
import { Lock, LockOpen } from 'lucide-preact';
import { type ComponentChildren, createContext } from 'preact';
import { useContext, useId, useState } from 'preact/hooks';
import { FieldError } from '../ui/form.tsx';
import { Icon } from '../ui/icon.tsx';
import { say } from './words.ts';

/** The properties of all fields, independent of their type of value. */
export interface FieldBase {
  readonly label: string;
  /** The label is for screen readers only, because a heading shows the same text. */
  readonly labelHidden?: boolean | undefined;
  /** The field's path, by which focusField finds its control. */
  readonly name?: string | undefined;
  readonly hint?: ComponentChildren;
  /** Shown right below the control, such as what the value means. */
  readonly below?: ComponentChildren;
  /** Shown after the label, such as "optional". */
  readonly note?: ComponentChildren;
  /** An error to show immediately, such as the server's. */
  readonly error?: string | undefined;
  /** The value that applies if the field is empty. */
  readonly placeholder?: string | undefined;
  /** The value differs from the published one. */
  readonly changed?: boolean | undefined;
  /** Why the field cannot be changed. */
  readonly locked?: string | undefined;
  /** Unlocks a locked field. */
  readonly unlock?: (() => void) | undefined;
  readonly required?: boolean | undefined;
}

/**
 * The properties of a field. A value of undefined means that the file does not contain the field.
 */
export interface FieldProps<V> extends FieldBase {
  readonly value: V | undefined;
  readonly set: (value: V | undefined) => void;
  /**
   * Returns the problem with a value, or "". It is shown when the field loses the focus, and on
   * each change afterwards.
   */
  readonly check?: ((value: V | undefined) => string) | undefined;
}

/** The attributes of a field's control. */
export interface ControlAttributes {
  readonly id: string;
  readonly 'aria-describedby'?: string | undefined;
  readonly 'aria-invalid'?: 'true' | undefined;
  readonly 'aria-required'?: 'true' | undefined;
  readonly readOnly?: boolean | undefined;
}

/** How fields are laid out: a label above the control, or a row of a settings card with the label at the left. */
export const FieldLayout = createContext<'stack' | 'row'>('stack');

/** Returns the DOM ID of the control of the field at a path. */
export const controlID = (name: string): string => `field-${name.replace(/[^\w-]+/g, '-')}`;

/** Moves the focus to the control of the field at a path, and reports whether it is on the page. */
export function focusField(name: string): boolean {
  const control = document.getElementById(controlID(name));
  if (!control) return false;
  control.closest('details')?.setAttribute('open', '');
  control.scrollIntoView({ block: 'center' });
  control.focus();
  return document.activeElement === control;
}

/**
 * The maximum length of a lock's reason that is shown next to the label instead of below the
 * control.
 */
const maxBrief = 22;

let pressed = false; // by a mouse button or a finger
for (const type of ['pointerdown', 'pointerup', 'pointercancel'])
  addEventListener(
    type,
    () => {
      pressed = type === 'pointerdown';
    },
    true,
  );

/**
 * Calls a function after the current click, because showing an error must not move the element that
 * is being clicked.
 */
function afterClick(act: () => void): void {
  if (pressed) addEventListener('pointerup', () => requestAnimationFrame(act), { once: true });
  else act();
}

interface FrameProps {
  readonly props: FieldBase;
  /** The problem with the current value, or "". */
  readonly problem?: string;
  /** Set if the control consists of several inputs. The label is then a legend. */
  readonly group?: boolean;
  readonly children: (attributes: ControlAttributes) => ComponentChildren;
}

/** A labelled control. The problem is shown after the field has lost the focus. */
export function FieldFrame({ props, problem = '', group, children }: FrameProps) {
  const { label, labelHidden, name, hint, below, note, error, changed, locked, unlock, required } = props;
  const layout = useContext(FieldLayout);
  const own = useId();
  const [left, setLeft] = useState(false);
  const id = name ? controlID(name) : own;
  const shown = error || (left ? problem : '');
  const brief = !unlock && layout === 'stack' && (locked?.length ?? 0) <= maxBrief;
  const described = [hint ? `${id}-hint` : '', locked ? `${id}-lock` : '', shown ? `${id}-error` : '']
    .filter(Boolean)
    .join(' ');
  const leave = (e: FocusEvent & { currentTarget: HTMLElement }): void => {
    if (!e.currentTarget.contains(e.relatedTarget as Node | null)) afterClick(() => setLeft(true));
  };
  const text = (
    <>
      {label}
      {note ? <span class="opt">{note}</span> : null}
    </>
  );
  const head = (
    <span class={labelHidden ? 'unseen' : 'label-row'}>
      {group ? (
        <span class="label" id={`${id}-label`}>
          {text}
        </span>
      ) : (
        <label class="label" id={`${id}-label`} for={id}>
          {text}
        </label>
      )}
      {locked ? (
        unlock ? (
          <button type="button" class="link tiny row" aria-label={say('unlock_field', { label })} onClick={unlock}>
            <Icon of={LockOpen} small />
            {say('unlock')}
          </button>
        ) : (
          <span class="lock tiny">
            <Icon of={Lock} small />
            {brief ? <span id={`${id}-lock`}>{locked}</span> : <span class="unseen">{say('locked')}</span>}
          </span>
        )
      ) : null}
    </span>
  );
  const help = (
    <>
      {hint ? (
        <span class="hint" id={`${id}-hint`}>
          {hint}
        </span>
      ) : null}
      {locked && !brief ? (
        <span class={unlock ? 'unseen' : 'hint'} id={`${id}-lock`}>
          {locked}
        </span>
      ) : null}
    </>
  );
  const control = children({
    id,
    'aria-describedby': described || undefined,
    'aria-invalid': shown ? 'true' : undefined,
    'aria-required': required ? 'true' : undefined,
    readOnly: Boolean(locked),
  });
  const wrong = shown ? <FieldError id={`${id}-error`} text={shown} /> : null;
  if (layout === 'row')
    return (
      <div class="srow" onFocusOut={leave}>
        <div>
          {head}
          {help}
        </div>
        <div class={`field ${changed ? 'changed' : ''}`}>
          {control}
          {wrong}
          {below}
        </div>
      </div>
    );
  return (
    <div class={`field ${changed ? 'changed' : ''}`} onFocusOut={leave}>
      {head}
      {control}
      {help}
      {wrong}
      {below}
    </div>
  );
}
