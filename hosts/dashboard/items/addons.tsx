// The add-ons of a campaign or of the platform.
import { Puzzle } from 'lucide-preact';
import { useContext, useMemo } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { deriveID, type Field, type Values, withValue } from '../editor/draft.ts';
import { ToggleField } from '../fields/choice.tsx';
import { SchemaControl } from '../fields/field.tsx';
import { MediaFolderContext } from '../media/folder.ts';
import { useResource } from '../resources.ts';
import { hrefTo } from '../router.ts';
import { isSuperAdmin } from '../session.ts';
import { Badge } from '../ui/badge.tsx';
import { Empty } from '../ui/empty.tsx';
import { Icon } from '../ui/icon.tsx';
import { price } from '../words.ts';
import { Dotted } from './dotted.tsx';
import { type Claims, cents, countriesOf, idOf, textOf, useClaims, wholeNumber } from './entry.ts';
import { adjusted, EntryField, EntryFields, LockNotice } from './fields.tsx';
import { type CardContent, ItemList, type OpenEntry, type ScreenProps } from './list.tsx';
import { AddButton } from './simple.tsx';
import { KindBadge } from './tiers.tsx';
import { Variants } from './variants.tsx';
import { say } from './words.ts';

const usualLow = 5;

/** A campaign's own add-ons. */
export function CampaignAddOns(props: ScreenProps) {
  const folder = useContext(MediaFolderContext);
  const home = useMemo(() => ({ ...folder, use: 'campaign-add-on' as const }), [folder]);
  const platform = useResource<Schema['AddOnStock']>('/add-ons/inventory').value;
  const shared = Object.keys(platform?.products ?? {}).length;
  return (
    <MediaFolderContext.Provider value={home}>
      <AddOnList
        {...props}
        list="campaign_add_ons"
        lede={say('addons_lede')}
        low={usualLow}
        above={
          shared ? (
            <div class="notice">
              <Icon of={Puzzle} />
              <p class="small grow">
                {say('platform_addons', { count: shared })}{' '}
                {isSuperAdmin() ? <a href={hrefTo(['add-ons'])}>{say('platform_open')}</a> : null}
              </p>
            </div>
          ) : null
        }
      />
    </MediaFolderContext.Provider>
  );
}

/** The platform's add-ons, with their settings above. */
export function PlatformAddOns(props: ScreenProps) {
  const { fields, values, set, errorOf } = props;
  const low = fields.find((f) => f.path === 'low_stock_threshold');
  const offered = values.enabled !== false;
  return (
    <AddOnList
      {...props}
      list="products"
      lede={say('platform_lede')}
      low={wholeNumber(values.low_stock_threshold) ?? Number(low?.default ?? usualLow)}
      above={
        <section class="card" aria-label={say('settings')}>
          <div class="in stack g4">
            <ToggleField
              label={say('offer_addons')}
              hint={say('offer_addons_text')}
              value={offered}
              set={(on) => set('enabled', on ? undefined : false)}
            />
            {low && offered ? (
              <div class="low-stock">
                <SchemaControl
                  field={adjusted(low, { unit: say('in_stock') })}
                  value={values[low.path]}
                  set={(v) => set(low.path, v)}
                  error={errorOf(low.path)}
                />
              </div>
            ) : null}
          </div>
        </section>
      }
    />
  );
}

interface ListProps extends ScreenProps {
  readonly list: string;
  readonly lede: string;
  readonly low: number;
  readonly above?: preact.ComponentChildren;
}

function AddOnList(props: ListProps) {
  const { slug, list, fields, groups, errorOf, low } = props;
  const claims = useClaims(slug);
  const own = fields.find((f) => f.path === list)?.fields ?? [];
  const entries = (Array.isArray(props.values[list]) ? props.values[list] : []) as readonly Values[];
  return (
    <ItemList
      {...props}
      summary={[
        say('addons', { count: entries.length }),
        say('sold', { count: entries.reduce((n, a) => n + claimedOf(a, claims), 0) }),
      ]}
      addLabel={say('add_addon')}
      panelTitle={say('edit_addon')}
      card={(a) => addOnCard(a, claims, low)}
      keeps={(a) => {
        const n = claimedOf(a, claims);
        return n ? say('addon_kept', { count: n }) : '';
      }}
      empty={(add) => (
        <Empty
          icon={Puzzle}
          title={say('first_addon')}
          action={
            <AddButton add={() => add({ name: '', price: 10, category: 'physical' })}>{say('add_addon')}</AddButton>
          }
        >
          {say('first_addon_text')}
        </Empty>
      )}
      panel={(open) => (
        <AddOnPanel
          open={open}
          fields={own}
          groups={groups}
          errorOf={errorOf}
          claims={claims}
          low={low}
          inherited={slug ? countriesOf(props.values) : {}}
        />
      )}
    />
  );
}

const variantsOf = (entry: Values): readonly Values[] => (Array.isArray(entry.variants) ? entry.variants : []);

/**
 * Returns the claim of an add-on's variant. Variants without an ID use the one derived from their
 * name.
 */
const variantClaim = (entry: Values, row: Values, claims: Claims) =>
  claims.addOn(idOf(entry))?.variants?.find((v) => v.id === (textOf(row['#'] ?? row.id) || deriveID(row.label)));

