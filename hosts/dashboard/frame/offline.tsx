import { WifiOff } from 'lucide-preact';
import { connection } from '../connection.ts';
import { retryFailed } from '../resources.ts';
import { Icon } from '../ui/icon.tsx';
import { moment } from '../words.ts';
import { say } from './words.ts';

/** A strip that states that the server is unreachable and how old the figures are. */
export function OfflineStrip() {
  const { online, at } = connection.value;
  return (
    <div role="status">
      {online ? null : (
        <div class="strip-offline">
          <Icon of={WifiOff} />
          <span class="grow">{say('offline', { time: moment(at) })}</span>
          <button type="button" class="btn sm" onClick={retryFailed}>
            {say('try_again')}
          </button>
        </div>
      )}
    </div>
  );
}
