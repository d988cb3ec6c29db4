// The platform's settings: a list of sections with search, and one section at a time.
import { Search } from 'lucide-preact';
import type { ComponentType } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { valueAt } from '../editor/draft.ts';
import { Editor } from '../editor/editor.tsx';
import { type EditorForm, findField, useForm } from '../editor/form.ts';
import { EditorButtons, Mark, partsOf, useCurrentChip } from '../editor/sections.tsx';
import { percentOfFraction } from '../fields/parse.ts';
import { query, useResource } from '../resources.ts';
import { hrefTo, route } from '../router.ts';
import { now } from '../session.ts';
import { Icon } from '../ui/icon.tsx';
import { Notice } from '../ui/notice.tsx';
import { brand, Page } from '../ui/page.tsx';
import { lang, money, price } from '../words.ts';
import { Audit } from './audit.tsx';
import { Debug } from './debug.tsx';
import { Design } from './design.tsx';
import { Diagnostics } from './diagnostics.tsx';
import { Plan } from './plan.tsx';
import { Readers } from './readers.tsx';
import { PartRows } from './rows.tsx';
import { Secrets } from './secrets.tsx';
import { Sessions } from './sessions.tsx';
import { Users } from './users.tsx';
import { say } from './words.ts';

/** The sections in the order in which they are shown. */
const sections = [
  'platform',
  'brand_seo',
  'checkout',
  'pricing',
  'tax',
  'shipping',
  'campaign_runner_reports',
  'design',
  'users',
  'admin_sessions',
  'audit_log',
  'plan_usage',
  'advanced_performance',
  'debug',
  'secrets',
  'runtime_diagnostics',
] as const;

type SectionName = (typeof sections)[number];

/** The sections that are not in the settings file. */
const screens: Readonly<Partial<Record<SectionName, ComponentType>>> = {
  users: Users,
  admin_sessions: Sessions,
  audit_log: Audit,
  plan_usage: Plan,
  debug: Debug,
  secrets: Secrets,
  runtime_diagnostics: Diagnostics,
};

/** Shorter names in links. */
const aliases: Readonly<Record<string, SectionName>> = {
  site: 'platform',
  readers: 'campaign_runner_reports',
  sessions: 'admin_sessions',
  audit: 'audit_log',
  plan: 'plan_usage',
  diagnostics: 'runtime_diagnostics',
};

const openSection = (name = ''): SectionName => sections.find((s) => s === name) ?? aliases[name] ?? 'platform';

export default function Settings() {
  const open = openSection(route.value.parts[1]);
  const Screen = screens[open];
  return (
    <Editor
      path="/admin/settings"
      of="settings"
      section={open}
      subject={brand || say('title')}
      page={(content, actions) => (
        <Page
          title={say('title')}
          actions={actions && !Screen ? <EditorButtons openHistory={actions.openHistory} /> : null}
        >
          <div class="setgrid">
            <SectionList open={open} form={actions?.form ?? null} />
            <div class="stack g6">{Screen ? <Screen key={open} /> : content}</div>
          </div>
        </Page>
      )}
    >
      {(form) => (
        <form key={open} class="stack g6" onSubmit={(e) => e.preventDefault()}>
          <SectionForm form={form} open={open} />
        </form>
      )}
    </Editor>
  );
}

function SectionForm({ form, open }: { form: EditorForm; open: SectionName }) {
  if (open === 'design') return <Design />;
  return (
    <>
      {partsOf(form, open).map((p) => (
        <PartRows
          key={p.key}
          part={p}
          below={{
            'platform.timezone': <ZoneNow zone={String(valueAt(form.values, 'platform.timezone') ?? '')} />,
            'pricing.sales_tax_rate': <TaxExample rate={valueAt(form.values, 'pricing.sales_tax_rate')} />,
          }}
        />
      ))}
      {open === 'pricing' ? <TaxNotice /> : null}
      {open === 'campaign_runner_reports' ? <Readers /> : null}
    </>
  );
}

