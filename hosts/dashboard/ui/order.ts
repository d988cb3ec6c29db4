// Moves entries within a list, by pointer or by keyboard.

/** Returns a copy of a list in which the entry at one index is moved to another. */
export function moveEntry<T>(list: readonly T[], from: number, to: number): readonly T[] {
  const next = [...list];
  next.splice(to, 0, ...next.splice(from, 1));
  return next;
}

/** An entry that is being moved with the keyboard: its original and its current index. */
export interface Lift {
  readonly from: number;
  readonly at: number;
}

/** Returns the lift after a key press, null if the key ends it, or undefined for other keys. */
export function pressKey({ from, at }: Lift, key: string, length: number): Lift | null | undefined {
  switch (key) {
    case 'ArrowUp':
    case 'ArrowLeft':
      return { from, at: Math.max(0, at - 1) };
    case 'ArrowDown':
    case 'ArrowRight':
      return { from, at: Math.min(length - 1, at + 1) };
    case 'Home':
      return { from, at: 0 };
    case 'End':
      return { from, at: length - 1 };
    case 'Escape':
      return { from, at: from };
    case 'Tab':
      return null;
    default:
      return undefined;
  }
}

const keys = new WeakMap<object, string>();
let created = 0;

/** Returns a key that identifies a list entry. Entries without one get a new key. */
export function keyOf(entry: object): string {
  const known = keys.get(entry);
  if (known) return known;
  created += 1;
  keys.set(entry, `entry-${created}`);
  return `entry-${created}`;
}

/** Gives a changed copy of an entry the key of the original. */
export function keepKey<T extends object>(original: object, copy: T): T {
  keys.set(copy, keyOf(original));
  return copy;
}