const claimedOf = (entry: Values, claims: Claims): number => claims.addOn(idOf(entry))?.claimed ?? 0;

function addOnCard(a: Values, claims: Claims, low: number): CardContent {
  const claim = claims.addOn(idOf(a));
  const variants = variantsOf(a);
  const lowCount = variants.filter((v) => isLow(variantClaim(a, v, claims)?.left, low)).length;
  const each = variants.map((v) => variantClaim(a, v, claims)?.left ?? null);
  const left = variants.length
    ? each.reduce((sum, n) => (sum === null || n === null ? null : sum + n), 0)
    : claim
      ? claim.left
      : (wholeNumber(a.inventory) ?? null);
  const sold = claimedOf(a, claims);
  return {
    name: textOf(a.name),
    picture: textOf(a.image),
    badges: (
      <>
        <KindBadge entry={a} />
        {left === 0 ? (
          <Badge tone="warn">{say('sold_out')}</Badge>
        ) : lowCount ? (
          <Badge tone="warn">{say('variants_low', { count: lowCount })}</Badge>
        ) : !variants.length && isLow(left, low) ? (
          <Badge tone="warn">{say('few_left')}</Badge>
        ) : null}
      </>
    ),
    facts: (
      <p class="small soft">
        <Dotted
          parts={[
            <b key="price">{price(cents(a.price))}</b>,
            variants.length
              ? `${say('variants_count', { count: variants.length })}: ${variants.map((v) => textOf(v.label)).join(', ')}`
              : '',
          ]}
        />
      </p>
    ),
    figures: (
      <p class="small soft">
        <Dotted
          parts={[
            <span key="sold" class={`nowrap ${sold ? '' : 'muted'}`}>
              {say('sold', { count: sold })}
            </span>,
            <span key="stock" class={`nowrap ${left === null ? 'muted' : ''}`}>
              {left === null ? say('no_limit') : say('units_left', { count: left })}
            </span>,
          ]}
        />
      </p>
    ),
  };
}

const isLow = (left: number | null | undefined, low: number): boolean => typeof left === 'number' && left <= low;

/** Returns a variant's remaining units according to the draft's stock. */
const leftOf = (row: Values, claimed = 0): number | undefined => {
  const stock = wholeNumber(row.inventory);
  return stock === undefined ? undefined : stock - claimed;
};

interface PanelProps {
  readonly open: OpenEntry;
  readonly fields: readonly Field[];
  readonly groups: ScreenProps['groups'];
  readonly errorOf: (path: string) => string;
  readonly claims: Claims;
  readonly low: number;
  readonly inherited: Readonly<Record<string, string>>;
}

const sizes = ['S', 'M', 'L', 'XL', 'XXL'];

function AddOnPanel({ open, fields, groups, errorOf, claims, low, inherited }: PanelProps) {
  const { entry, set, prefix } = open;
  const claimed = claimedOf(entry, claims);
  const variants = fields.find((f) => f.path === 'variants');
  const option = fields.find((f) => f.path === 'variant_option_name');
  const rows = variantsOf(entry);
  const setRows = (next: readonly Values[]): void => set(withValue(entry, 'variants', next.length ? next : undefined));
  const toggle = (on: boolean | undefined): void => {
    const { variants: _, variant_option_name: __, inventory: ___, ...rest } = entry;
    set(on ? { ...rest, variant_option_name: say('size'), variants: [{ label: '' }, { label: '' }] } : rest);
  };
  return (
    <>
      {claimed ? (
        <LockNotice strong={say('addon_claimed', { count: claimed })}>{say('addon_locked')}</LockNotice>
      ) : null}
      <EntryFields
        {...open}
        fields={fields}
        groups={groups}
        errorOf={errorOf}
        inherited={inherited}
        without={['variants', 'variant_option_name']}
        {...(claimed ? { locked: say('locked_field') } : {})}
      />
      {variants ? (
        <section class="stack g3 more" aria-label={say('variants')}>
          <ToggleField
            label={say('has_variants')}
            value={rows.length > 0}
            set={toggle}
            locked={claimed ? say('variants_fixed') : undefined}
          />
          {rows.length ? (
            <>
              <div class="grid2 ends">
                {option ? (
                  <EntryField
                    field={option}
                    value={entry[option.path]}
                    set={(v) => set(withValue(entry, option.path, v))}
                    name={prefix + option.path}
                    error={errorOf(prefix + option.path)}
                    changed={false}
                    locked={undefined}
                    unlock={undefined}
                  />
                ) : null}
                {rows.every((r) => !textOf(r.label)) ? (
                  <button type="button" class="btn" onClick={() => setRows(sizes.map((label) => ({ label })))}>
                    {say('fill_sizes')}
                  </button>
                ) : null}
              </div>
              <Variants
                field={variants}
                rows={rows}
                set={setRows}
                option={textOf(entry.variant_option_name) || say('variant')}
                price={cents(entry.price)}
                left={(row) => leftOf(row, variantClaim(entry, row, claims)?.claimed)}
                claimed={(row) => variantClaim(entry, row, claims)?.claimed ?? 0}
                low={low}
                errorOf={(path) => errorOf(`${prefix}variants${path}`)}
              />
            </>
          ) : null}
        </section>
      ) : null}
    </>
  );
}
