import { Badge, type Tone } from '../ui/badge.tsx';
import { say } from './words.ts';

export const statuses = ['active', 'payment_failed', 'dropped', 'cancelled', 'charged'] as const;
export type PledgeStatus = (typeof statuses)[number];

const tones: Readonly<Record<PledgeStatus, Tone>> = {
  active: 'info',
  payment_failed: 'bad',
  dropped: '',
  cancelled: '',
  charged: 'good',
};

export const statusName = (status: PledgeStatus): string => say(status);

/** A pledge's status. */
export const Status = ({ status }: { status: PledgeStatus }) => (
  <Badge tone={tones[status]}>{statusName(status)}</Badge>
);
