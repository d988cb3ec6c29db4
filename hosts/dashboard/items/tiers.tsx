// The rewards of a campaign.
import { Download, Gift, Package, Sparkles, Star } from 'lucide-preact';
import type { ComponentChildren } from 'preact';
import type { Values } from '../editor/draft.ts';
import { Badge } from '../ui/badge.tsx';
import { Icon } from '../ui/icon.tsx';
import { price } from '../words.ts';
import { Dotted } from './dotted.tsx';
import { type Claims, cents, countriesOf, idOf, isPhysical, textOf, useClaims, wholeNumber } from './entry.ts';
import { adjusted, EntryField, EntryFields, LockNotice } from './fields.tsx';
import { type CardContent, ItemList, type ScreenProps } from './list.tsx';
import { say } from './words.ts';

export function Tiers(props: ScreenProps) {
  const { slug, fields, groups, values, set, errorOf } = props;
  const claims = useClaims(slug);
  const tierFields = fields.find((f) => f.path === 'tiers')?.fields ?? [];
  const tiers = (Array.isArray(values.tiers) ? values.tiers : []) as readonly Values[];
  const featured = textOf(values.featured_tier_id);
  const feature = (id: string): void => set('featured_tier_id', id || undefined);
  const claimed = tiers.reduce((n, t) => n + claimedOf(t, claims), 0);
  return (
    <ItemList
      {...props}
      list="tiers"
      lede={say('tiers_lede')}
      addLabel={say('add_tier')}
      panelTitle={say('edit_tier')}
      keeps={(t) => {
        const n = claimedOf(t, claims);
        return n ? say('claimed_kept', { count: n }) : '';
      }}
      card={(t) => tierCard(t, claims, featured)}
      aside={
        <label class="row small soft featured-choice">
          {say('featured_on_cards')}
          <select class="select brief" value={featured} onChange={(e) => feature(e.currentTarget.value)}>
            <option value="">{say('no_featured')}</option>
            {tiers
              .filter((t) => idOf(t))
              .map((t) => (
                <option key={idOf(t)} value={idOf(t)}>
                  {textOf(t.name)}
                </option>
              ))}
          </select>
        </label>
      }
      patterns
      summary={[
        say('tiers', { count: tiers.length }),
        say('claimed', { count: claimed }),
        claims.sumOfTiers ? say('pledged_to_tiers', { sum: price(claims.sumOfTiers) }) : '',
      ]}
      menu={(t) =>
        idOf(t) ? (
          <button type="button" onClick={() => feature(idOf(t) === featured ? '' : idOf(t))}>
            {say(idOf(t) === featured ? 'unfeature' : 'feature')}
          </button>
        ) : null
      }
      empty={(add) => <Patterns add={add} />}
      panel={(open) => {
        const n = claimedOf(open.entry, claims);
        return (
          <>
            {n ? <LockNotice strong={say('claimed_by', { count: n })}>{say('tier_locked')}</LockNotice> : null}
            <EntryFields
              {...open}
              fields={tierFields}
              groups={groups}
              errorOf={errorOf}
              inherited={countriesOf(values)}
              {...(n ? { locked: say('locked_field') } : {})}
              control={(f, given) =>
                f.path === 'limit_total' ? (
                  <EntryField
                    key={f.path}
                    field={adjusted(f, {
                      unit: say('available'),
                      ...(n ? { min: n, help: say('limit_hint', { min: n }) } : {}),
                    })}
                    {...given}
                  />
                ) : null
              }
            />
          </>
        );
      }}
    />
  );
}

const few = 5; // remaining units at which a badge shows the number

const claimedOf = (tier: Values, claims: Claims): number => claims.tier(idOf(tier))?.claimed ?? 0;

function tierCard(t: Values, claims: Claims, featured: string): CardContent {
  const n = claimedOf(t, claims);
  const limit = wholeNumber(t.limit_total);
  const opens = cents(t.requires_threshold);
  return {
    name: textOf(t.name),
    picture: textOf(t.image),
    badges: (
      <>
        <KindBadge entry={t} />
        {idOf(t) !== '' && idOf(t) === featured ? (
          <Badge tone="warn">
            <Icon of={Star} />
            {say('featured')}
          </Badge>
        ) : null}
        {limit !== undefined && n >= limit ? <Badge tone="warn">{say('sold_out')}</Badge> : null}
        {limit !== undefined && n > 0 && n < limit && limit - n <= few ? (
          <Badge tone="warn">{say('units_left', { count: limit - n })}</Badge>
        ) : null}
        {opens > claims.pledged ? <Badge tone="outline">{say('opens_at', { sum: price(opens) })}</Badge> : null}
      </>
    ),
    facts: (
      <p class="small">
        <b>{price(cents(t.price))}</b>
      </p>
    ),
    figures: (
      <>
        <p class={`small ${n ? 'soft' : 'muted'}`}>
          {limit === undefined ? (
            <Dotted parts={[say('claimed', { count: n }), say('no_limit')]} />
          ) : (
            say('claimed_of', { n, limit })
          )}
        </p>
        {limit ? <Meter share={n / limit} full={n >= limit} /> : null}
      </>
    ),
  };
}

/** A bar for the claimed share of a limit. It repeats the text next to it. */
export const Meter = ({ share, full }: { share: number; full?: boolean }) => (
  <div class={`mini ${full ? 'full' : ''}`} aria-hidden="true">
    <i style={{ width: `${Math.min(100, Math.max(0, share * 100)).toFixed(1)}%` }} />
  </div>
);

export const KindBadge = ({ entry }: { entry: Values }) =>
  isPhysical(entry) ? (
    <Badge>
      <Icon of={Package} />
      {say('physical')}
    </Badge>
  ) : (
    <Badge tone="info">
      <Icon of={Download} />
      {say('digital')}
    </Badge>
  );

const patterns: readonly (readonly [name: 'digital' | 'physical' | 'experience', icon: typeof Gift, values: Values])[] =
  [
    ['digital', Download, { price: 15, category: 'digital' }],
    ['physical', Package, { price: 40, category: 'physical' }],
    ['experience', Sparkles, { price: 150, category: 'digital', limit_total: 10 }],
  ];

/** Shown if there are no rewards: three patterns to start from. */
function Patterns({ add }: { add: (entry: Values) => void }): ComponentChildren {
  return (
    <div class="empty">
      <span class="art">
        <Icon of={Gift} />
      </span>
      <h2>{say('first_tier')}</h2>
      <p>{say('first_tier_text')}</p>
      <ul class="patterns">
        {patterns.map(([name, icon, values]) => (
          <li key={name}>
            <button
              type="button"
              class="pattern"
              onClick={() => add({ name: say(`pattern_${name}`), ...structuredClone(values) })}
            >
              <Icon of={icon} />
              <b>{say(`pattern_${name}`)}</b>
              <span class="small muted">{say(`pattern_${name}_text`)}</span>
              <span class="small soft">{price(cents(values.price))}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
