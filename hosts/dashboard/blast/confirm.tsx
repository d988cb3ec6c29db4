// The confirmation before a message is sent, with its most important facts.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Checkbox, Form } from '../ui/form.tsx';
import { Notice } from '../ui/notice.tsx';
import { list, moment } from '../words.ts';
import { isEveryone, type Reach, valuesOf } from './audience.ts';
import { Checks } from './beforesending.tsx';
import type { Content, Message } from './message.ts';
import { say } from './words.ts';

/** A dry run of a message. */
export type Counted = Schema['Broadcasting'];

interface Props {
  readonly counted: Counted;
  readonly slug: string;
  readonly category: Message['category'];
  readonly content: Content;
  readonly from: string;
  readonly rewardNames: Reach['rewardNames'] | undefined;
  readonly testedAt: string;
  readonly send: () => Promise<void>;
  readonly close: () => void;
}

/**
 * Asks for confirmation before sending. If the subject was used before, the operator has to confirm
 * that explicitly.
 */
export function Confirm({ counted, slug, category, content, from, rewardNames, testedAt, send, close }: Props) {
  const [again, setAgain] = useState(false);
  const { recipientCount: n, earlier } = counted;
  if (!n)
    return (
      <Dialog title={say('nobody')} close={close}>
        <Form dialog task={async () => close()} submitLabel={say('keep_editing')} kind="">
          <p>{say(isEveryone(content.audience) ? 'nobody_what' : 'nobody_narrow')}</p>
        </Form>
      </Dialog>
    );
  const audience = isEveryone(content.audience)
    ? say('all_supporters')
    : list(valuesOf(content.audience, rewardNames).map((v) => v.name));
  return (
    <Dialog title={say('send_title', { count: n })} close={close}>
      <Form
        dialog
        task={send}
        submitLabel={say('send', { count: n })}
        disabled={earlier !== undefined && !again}
        actions={
          <button type="button" class="btn" onClick={close}>
            {say('keep_editing')}
          </button>
        }
      >
        <p class="small muted">{say('send_what')}</p>
        {earlier ? (
          <Notice tone="warn">
            <b>{say('sent_before', { time: moment(earlier.sentAt), count: earlier.recipientCount })}</b>
            <Checkbox label={say('send_again', { count: n })} on={again} set={setAgain} />
          </Notice>
        ) : null}
        <dl class="stack g2 facts send-facts">
          <Fact name={say('subject')}>
            <b>{content.subject}</b>
          </Fact>
          {from ? <Fact name={say('from')}>{from}</Fact> : null}
          <Fact name={say('audience')}>{audience}</Fact>
          <Fact name={say('not_sent_to')}>{say('not_sent_to_whom')}</Fact>
          {content.ctaLabel ? (
            <Fact name={say('label')}>
              {content.ctaLabel} <span class="muted">{content.ctaUrl}</span>
            </Fact>
          ) : null}
        </dl>
        <Checks slug={slug} category={category} words={content} testedAt={testedAt} />
      </Form>
    </Dialog>
  );
}

const Fact = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <div class="row between top">
    <dt class="muted">{name}</dt>
    <dd>{children}</dd>
  </div>
);
