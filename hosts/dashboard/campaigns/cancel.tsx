import { say } from './words.ts';

/** The button that closes a dialog without doing anything. */
export const Cancel = ({ close }: { close: () => void }) => (
  <button type="button" class="btn" onClick={close}>
    {say('cancel')}
  </button>
);
