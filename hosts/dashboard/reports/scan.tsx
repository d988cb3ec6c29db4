// An input for barcode scanners, which type a number and Enter. Scans are queued, so that the next
// one can be entered before the previous response arrives.
import { Check, LoaderCircle, ScanBarcode, X } from 'lucide-preact';
import { useRef, useState } from 'preact/hooks';
import { Card } from '../ui/card.tsx';
import { Icon } from '../ui/icon.tsx';
import { errorText } from '../ui/notice.tsx';
import { Segments } from '../ui/segments.tsx';
import { type Result, updateParcels } from './marks.tsx';
import { say } from './parcelwords.ts';

type Target = 'packed' | 'sent';

interface Scanned {
  readonly n: number;
  readonly number: string;
  readonly as: Target;
  readonly result?: Result;
  readonly error?: string;
}

const maxShown = 20; // most recent scans

export function Scan({ slug, done }: { slug: string; done: () => Promise<void> }) {
  const [as, setAs] = useState<Target>('packed');
  const [typed, setTyped] = useState('');
  const [scans, setScans] = useState<readonly Scanned[]>([]);
  const count = useRef(0);
  const line = useRef<Promise<void>>(Promise.resolve());
  const mark = (number: string, status: Target | 'to_pack', show: (more: Partial<Scanned>) => void): void => {
    line.current = line.current.then(async () => {
      try {
        const [result] = await updateParcels(slug, [{ orderId: number, status }], false);
        show(result?.problem ? { result, error: result.problem.error } : result ? { result } : {});
      } catch (error) {
        show({ error: errorText(error) });
      }
      await done();
    });
  };
  const scan = (event: Event): void => {
    event.preventDefault();
    const number = typed.trim();
    setTyped('');
    if (!number) return;
    const n = ++count.current;
    setScans((was) => [{ n, number, as }, ...was].slice(0, maxShown));
    mark(number, as, (more) => {
      if (more.error) soundAlarm();
      setScans((was) => was.map((s) => (s.n === n ? { ...s, ...more } : s)));
    });
  };
  const undo = (s: Scanned): void =>
    mark(s.number, 'to_pack', (more) =>
      setScans((was) =>
        more.error ? was.map((o) => (o.n === s.n ? { ...o, ...more } : o)) : was.filter((o) => o.n !== s.n),
      ),
    );
  return (
    <div class="on-screen">
      <Card
        title={say('scan')}
        aside={
          <Segments
            name={say('scan_as')}
            value={as}
            set={setAs}
            choices={[
              ['packed', say('packed')],
              ['sent', say('sent')],
            ]}
          />
        }
      >
        <form class="stack g2" onSubmit={scan}>
          <div class="affix">
            <Icon of={ScanBarcode} />
            <input
              aria-label={say('number')}
              placeholder={say('number')}
              aria-describedby="scan-hint"
              autocomplete="off"
              value={typed}
              maxLength={160}
              onInput={(e) => setTyped(e.currentTarget.value)}
            />
          </div>
          <p class="hint" id="scan-hint">
            {say('scan_hint')}
          </p>
          <button type="submit" class="unseen">
            {say(`scan_${as}`)}
          </button>
        </form>
        <div role="log" aria-label={say('scanned')}>
          <ol class="rows flush">
            {scans.map((s, i) => (
              <li key={s.n}>
                <ScanResult scan={s} />
                {i === 0 && s.result?.outcome === 'marked' ? (
                  <button type="button" class="link small" onClick={() => undo(s)}>
                    {say('undo')}
                  </button>
                ) : null}
              </li>
            ))}
          </ol>
        </div>
      </Card>
    </div>
  );
}

function ScanResult({ scan: { number, result, error, as } }: { scan: Scanned }) {
  if (error)
    return (
      <>
        <span class="tick no">
          <Icon of={X} small />
        </span>
        <div class="grow stack g1">
          <b class="mono small">{number}</b>
          <strong class="bad small">{error}</strong>
        </div>
      </>
    );
  if (!result)
    return (
      <>
        <span class="tick" aria-busy="true">
          <Icon of={LoaderCircle} small />
        </span>
        <b class="mono small grow">{number}</b>
      </>
    );
  const items = (result.items ?? [])
    .map((i) => `${i.quantity} × ${i.name}${i.variantName ? `, ${i.variantName}` : ''}`)
    .join('; ');
  return (
    <>
      <span class="tick ok">
        <Icon of={Check} small />
      </span>
      <div class="grow stack g1">
        <b class="mono small">{result.orderId}</b>
        <span class="small">{say(result.outcome === 'unchanged' ? `already_${as}` : `marked_${as}`)}</span>
        <span class="small muted">
          {result.recipient}
          {items ? `: ${items}` : ''}
        </span>
      </div>
    </>
  );
}

/** Plays a low tone, so that a packer who is not looking at the screen notices a wrong parcel. */
function soundAlarm(): void {
  const context = new AudioContext();
  const tone = context.createOscillator();
  tone.frequency.value = 180; // hertz
  tone.connect(context.destination);
  tone.start();
  tone.stop(context.currentTime + 0.4);
  tone.onended = () => void context.close();
}
