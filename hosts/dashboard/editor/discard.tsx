// Asks which sections' changes to discard.
import { useState } from 'preact/hooks';
import { Dialog } from '../ui/dialog.tsx';
import { Checkbox, Form } from '../ui/form.tsx';
import { say } from './words.ts';

interface Props {
  readonly sections: readonly { readonly key: string; readonly label: string; readonly changes: number }[];
  /** The section that is open; only its changes are chosen at first. */
  readonly open: string;
  readonly discard: (sections: readonly string[]) => void;
  readonly close: () => void;
}

export function DiscardDialog({ sections, open, discard, close }: Props) {
  const [chosen, setChosen] = useState<readonly string[]>(() => {
    const here = sections.filter((s) => s.key === open);
    return (here.length ? here : sections).map((s) => s.key);
  });
  const count = sections.filter((s) => chosen.includes(s.key)).reduce((n, s) => n + s.changes, 0);
  const turn = (key: string, on: boolean): void =>
    setChosen(sections.map((s) => s.key).filter((k) => (k === key ? on : chosen.includes(k))));
  return (
    <Dialog title={say('discard_title', { count })} close={close}>
      <Form
        dialog
        kind="danger"
        disabled={!count}
        submitLabel={say('discard_go', { count })}
        task={async () => discard(chosen)}
        actions={
          <button type="button" class="btn" onClick={close}>
            {say('keep_editing')}
          </button>
        }
      >
        <p>{say('discard_what')}</p>
        {sections.length > 1 ? (
          <div class="stack g2" role="group" aria-label={say('sections')}>
            {sections.map((s) => (
              <Checkbox
                key={s.key}
                label={`${s.label} · ${say('changes_n', { count: s.changes })}`}
                on={chosen.includes(s.key)}
                set={(on) => turn(s.key, on)}
              />
            ))}
          </div>
        ) : null}
      </Form>
    </Dialog>
  );
}
