// Fields for text.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { count } from '../words.ts';
import { textProblem } from './check.ts';
import { FieldFrame, type FieldProps } from './frame.tsx';
import { linesOf } from './parse.ts';
import { say } from './words.ts';

interface TextProps extends FieldProps<string> {
  readonly type?: 'text' | 'email' | 'url' | undefined;
  /**
   * The maximum number of characters. Longer text is kept with an error, so that pasted text is not
   * cut off.
   */
  readonly max?: number | undefined;
  /** Shown inside the control, before and after the text. */
  readonly before?: ComponentChildren;
  readonly after?: ComponentChildren;
  /** Shows how many of the allowed characters are used. */
  readonly counted?: boolean | undefined;
  readonly autofocus?: boolean | undefined;
}

/** A field for one line of text. */
export function TextInput(p: TextProps) {
  const { value = '', set, type = 'text', before, after, placeholder } = p;
  return (
    <FieldFrame props={withCount(p)} problem={problem(p)}>
      {(a) => {
        const input = (
          <input
            {...a}
            {...({ type } as object)}
            class={before || after ? '' : `input ${p.locked ? 'readonly' : ''}`}
            value={value}
            placeholder={placeholder}
            autofocus={p.autofocus}
            onInput={(e) => set(e.currentTarget.value || undefined)}
          />
        );
        return before || after ? (
          <span class={`affix ${p.locked ? 'readonly' : ''}`}>
            {before ? <span>{before}</span> : null}
            {input}
            {after ? <span>{after}</span> : null}
          </span>
        ) : (
          input
        );
      }}
    </FieldFrame>
  );
}

/** A field for several lines of text. */
export function LongText(p: TextProps & { readonly rows?: number }) {
  const { value = '', set, placeholder, rows = 2 } = p;
  return (
    <FieldFrame props={withCount(p)} problem={problem(p)}>
      {(a) => (
        <textarea
          {...a}
          class={`area ${p.locked ? 'readonly' : ''}`}
          rows={rows}
          value={value}
          placeholder={placeholder}
          onInput={(e) => set(e.currentTarget.value || undefined)}
        />
      )}
    </FieldFrame>
  );
}

/** A field for a list of short texts, one per line. Empty lines are ignored. */
export function Lines(p: FieldProps<readonly string[]>) {
  const { value = [], set, placeholder } = p;
  const [typed, setTyped] = useState('');
  const text = linesOf(typed).join('\n') === value.join('\n') ? typed : value.join('\n');
  return (
    <FieldFrame props={p} problem={p.check?.(value) ?? ''}>
      {(a) => (
        <textarea
          {...a}
          class={`area ${p.locked ? 'readonly' : ''}`}
          rows={Math.max(3, value.length + 1)}
          value={text}
          placeholder={placeholder}
          onInput={(e) => {
            const lines = linesOf(e.currentTarget.value);
            setTyped(e.currentTarget.value);
            set(lines.length ? lines : undefined);
          }}
        />
      )}
    </FieldFrame>
  );
}

/** Adds "84 of 160 characters" to the hint. */
function withCount(p: TextProps): TextProps {
  if (!p.counted || !p.max) return p;
  const used = say('characters', { used: count([...(p.value ?? '')].length), max: count(p.max) });
  return { ...p, hint: p.hint ? `${used} ${String(p.hint)}` : used };
}

const problem = ({ value, max, required, check }: TextProps): string =>
  textProblem(value, max, required) || (check?.(value) ?? '');
