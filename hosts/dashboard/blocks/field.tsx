// A field of blocks. The editor is loaded when the first such field is shown.
import type { ComponentChildren } from 'preact';
import type { Field, Value, Values } from '../editor/draft.ts';
import { controlID } from '../fields/frame.tsx';
import { Lazy } from '../ui/lazy.tsx';
import type { BlockEditorProps } from './blocks.tsx';
import { say } from './words.ts';

interface Props {
  readonly field: Field;
  /** The field's path, by which focusField finds the editor. */
  readonly name: string;
  readonly value: Value;
  readonly set: (value: Value) => void;
  /** Renders the fields of a block. */
  readonly renderFields: (block: Values, set: (block: Values) => void) => ComponentChildren;
}

const load = (): Promise<{ default: (props: BlockEditorProps) => preact.JSX.Element }> => import('./blocks.tsx');

/** Edits a list of blocks. An empty list leaves the field out of the file. */
export function BlocksField({ field, name, value, set, renderFields }: Props) {
  if (value !== undefined && !Array.isArray(value)) return <p class="soft">{say('by_hand', { name: field.label })}</p>;
  return (
    <div id={controlID(name)} role="group" aria-label={field.label} tabIndex={-1}>
      <Lazy
        name="blocks"
        load={load}
        props={{
          label: field.label,
          value: (value ?? []) as readonly Values[],
          set: (blocks: readonly Values[]) => set(blocks.length ? blocks : undefined),
          types: field.fields?.find((f) => f.path === 'type')?.choices ?? [],
          renderFields,
        }}
      />
    </div>
  );
}
