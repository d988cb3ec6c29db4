// Who is signed in.
import { signal } from '@preact/signals';
import type { Schema } from '../site/scripts/api.ts';

export type Session = Schema['SessionView'];
export type Permission = 'content' | 'supporters' | 'money' | 'fulfilment' | 'mails';

export const session = signal<Session | null>(null);

let ahead = 0; // milliseconds of the service's clock before the browser's

session.subscribe((s) => {
  if (s) ahead = Date.parse(s.now) - Date.now();
});

/** The moment that it is by the service's clock: the operator's may be wrong. */
export const now = (): number => Date.now() + ahead;

/** Whether who is signed in runs the whole platform. */
export const platform = (): boolean => session.value?.role === 'super_admin';

/** Whether they may do a thing to the campaigns that are theirs. */
export function may(permission: Permission): boolean {
  return platform() || (session.value?.permissions.includes(permission) ?? false);
}

/** Whether they have all permissions that a field takes, where none at all means that it is read-only. */
export const holds = (required: readonly (Permission | 'platform')[]): boolean => required.length > 0 && required.every((p) => (p === 'platform' ? platform() : may(p)));
