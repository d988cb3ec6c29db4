// The parcels of a disputed pledge: why they are held, and the operator's choice to release or hold them.
import { useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { change, newChangeID } from '../changes.ts';
import { ReasonDialog } from '../settlement/reasondialog.tsx';
import { Notice } from '../ui/notice.tsx';
import { toast } from '../ui/toast.tsx';
import { say } from './disputewords.ts';

type Pledge = Schema['SupporterTimeline']['pledges'][number];

interface Props {
  readonly slug: string;
  readonly pledge: Pledge;
  readonly reload: () => Promise<void>;
}

export function ParcelHold({ slug, pledge, reload }: Props) {
  const [asking, setAsking] = useState(false);
  const held = pledge.heldReason;
  if (!held && !pledge.canHold) return null;
  const button = pledge.canHold ? (
    <div>
      <button type="button" class="btn sm" onClick={() => setAsking(true)}>
        {say(held ? 'release' : 'hold')}…
      </button>
    </div>
  ) : null;
  return (
    <>
      {held ? (
        <Notice tone="warn">
          <b>{say('held')}</b>
          <p class="small">{say(`held_${held}`)}</p>
          {button}
        </Notice>
      ) : (
        button
      )}
      {asking ? (
        <ChoiceDialog
          slug={slug}
          pledge={pledge}
          choice={held ? 'release' : 'hold'}
          reload={reload}
          close={() => setAsking(false)}
        />
      ) : null}
    </>
  );
}

interface ChoiceProps extends Props {
  readonly choice: Schema['HoldRequest']['choice'];
  readonly close: () => void;
}

function ChoiceDialog({ slug, pledge, choice, reload, close }: ChoiceProps) {
  const [changeId] = useState(newChangeID);
  const choose = async (reason: string): Promise<void> => {
    await change<Schema['ParcelHold']>(`/admin/disputes/${slug}/parcels`, {
      orderId: pledge.orderId,
      choice,
      reason,
      changeId,
    } satisfies Schema['HoldRequest']);
    await reload();
    toast(say(`${choice}_done`));
  };
  return (
    <ReasonDialog title={say(`${choice}_title`)} submitLabel={say(choice)} task={choose} close={close}>
      <p>{say(`${choice}_hint`)}</p>
    </ReasonDialog>
  );
}
