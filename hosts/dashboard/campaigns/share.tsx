// A button that opens the dialog which shares a preview of a campaign.
import type { LucideIcon } from 'lucide-preact';
import { useState } from 'preact/hooks';
import { hasPermission } from '../session.ts';
import { Icon } from '../ui/icon.tsx';
import { Lazy } from '../ui/lazy.tsx';
import { say } from './reviewwords.ts';
import type { Summary } from './summary.ts';

export function SharePreview({ campaign, icon }: { campaign: Summary; icon: LucideIcon }) {
  const [open, setOpen] = useState(false);
  if (!hasPermission('content')) return null;
  return (
    <>
      <button type="button" class="btn" onClick={() => setOpen(true)}>
        <Icon of={icon} />
        {say('share')}
      </button>
      {open ? (
        <Lazy
          name="reviewers"
          load={() => import('./reviewers.tsx')}
          props={{ campaign, close: () => setOpen(false) }}
        />
      ) : null}
    </>
  );
}
