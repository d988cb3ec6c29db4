// A field for a scanner, which types a number and Enter. It's ready for the next number
// before the first is answered: they wait in line.
import { useRef, useState } from 'preact/hooks';
import { sentence } from '../ui/notice.tsx';
import { Choice, Text } from '../ui/form.tsx';
import { mark, ParcelStatus, type Result } from './marks.tsx';
import { say } from './parcelwords.ts';

interface Scanned {
  readonly n: number;
  readonly number: string;
  readonly result?: Result;
  readonly wrong?: string;
}

const shown = 20; // the last ones

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
    setScans((was) => [{ n, number }, ...was].slice(0, shown));
    const answer = (more: Partial<Scanned>): void => setScans((was) => was.map((s) => (s.n === n ? { ...s, ...more } : s)));
    line.current = line.current.then(async () => {
      try {
        const [result] = await mark(slug, [{ orderId: number, status: as }], false);
        answer(result?.problem ? { result, wrong: result.problem.error } : result ? { result } : {});
      } catch (error) {
        answer({ wrong: sentence(error) });
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
          <Choice label={say('scan_as')} value={as} set={(s) => setAs(s === 'sent' ? 'sent' : 'packed')} choices={(['packed', 'sent'] as const).map((s) => [s, say(s)])} />
          <Text label={say('number')} value={typed} set={setTyped} max={160} />
        </div>
        <div class="row"><button type="submit">{say('scan_go')}</button></div>
      </form>
      <div role="log" aria-label={say('scanned')}>
        <ol class="scans">{scans.map((s) => <li key={s.n}>{s.wrong ? <strong class="wrong">{s.number}: {s.wrong}</strong> : <Found of={s} />}</li>)}</ol>
      </div>
    </section>
  );
}

function Found({ of: { number, result } }: { of: Scanned }) {
  if (!result?.parcel) return <span aria-busy="true">{number}</span>;
  const items = (result.items ?? []).map((i) => `${i.quantity} × ${i.name}${i.variantName ? `, ${i.variantName}` : ''}`).join('; ');
  return <><ParcelStatus of={result.parcel.status} /> <strong>{result.recipient}</strong> {items} <span class="small">{result.orderId}{result.outcome === 'unchanged' ? ` · ${say('was_so')}` : ''}</span></>;
}
