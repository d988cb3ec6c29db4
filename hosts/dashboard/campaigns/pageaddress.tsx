// The address of a campaign's public page, below its title.
import { Copy, Globe } from 'lucide-preact';
import { Icon } from '../ui/icon.tsx';
import { toast } from '../ui/toast.tsx';
import { pageOf } from './actions.tsx';
import type { Summary } from './summary.ts';
import { deadlineWords } from './time.ts';
import { say } from './words.ts';

/** The campaign's public address, and the deadline of a campaign that has ended. */
export function Address({ campaign: c }: { campaign: Summary }) {
  const address = new URL(pageOf(c), location.href).href;
  const copy = (): void =>
    void navigator.clipboard.writeText(address).then(() => {
      toast(say('link_copied'));
    });
  return (
    <span class="row wrap small campaign-address">
      {c.published ? (
        <>
          <span class="row">
            <Icon of={Globe} small />
            <a href={address} target="_blank" rel="noopener">
              {address.replace(/^https?:\/\/|\/$/g, '')}
            </a>
          </span>
          <button type="button" class="link small row" onClick={copy}>
            <Icon of={Copy} small />
            {say('copy_link')}
          </button>
        </>
      ) : null}
      {c.state === 'ended' ? <span>{say('ended_at', { moment: deadlineWords(c) })}</span> : null}
    </span>
  );
}