/** The current time in a zone. */
function ZoneNow({ zone }: { zone: string }) {
  try {
    const time = new Intl.DateTimeFormat(lang === 'es' ? 'es-ES' : 'en-US', { timeStyle: 'short', timeZone: zone });
    return <span class="small muted">{say('zone_now', { time: time.format(now()).replaceAll('\u202f', ' ') })}</span>;
  } catch {
    return null; // not a zone yet
  }
}

const example = 6_000; // cents

/** The effect of a tax rate on a reward's price. */
function TaxExample({ rate }: { rate: unknown }) {
  const percent = percentOfFraction(rate);
  if (typeof percent !== 'number') return null;
  return (
    <span class="small muted">
      {say('tax_example', { price: price(example), tax: money(Math.round((example * percent) / 100)) })}
    </span>
  );
}

/** States whether the flat rate is used. */
function TaxNotice() {
  const { sections: all, values } = useForm();
  const field = findField(all, 'tax.provider')?.field;
  const provider = String(valueAt(values, 'tax.provider') ?? field?.default ?? '');
  const name = field?.choices?.find((c) => c.value === provider)?.label ?? provider;
  return (
    <Notice
      action={
        <a class="btn sm" href={hrefTo(['settings', 'tax'], { field: 'tax.provider' })}>
          {say('open_tax')}
        </a>
      }
    >
      <p>{say(provider === 'flat' ? 'flat_used' : 'flat_unused', { provider: name })}</p>
    </Notice>
  );
}

const maxResults = 12;

/** The list of sections. A search lists individual settings instead. */
function SectionList({ open, form }: { open: SectionName; form: EditorForm | null }) {
  const described = useResource<Schema['ContentDescription']>(query('/admin/content/schema', { of: 'settings', lang }));
  const [typed, setTyped] = useState('');
  const input = useRef<HTMLInputElement>(null);
  const all = described.value?.sections ?? [];
  const chips = useCurrentChip(`${open} ${all.length}`);
  const search = typed.trim().toLowerCase();
  useEffect(() => {
    const key = (e: KeyboardEvent): void => {
      const typing = (e.target as Element).closest('input, textarea, select, [contenteditable], dialog');
      if (e.key !== '/' || typing) return;
      e.preventDefault();
      input.current?.focus();
    };
    addEventListener('keydown', key);
    return () => removeEventListener('keydown', key);
  }, []);
  const found = all.flatMap((s) =>
    s.fields
      .filter((f) => f.control !== 'hidden' && `${f.label} ${f.help ?? ''}`.toLowerCase().includes(search))
      .map((f) => ({ section: s, field: f })),
  );
  return (
    <div class="stack g3 set-side">
      <div class="affix">
        <Icon of={Search} small />
        <input
          ref={input}
          type="search"
          aria-label={say('search')}
          placeholder={say('search')}
          value={typed}
          onInput={(e) => setTyped(e.currentTarget.value)}
        />
        <kbd class="desk">/</kbd>
      </div>
      {search ? (
        <nav class="secnav found" aria-label={say('results')}>
          {found.slice(0, maxResults).map(({ section, field }) => (
            <a
              key={field.path}
              href={hrefTo(['settings', section.key], { field: field.path })}
              onClick={() => setTyped('')}
            >
              <span class="stack g1">
                <span>{field.label}</span>
                <span class="tiny muted">{section.label}</span>
              </span>
            </a>
          ))}
          <p class="small muted in" role="status">
            {found.length ? '' : say('no_match', { query: typed })}
          </p>
        </nav>
      ) : (
        <nav ref={chips} class="secnav" aria-label={say('title')}>
          {sections.map((key) => {
            const section = all.find((s) => s.key === key);
            return section ? (
              <a key={key} href={hrefTo(['settings', key])} aria-current={key === open ? 'page' : undefined}>
                {section.label}
                {form ? <Mark form={form} paths={section.fields.map((f) => f.path)} /> : null}
              </a>
            ) : null;
          })}
        </nav>
      )}
    </div>
  );
}
