// A dialog that asks for the reason for a decision, which is stored in the audit log.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { ButtonKind } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Form, TextField } from '../ui/form.tsx';
import { say } from './words.ts';

interface Props {
  readonly title: string;
  readonly submitLabel: string;
  readonly kind?: ButtonKind;
  readonly task: (reason: string) => Promise<unknown>;
  readonly close: () => void;
  readonly children?: ComponentChildren;
}

/** A dialog with a required reason. It closes once the task has succeeded. */
export function ReasonDialog({ title, submitLabel, kind = 'primary', task, close, children }: Props) {
  const [reason, setReason] = useState('');
  return (
    <Dialog title={title} close={close}>
      <Form
        dialog
        task={async () => {
          await task(reason);
          close();
        }}
        submitLabel={submitLabel}
        kind={kind}
      >
        {(errorOf: (field: string) => string) => (
          <>
            {children}
            <TextField
              label={say('reason')}
              hint={say('reason_help')}
              value={reason}
              set={setReason}
              required
              max={500}
              error={errorOf('reason')}
            />
          </>
        )}
      </Form>
    </Dialog>
  );
}
