import { Badge, type Tone } from '../ui/badge.tsx';
import { say } from './words.ts';

export const statuses = ['active', 'payment_failed', 'dropped', 'cancelled', 'charged'] as const;
/** The statuses of charged pledges with a refund or a dispute, which only operators who may see money get. */
export const reversals = ['refunded', 'partly_refunded', 'disputed', 'dispute_lost'] as const;
export type BaseStatus = (typeof statuses)[number];
export type PledgeStatus = BaseStatus | (typeof reversals)[number];

const tones: Readonly<Record<PledgeStatus, Tone>> = {
  active: 'info',
  payment_failed: 'bad',
  dropped: '',
  cancelled: '',
  charged: 'good',
  refunded: '',
  partly_refunded: '',
  disputed: 'warn',
  dispute_lost: 'bad',
};

export const statusName = (status: PledgeStatus): string => say(status);

/** A pledge's status. */
export const Status = ({ status }: { status: PledgeStatus }) => (
  <Badge tone={tones[status]}>{statusName(status)}</Badge>
);
