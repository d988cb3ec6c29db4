import { useState } from 'preact/hooks';
import { announce } from '../../site/scripts/words.ts';
import { say } from './words.ts';

interface Props {
  readonly text: string;
  /** The button's label; default "Copy". */
  readonly label?: string;
  /** The kind of a button in the size of other actions; without it the button is small. */
  readonly kind?: '' | 'primary';
}

/** A button that copies a text to the clipboard and announces it. */
export function Copy({ text, label = say('copy'), kind }: Props) {
  const [copied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    announce(say('copied'));
  };
  return (
    <button type="button" class={kind === undefined ? 'btn sm' : `btn ${kind}`} onClick={() => void copy()}>
      {copied ? say('copied') : label}
    </button>
  );
}
