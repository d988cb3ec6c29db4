// The lists of support items, stretch goals and ongoing items.
import { Flag, HandCoins, Plus, Repeat } from 'lucide-preact';
import type { Values } from '../editor/draft.ts';
import { ToggleField } from '../fields/choice.tsx';
import { hrefTo } from '../router.ts';
import { Badge } from '../ui/badge.tsx';
import { Empty } from '../ui/empty.tsx';
import { Icon } from '../ui/icon.tsx';
import { percent, price } from '../words.ts';
import { byAmount, cents, countriesOf, idOf, isPhysical, textOf, useClaims } from './entry.ts';
import { EntryFields, LockNotice } from './fields.tsx';
import { ItemList, type ScreenProps } from './list.tsx';
import { KindBadge, Meter } from './tiers.tsx';
import { say } from './words.ts';

const fieldsOf = ({ fields }: ScreenProps, list: string) => fields.find((f) => f.path === list)?.fields ?? [];

/** Parts of the budget that supporters fund together. */
export function SupportItems(props: ScreenProps) {
  const claims = useClaims(props.slug);
  const fields = fieldsOf(props, 'support_items');
  const items = (Array.isArray(props.values.support_items) ? props.values.support_items : []) as readonly Values[];
  return (
    <ItemList
      {...props}
      list="support_items"
      lede={say('support_lede')}
      summary={[
        say('support_items', { count: items.length }),
        say('funded_of', {
          sum: price(items.reduce((n, e) => n + claims.ofSupportItem(idOf(e)), 0)),
          target: price(items.reduce((n, e) => n + cents(e.target), 0)),
        }),
      ]}
      addLabel={say('add_support')}
      panelTitle={say('edit_support')}
      keeps={(e) => {
        const sum = claims.ofSupportItem(idOf(e));
        return sum ? say('support_kept', { sum: price(sum) }) : '';
      }}
      card={(e) => {
        const funded = claims.ofSupportItem(idOf(e));
        const target = cents(e.target);
        return {
          name: textOf(e.label),
          badges: (
            <>
              {isPhysical(e) ? <KindBadge entry={e} /> : null}
              {target > 0 && funded >= target ? <Badge tone="good">{say('funded')}</Badge> : null}
            </>
          ),
          facts: <>{e.need ? <p class="small soft">{textOf(e.need)}</p> : null}</>,
          figures: target ? (
            <>
              <p class="row between small">
                <span>
                  <b>{price(funded)}</b> <span class="muted">{say('of_target', { target: price(target) })}</span>
                </span>
                <span class={funded ? '' : 'muted'}>{percent(funded, target)}</span>
              </p>
              <Meter share={funded / target} />
            </>
          ) : (
            <p class="small">{say('funded_sum', { sum: price(funded) })}</p>
          ),
        };
      }}
      rowClass={() => 'plain-item'}
      empty={(add) => (
        <Empty
          icon={HandCoins}
          title={say('first_support')}
          action={<AddButton add={() => add({ label: '', target: 100 })}>{say('add_support')}</AddButton>}
        >
          {say('first_support_text')}
        </Empty>
      )}
      panel={(open) => {
        const sum = claims.ofSupportItem(idOf(open.entry));
        return (
          <>
            {sum ? (
              <LockNotice strong={say('support_pledged', { sum: price(sum) })}>{say('support_locked')}</LockNotice>
            ) : null}
            <EntryFields
              {...open}
              fields={fields}
              groups={props.groups}
              errorOf={props.errorOf}
              inherited={countriesOf(props.values)}
              {...(sum ? { locked: say('locked_field') } : {})}
            />
          </>
        );
      }}
    />
  );
}

/** The button of an empty list. */
export const AddButton = ({ add, children }: { add: () => void; children: string }) => (
  <button type="button" class="btn primary add-entry" onClick={add}>
    <Icon of={Plus} />
    {children}
  </button>
);

