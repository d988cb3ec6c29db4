// The dialog in which an operator confirms their identity with a passkey or an emailed code,
// without leaving the screen.
import { useEffect, useState } from 'preact/hooks';
import { APIError, type Schema } from '../../site/scripts/api.ts';
import { getWithSession, postWithSession as post } from '../../site/scripts/operator.ts';
import { verifyPasskey } from '../../site/scripts/passkeys.ts';
import { type Confirmation, pendingConfirmation } from '../changes.ts';
import { type Session, session } from '../session.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Form, TextField } from './form.tsx';
import { Loading } from './notice.tsx';
import { say } from './words.ts';

export function ConfirmAgain() {
  return pendingConfirmation.value ? <ConfirmDialog asked={pendingConfirmation.value} /> : null;
}

function ConfirmDialog({ asked }: { asked: Confirmation }) {
  const [passkeys, setPasskeys] = useState<boolean | null>(null);
  useEffect(() => {
    getWithSession<Schema['Passkeys']>('/admin/passkeys').then(
      (list) => setPasskeys(list.passkeys.length > 0),
      () => setPasskeys(false),
    );
  }, []);
  const signedIn = (s: Session): void => {
    session.value = s;
    asked.confirmed();
  };
  return (
    <Dialog title={say('confirm_title')} close={asked.dismissed}>
      <p>{say('confirm_why')}</p>
      {passkeys === null ? <Loading /> : passkeys ? <ByPasskey entered={signedIn} /> : <ByMail entered={signedIn} />}
    </Dialog>
  );
}

function ByPasskey({ entered }: { entered: (s: Session) => void }) {
  return (
    <Button task={async () => session.value && entered(await verifyPasskey(session.value))}>
      {say('confirm_passkey')}
    </Button>
  );
}

function ByMail({ entered }: { entered: (s: Session) => void }) {
  const [sent, setSent] = useState(false);
  const [code, setCode] = useState('');
  const email = session.value?.email ?? '';
  const send = async (): Promise<void> => {
    await post('/admin/auth/start', { email, preferredLang: document.documentElement.lang });
    setSent(true);
  };
  const confirm = async (): Promise<void> => {
    try {
      entered(await post<Session>('/admin/auth/sign-in', { code } satisfies Schema['SignInProof']));
    } catch (error) {
      if (error instanceof APIError && error.status === 401)
        throw new APIError(400, { ...error.problem, error: say('confirm_wrong') });
      throw error;
    }
  };
  if (!sent) return <Button task={send}>{say('confirm_mail')}</Button>;
  return (
    <Form task={confirm} submitLabel={say('confirm_go')}>
      <p role="status">{say('confirm_sent', { email })}</p>
      <TextField label={say('confirm_code')} value={code} set={setCode} required max={12} />
    </Form>
  );
}
