// An input for barcode scanners, which type a number and Enter. Scans are queued, so the next one
// can be entered before the previous response arrives.
import { useRef, useState } from 'preact/hooks';
import { Select, TextField } from '../ui/form.tsx';
import { errorText } from '../ui/notice.tsx';
import { ParcelStatus, type Result, updateParcels } from './marks.tsx';
import { say } from './parcelwords.ts';

interface Scanned {
  readonly n: number;
  readonly number: string;
  readonly result?: Result;
  readonly error?: string;
}

const maxShown = 20; // most recent scans

export function Scan({ slug, done }: { slug: string; done: () => Promise<void> }) {
  const [as, setAs] = useState<'packed' | 'sent'>('packed');
  const [typed, setTyped] = useState('');
  const [scans, setScans] = useState<readonly Scanned[]>([]);
  const count = useRef(0);
  const line = useRef<Promise<void>>(Promise.resolve());
  const scan = (event: Event): void => {
    event.preventDefault();
    const number = typed.trim();
    setTyped('');
    if (!number) return;
    const n = ++count.current;
    setScans((was) => [{ n, number }, ...was].slice(0, maxShown));
    const answer = (more: Partial<Scanned>): void =>
      setScans((was) => was.map((s) => (s.n === n ? { ...s, ...more } : s)));
    line.current = line.current.then(async () => {
      try {
        const [result] = await updateParcels(slug, [{ orderId: number, status: as }], false);
        answer(result?.problem ? { result, error: result.problem.error } : result ? { result } : {});
      } catch (error) {
        answer({ error: errorText(error) });
      }
      await done();
    });
  };
  return (
    <section class="on-screen" aria-labelledby="scan">
      <h2 id="scan">{say('scan')}</h2>
      <p>{say('scan_what')}</p>
      <form onSubmit={scan}>
        <div class="row fields">
          <Select
            label={say('scan_as')}
            value={as}
            set={(s) => setAs(s === 'sent' ? 'sent' : 'packed')}
            choices={(['packed', 'sent'] as const).map((s) => [s, say(s)])}
          />
          <TextField label={say('number')} value={typed} set={setTyped} max={160} />
        </div>
        <div class="row">
          <button type="submit">{say('scan_go')}</button>
        </div>
      </form>
      <div role="log" aria-label={say('scanned')}>
        <ol class="scans">
          {scans.map((s) => (
            <li key={s.n}>
              {s.error ? (
                <strong class="wrong">
                  {s.number}: {s.error}
                </strong>
              ) : (
                <ScanResult scan={s} />
              )}
            </li>
          ))}
        </ol>
      </div>
    </section>
  );
}

function ScanResult({ scan: { number, result } }: { scan: Scanned }) {
  if (!result?.parcel) return <span aria-busy="true">{number}</span>;
  const items = (result.items ?? [])
    .map((i) => `${i.quantity} × ${i.name}${i.variantName ? `, ${i.variantName}` : ''}`)
    .join('; ');
  return (
    <>
      <ParcelStatus status={result.parcel.status} /> <strong>{result.recipient}</strong> {items}{' '}
      <span class="small">
        {result.orderId}
        {result.outcome === 'unchanged' ? ` · ${say('was_so')}` : ''}
      </span>
    </>
  );
}
