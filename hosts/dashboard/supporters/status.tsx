import { Badge, type Tone } from '../ui/badge.tsx';
import { say } from './words.ts';

type Name = 'active' | 'payment_failed' | 'cancelled' | 'charged';

const tones: Readonly<Record<Name, Tone>> = { active: '', payment_failed: 'bad', cancelled: '', charged: 'good' };

/** A pledge's status. */
export const Status = ({ status }: { status: Name }) => <Badge tone={tones[status]}>{say(status)}</Badge>;
