// A signed-in operator for tests.
import { type Session, session } from '../session.ts';

/** Signs an operator in. */
export function signIn(operator: Partial<Session> = {}): void {
  session.value = {
    email: 'ada@fund.example',
    name: 'Ada',
    role: 'campaign',
    campaigns: ['night-ferry'],
    permissions: [],
    csrfToken: 'csrf',
    lacks: '',
    now: new Date().toISOString(),
    endsAt: '2100-01-01T00:00:00Z',
    freshUntil: '2100-01-01T00:00:00Z',
    ...operator,
  } as Session;
}
