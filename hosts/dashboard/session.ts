// The signed-in operator's session and permissions.
import { signal } from '@preact/signals';
import type { Schema } from '../site/scripts/api.ts';

export type Session = Schema['SessionView'];
export type Permission = 'content' | 'supporters' | 'money' | 'fulfilment' | 'mails' | 'refunds';

export const session = signal<Session | null>(null);

let clockOffset = 0; // milliseconds by which the server's clock is ahead of the browser's

session.subscribe((s) => {
  if (s) clockOffset = Date.parse(s.now) - Date.now();
});

/** Returns the current time by the server's clock, because the operator's clock may be wrong. */
export const now = (): number => Date.now() + clockOffset;

/** Reports whether the signed-in operator is a super admin. */
export const isSuperAdmin = (): boolean => session.value?.role === 'super_admin';

/** Reports whether the operator has a permission for their campaigns. */
export function hasPermission(permission: Permission): boolean {
  return isSuperAdmin() || (session.value?.permissions.includes(permission) ?? false);
}

/** Reports whether the operator has all required permissions. An empty list permits no one: the field is read-only. */
export const hasPermissions = (required: readonly (Permission | 'platform')[]): boolean =>
  required.length > 0 && required.every((p) => (p === 'platform' ? isSuperAdmin() : hasPermission(p)));
