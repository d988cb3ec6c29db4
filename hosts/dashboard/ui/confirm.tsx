// To show again who one is, by a passkey or a code in a mail, without leaving the screen.
import { useEffect, useState } from 'preact/hooks';
import { Refused, type Schema } from '../../site/scripts/api.ts';
import { change as post, read } from '../../site/scripts/operator.ts';
import { use } from '../../site/scripts/passkeys.ts';
import { askedAgain, type Asked } from '../changing.ts';
import { session, type Session } from '../session.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Form, Text } from './form.tsx';
import { Loading } from './notice.tsx';
import { say } from './words.ts';

export function ConfirmAgain() {
  return askedAgain.value ? <Asking asked={askedAgain.value} /> : null;
}

function Asking({ asked }: { asked: Asked }) {
  const [passkeys, setPasskeys] = useState<boolean | null>(null);
  useEffect(() => {
    read<Schema['Passkeys']>('/admin/passkeys').then((list) => setPasskeys(list.passkeys.length > 0), () => setPasskeys(false));
  }, []);
  const entered = (s: Session): void => {
    session.value = s;
    asked.confirmed();
  };
  return (
    <Dialog title={say('confirm_title')} close={asked.putOff}>
      <p>{say('confirm_why')}</p>
      {passkeys === null ? <Loading /> : passkeys ? <ByPasskey entered={entered} /> : <ByMail entered={entered} />}
    </Dialog>
  );
}

function ByPasskey({ entered }: { entered: (s: Session) => void }) {
  return <Button task={async () => session.value && entered(await use(session.value))}>{say('confirm_passkey')}</Button>;
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
      if (error instanceof Refused && error.status === 401) throw new Refused(400, { ...error.problem, error: say('confirm_wrong') });
      throw error;
    }
  };
  if (!sent) return <Button task={send}>{say('confirm_mail')}</Button>;
  return (
    <Form task={confirm} send={say('confirm_go')}>
      <p role="status">{say('confirm_sent', { email })}</p>
      <Text label={say('confirm_code')} value={code} set={setCode} required max={12} />
    </Form>
  );
}