/** The stretch goals, shown in one ladder with the goal, sorted by amount. */
export function StretchGoals(props: ScreenProps) {
  const { values, set } = props;
  const claims = useClaims(props.slug);
  const fields = fieldsOf(props, 'stretch_goals');
  const goal = cents(values.goal_amount);
  const hidden = values.stretch_hidden !== false;
  const goals = (Array.isArray(values.stretch_goals) ? values.stretch_goals : []) as readonly Values[];
  /**
   * Reports whether supporters cannot see a goal yet. Each goal is shown when the previous one is
   * reached.
   */
  const isHidden = (e: Values): boolean => {
    const below = goals.map((g) => cents(g.threshold)).filter((t) => t < cents(e.threshold));
    return hidden && claims.pledged < Math.max(goal, ...below);
  };
  return (
    <ItemList
      {...props}
      list="stretch_goals"
      lede={say('stretch_lede')}
      addLabel={say('add_stretch')}
      panelTitle={say('edit_stretch')}
      order={(entries) => byAmount(entries, 'threshold')}
      newEntry={() => ({
        title: '',
        threshold: (Math.max(goal, ...goals.map((g) => cents(g.threshold))) + 100_000) / 100,
      })}
      rowClass={(e) => (cents(e.threshold) <= claims.pledged ? 'rung reached' : 'rung')}
      above={
        <section class="card" aria-label={say('settings')}>
          <div class="in">
            <ToggleField
              label={say('stretch_hide')}
              hint={hidden ? say('stretch_hide_text', { sum: price(goal) }) : say('stretch_shown_text')}
              value={hidden}
              set={(on) => set('stretch_hidden', on ? undefined : false)}
            />
          </div>
        </section>
      }
      card={(e) => {
        const sum = cents(e.threshold);
        const reached = sum <= claims.pledged;
        return {
          name: textOf(e.title),
          lead: <Rung reached={reached} sum={sum} />,
          badges: (
            <>
              {reached ? <Badge tone="good">{say('reached')}</Badge> : null}
              {isHidden(e) ? <Badge tone="outline">{say('hidden')}</Badge> : null}
              {sum <= goal ? <Badge tone="warn">{say('below_goal')}</Badge> : null}
            </>
          ),
          facts: (
            <>
              {e.description ? <p class="small soft clip2">{textOf(e.description)}</p> : null}
              {reached ? null : <p class="small muted">{say('to_go', { sum: price(sum - claims.pledged) })}</p>}
            </>
          ),
        };
      }}
      frame={(rows) => (
        <div class="ladder">
          <div class="item rung base">
            <Rung reached={claims.pledged >= goal} sum={goal} />
            <div class="stack g1">
              <span class="row between">
                <b>{say('funding_goal')}</b>
                <a
                  class="link small"
                  href={hrefTo(['campaigns', props.slug ?? '', 'settings'], { field: 'goal_amount' })}
                >
                  {say('change_goal')}
                </a>
              </span>
              <p class="small muted">
                {claims.pledged >= goal ? say('reached') : say('to_go', { sum: price(goal - claims.pledged) })}
              </p>
              <Meter share={goal ? claims.pledged / goal : 0} />
            </div>
          </div>
          {rows}
        </div>
      )}
      empty={(add) => (
        <Empty
          icon={Flag}
          title={say('first_stretch')}
          action={
            <AddButton add={() => add({ title: '', threshold: (goal + 100_000) / 100 })}>
              {say('add_stretch')}
            </AddButton>
          }
        >
          {say('first_stretch_text')}
        </Empty>
      )}
      panel={(open) => (
        <>
          {cents(open.entry.threshold) <= goal ? (
            <p class="notice warn small">{say('below_goal_text', { sum: price(goal) })}</p>
          ) : null}
          <EntryFields {...open} fields={fields} groups={props.groups} errorOf={props.errorOf} />
        </>
      )}
    />
  );
}

const Rung = ({ reached, sum }: { reached: boolean; sum: number }) => (
  <span class="rung-sum">
    <span class={`tick ${reached ? 'ok' : ''}`} aria-hidden="true" />
    <b>{price(sum)}</b>
  </span>
);

/** The items that still need funding after the campaign. */
export function OngoingItems(props: ScreenProps) {
  const { values, set } = props;
  const fields = fieldsOf(props, 'ongoing_items');
  return (
    <ItemList
      {...props}
      list="ongoing_items"
      lede={say('ongoing_lede')}
      addLabel={say('add_ongoing')}
      panelTitle={say('edit_ongoing')}
      rowClass={() => 'plain-item'}
      above={
        <section class="card" aria-label={say('settings')}>
          <div class="in">
            <ToggleField
              label={say('ongoing_show')}
              hint={say('ongoing_show_text')}
              value={values.show_ongoing === true}
              set={(on) => set('show_ongoing', on ? true : undefined)}
            />
          </div>
        </section>
      }
      card={(e) => ({
        name: textOf(e.label),
        facts: (
          <p class="small soft">
            {e.remaining === undefined ? say('no_amount') : say('remaining', { sum: price(cents(e.remaining)) })}
          </p>
        ),
      })}
      empty={(add) => (
        <Empty
          icon={Repeat}
          title={say('first_ongoing')}
          action={<AddButton add={() => add({ label: '' })}>{say('add_ongoing')}</AddButton>}
        >
          {say('first_ongoing_text')}
        </Empty>
      )}
      panel={(open) => <EntryFields {...open} fields={fields} groups={props.groups} errorOf={props.errorOf} />}
    />
  );
}
