import { say } from '../appwords.ts';
import { Editor } from '../editor/editor.tsx';

/** The editor for the platform's add-ons, which are offered with every campaign. */
export default function AddOns() {
  return (
    <>
      <h1>{say('add-ons')}</h1>
      <Editor path="/admin/add-ons" of="addon" section="" />
    </>
  );
}
