import { Editor } from '../editor/editor.tsx';
import { say } from '../appwords.ts';

/** The add-ons that the platform sells with every campaign. */
export default function AddOns() {
  return <><h1>{say('add-ons')}</h1><Editor path="/admin/add-ons" of="addon" section="" /></>;
}
