// The button that creates a campaign. Its dialog is loaded on demand.
import { Plus } from 'lucide-preact';
import { useState } from 'preact/hooks';
import { Icon } from '../ui/icon.tsx';
import { Lazy } from '../ui/lazy.tsx';
import type { Summary } from './summary.ts';
import { say } from './words.ts';

export function CreateButton() {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="btn primary" onClick={() => setOpen(true)}>
        <Icon of={Plus} />
        {say('create')}
      </button>
      {open ? <CreateDialog close={() => setOpen(false)} /> : null}
    </>
  );
}

/** The dialog that creates a campaign, or a copy of `copied` if it is set. */
export const CreateDialog = (props: { readonly copied?: Summary; readonly close: () => void }) => (
  <Lazy name="create" load={() => import('./create.tsx')} props={props} />
);
