import { ExternalLink } from 'lucide-preact';
import { Icon } from '../ui/icon.tsx';
import { say } from './words.ts';

/** The link to a payment's page at the processor, if it is known. */
export const PaymentLink = ({ url }: { url?: string | undefined }) =>
  url ? (
    <a class="small row" href={url} target="_blank" rel="noopener noreferrer">
      {say('open_payment')}
      <Icon of={ExternalLink} small />
    </a>
  ) : null;
