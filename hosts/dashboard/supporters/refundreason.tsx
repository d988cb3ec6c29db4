// The fields for the reason of a refund and the message in the email about it.
import type { Schema } from '../../site/scripts/api.ts';
import { Select, TextField } from '../ui/form.tsx';
import { say } from './refundreasonwords.ts';

export type Reason = Schema['RefundRequest']['reason'];

/** What the operator has entered. */
export interface Grounds {
  readonly reason: Reason;
  readonly message: string;
}

interface Props {
  readonly value: Grounds;
  readonly set: (value: Grounds) => void;
  /** The reasons to choose from; the last one is chosen for an unknown value. */
  readonly reasons: readonly [...Reason[], 'other'];
  /** Whether the message is for several supporters. */
  readonly several?: boolean;
  readonly errorOf: (field: string) => string;
}

export function RefundGrounds({ value, set, reasons, several = false, errorOf }: Props) {
  return (
    <>
      <Select
        label={say('reason')}
        value={value.reason}
        set={(chosen) => set({ ...value, reason: reasons.find((r) => r === chosen) ?? 'other' })}
        choices={reasons.map((r) => [r, say(r)] as const)}
        error={errorOf('reason')}
      />
      <TextField
        label={say(several ? 'message_to_all' : 'message')}
        hint={say('message_hint')}
        value={value.message}
        set={(message) => set({ ...value, message })}
        max={1000}
        long
        error={errorOf('message')}
      />
    </>
  );
}
