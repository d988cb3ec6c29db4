// The properties of a field's control.
import type { Field, Value } from './draft.ts';

export interface Control {
  readonly field: Field;
  readonly value: Value;
  readonly set: (value: Value) => void;
  readonly error: string;
  /** The type of the list entry that contains the field, for lists with several entry types. */
  readonly type?: string;
}
