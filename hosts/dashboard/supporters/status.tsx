import { Badge, type Tone } from '../ui/badge.tsx';
import { say } from './words.ts';

type Name = 'active' | 'payment_failed' | 'cancelled' | 'charged';

const tones: Readonly<Record<Name, Tone>> = { active: '', payment_failed: 'bad', cancelled: '', charged: 'good' };

/** How a pledge stands. */
export const Status = ({ of }: { of: Name }) => <Badge tone={tones[of]}>{say(of)}</Badge>;
