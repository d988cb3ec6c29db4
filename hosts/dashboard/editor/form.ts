// The state that an editor's screens share: the values of an opened file, and the problems of each
// field.
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import type { Edit, Field, Value, Values } from './draft.ts';
import type { Problem } from './problems.ts';
import type { Section } from './usedraft.ts';

export type Opened = Schema['ContentFile'];

export interface EditorForm {
  readonly of: 'campaign' | 'addon' | 'settings';
  readonly slug: string | undefined;
  readonly opened: Opened;
  /** The sections with the fields that the operator may read. */
  readonly sections: readonly Section[];
  /** The draft's values, and the published ones. */
  readonly values: Values;
  readonly published: Values;
  readonly changed: readonly Edit[];
  /** Sets the value at a path, such as goal_amount or custom_amount.min. */
  readonly set: (path: string, value: Value) => void;
  /** Whether the value at a path differs from the published one. */
  readonly isChanged: (path: string) => boolean;
  /** Returns the error that the server reported for a path, until its value changes. */
  readonly errorOf: (path: string) => string;
  /** The problems that the save bar counts. */
  readonly problems: readonly Problem[];
  readonly locks: Locks;
}

/** The conditions that determine whether a campaign's fields are locked. */
interface Locks {
  /** The campaign is public and has started. */
  readonly started: boolean;
  readonly supporters: number;
}

export const FormContext = createContext<EditorForm | null>(null);

/** Returns the form of the open editor. */
export function useForm(): EditorForm {
  const form = useContext(FormContext);
  if (!form) throw new Error('not inside an editor');
  return form;
}

/** Returns the section that contains a field, and the field's description. */
export function findField(sections: readonly Section[], path: string): { section: Section; field: Field } | undefined {
  for (const section of sections) {
    const field = section.fields.find((f) => f.path === path);
    if (field) return { section, field };
  }
  return undefined;
}
