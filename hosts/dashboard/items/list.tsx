// A list of items in a file, with a side panel that edits one of them. Changes are added to the
// draft immediately, so the panel can be closed at any time.
import { ChevronLeft, ChevronRight, Ellipsis, Plus } from 'lucide-preact';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Field, type Value, type Values, valueAt } from '../editor/draft.ts';
import { clearWanted, wanted } from '../editor/target.ts';
import { focusField } from '../fields/frame.tsx';
import { Thumbnail } from '../media/thumbnail.tsx';
import { Badge } from '../ui/badge.tsx';
import { Icon } from '../ui/icon.tsx';
import { Menu } from '../ui/menu.tsx';
import { keepKey, moveEntry } from '../ui/order.ts';
import { Page } from '../ui/page.tsx';
import { Panel } from '../ui/panel.tsx';
import { type Moves, Sortable } from '../ui/sortable.tsx';
import { toast } from '../ui/toast.tsx';
import { Dotted } from './dotted.tsx';
import { changeOf, entryKey, idOf } from './entry.ts';
import { say } from './words.ts';

/** The properties that the editor's frame passes to a screen that edits a list. */
export interface ScreenProps {
  readonly slug?: string | undefined;
  readonly title: string;
  /** A link to the parent screen. */
  readonly crumb?: ComponentChildren;
  /** Further actions of the page, such as History. */
  readonly actions?: ComponentChildren;
  /** Notices about the file, above everything else. */
  readonly notices?: ComponentChildren;
  readonly fields: readonly Field[];
  readonly groups: readonly { readonly key: string; readonly label: string; readonly help?: string }[];
  readonly values: Values;
  readonly published: Values;
  /** Sets the value at a path of the file. */
  readonly set: (path: string, value: Value) => void;
  /** Returns the server's error at a field's path, such as tiers[poster].price, or "". */
  readonly errorOf: (path: string) => string;
}

/** An entry in its card. */
export interface CardContent {
  readonly name: string;
  /** The path of a picture, or '' for a placeholder; undefined leaves it out. */
  readonly picture?: string | undefined;
  /** Shown instead of the picture. */
  readonly lead?: ComponentChildren;
  readonly badges?: ComponentChildren;
  readonly facts?: ComponentChildren;
  /** Figures about claims or funding, shown next to the facts if there is room. */
  readonly figures?: ComponentChildren;
}

/** An entry in the panel. */
export interface OpenEntry {
  readonly entry: Values;
  readonly set: (entry: Values) => void;
  readonly published: Values | undefined;
  /** The entry's path with a dot, as in errors and edits. */
  readonly prefix: string;
}

interface Props extends ScreenProps {
  /** The path of the list. */
  readonly list: string;
  readonly lede: string;
  readonly addLabel: string;
  readonly panelTitle: string;
  readonly card: (entry: Values) => CardContent;
  readonly panel: (open: OpenEntry) => ComponentChildren;
  /** Above the list, unless it is empty. */
  readonly above?: ComponentChildren;
  /** A summary of the list, in a line above it. */
  readonly summary?: readonly string[];
  /** A control at the end of that line. */
  readonly aside?: ComponentChildren;
  /** An empty list offers patterns to start from, next to the default button. */
  readonly patterns?: boolean;
  readonly empty: (add: (entry: Values) => void) => ComponentChildren;
  /** The display order of the entries. Without it they are ordered manually. */
  readonly order?: (entries: readonly Values[]) => readonly number[];
  /** Why an entry cannot be deleted, or "". */
  readonly keeps?: (entry: Values) => string;
  /** Further items of an entry's menu. */
  readonly menu?: (entry: Values) => ComponentChildren;
  /** Wraps the list's rows, such as in a ladder. */
  readonly frame?: (rows: ComponentChildren) => ComponentChildren;
  readonly rowClass?: (entry: Values) => string;
  readonly newEntry?: () => Values;
}

const listOf = (values: Values, path: string): readonly Values[] => {
  const value = valueAt(values, path);
  return Array.isArray(value) ? (value as readonly Values[]) : [];
};

export function ItemList(props: Props) {
  const { title, crumb, actions, fields, list, lede, addLabel, panelTitle, values, published, card } = props;
  const root = useRef<HTMLDivElement>(null);
  const latest = useRef(props); // a deleted entry can be restored after further changes
  latest.current = props;
  const [open, setOpen] = useState('');
  const field = fields.find((f) => f.path === list);
  const value = valueAt(values, list);
  const entries = listOf(values, list);
  const before = listOf(published, list);
  const at = entries.findIndex((e) => entryKey(e) === open);
  const shown = props.order?.(entries) ?? entries.map((_, i) => i);
  const rank = shown.indexOf(at);
  const change = (next: readonly Value[]): void => latest.current.set(list, next.length ? next : undefined);
  const focusEntry = (key: string): void => {
    requestAnimationFrame(() => {
      const item = root.current?.querySelector<HTMLElement>(`[data-entry="${CSS.escape(key)}"]`);
      (item ?? root.current?.querySelector<HTMLElement>('.add-entry'))?.focus();
    });
  };
  const close = (): void => {
    setOpen('');
    focusEntry(open);
  };
  const add = (entry: Values): void => {
    change([...entries, entry]);
    setOpen(entryKey(entry));
    requestAnimationFrame(() => root.current?.querySelector<HTMLElement>('.panel :is(input, textarea)')?.focus());
  };
  const create = (): Values => props.newEntry?.() ?? (structuredClone(field?.new ?? {}) as Values);
  const replace = (i: number, entry: Values): void => {
    const old = entries[i];
    if (old) change(entries.map((e, n) => (n === i ? keepKey(old, entry) : e)));
  };
  const duplicate = (i: number): void => {
    const { '#': _, id: __, ...copied } = entries[i] ?? {};
    const nameField = field?.identity ?? 'name';
    add({ ...structuredClone(copied), [nameField]: say('copy_of', { name: card(entries[i] ?? {}).name }) });
  };
  const remove = (i: number): void => {
    const entry = entries[i];
    if (!entry) return;
    const { name } = card(entry);
    const next = shown[shown.indexOf(i) + 1] ?? shown[shown.indexOf(i) - 1];
    change(entries.filter((_, n) => n !== i));
    setOpen('');
    focusEntry(next === undefined ? '' : entryKey(entries[next] ?? {}));
    toast(say('deleted', { name: name || say('unnamed') }), () => {
      const now = listOf(latest.current.values, list);
      change([...now.slice(0, i), entry, ...now.slice(i)]);
    });
  };
  useTarget(list, entries, setOpen);
  if (value !== undefined && !Array.isArray(value))
    return <Page title={title}>{say('by_hand', { name: field?.label ?? title })}</Page>;
  const full = Boolean(field?.maxLength && entries.length >= field.maxLength);
  const opened = entries[at];
  const row = (i: number, moves?: Moves): ComponentChildren => {
    const entry = entries[i];
    if (!entry) return null;
    const content = card(entry);
    const name = content.name || say('unnamed');
    const difference = changeOf(entry, before);
    const key = entryKey(entry);
    const kept = props.keeps?.(entry) ?? '';
    return (
      <>
        {moves?.handle}
        {content.lead ??
          (content.picture === undefined ? null : content.picture ? (
            <span class="pic">
              <Thumbnail path={content.picture} />
            </span>
          ) : (
            <span class="pic none" aria-hidden="true">
              {name.charAt(0).toUpperCase()}
            </span>
          ))}
        <div class="entry">
          <div class="stack g1">
            <div class="row wrap titles">
              <button
                type="button"
                class="open-entry"
                data-entry={key}
                aria-expanded={key === open}
                onClick={() => setOpen(key)}
              >
                {name}
              </button>
              {content.badges}
              {moves?.lifted ? <Badge tone="outline">{say('moving')}</Badge> : null}
              {difference && before.length ? <Badge tone="outline">{say(difference)}</Badge> : null}
            </div>
            {content.facts}
          </div>
          {content.figures ? <div class="entry-figures">{content.figures}</div> : null}
        </div>
        <div class="row act">
          <Menu label={say('more_actions', { name })} class="btn plain icon sm" button={<Icon of={Ellipsis} />}>
            <button type="button" onClick={() => setOpen(key)}>
              {say('edit')}
            </button>
            {moves?.buttons}
            {props.menu?.(entry)}
            {full ? null : (
              <button type="button" onClick={() => duplicate(i)}>
                {say('duplicate')}
              </button>
            )}
            {kept ? null : (
              <button type="button" class="bad" onClick={() => remove(i)}>
                {say('delete')}
              </button>
            )}
          </Menu>
        </div>
      </>
    );
  };
  const look = (entry: Values): string =>
    `item ${entryKey(entry) === open ? 'sel' : ''} ${props.rowClass?.(entry) ?? ''}`;
  const rows = props.order ? (
    <ol class="stack g3" aria-label={title}>
      {shown.map((i) => (
        <li key={entryKey(entries[i] ?? {})} class={`unordered ${look(entries[i] ?? {})}`}>
          {row(i)}
        </li>
      ))}
    </ol>
  ) : (
    <Sortable
      label={title}
      entries={entries}
      keyOf={entryKey}
      nameOf={(e) => card(e).name || say('unnamed')}
      move={(from, to) => change(moveEntry(entries, from, to))}
      itemClass={look}
    >
      {(_, i, moves) => row(i, moves)}
    </Sortable>
  );
  return (
    <div ref={root} class={opened ? 'split' : ''}>
      <Page
        title={title}
        crumb={crumb}
        lede={lede}
        width={opened ? '' : 'narrow'}
        actions={
          <>
            {actions}
            {full || (!entries.length && !props.patterns) ? null : (
              <button type="button" class="btn primary add-entry" onClick={() => add(create())}>
                <Icon of={Plus} />
                {addLabel}
              </button>
            )}
          </>
        }
      >
        {props.notices}
        {entries.length ? (
          <>
            {props.above}
            {props.summary ? (
              <div class="row between wrap list-summary">
                <p class="small muted">
                  <Dotted parts={props.summary} />
                </p>
                {props.aside}
              </div>
            ) : null}
            {props.frame?.(rows) ?? rows}
          </>
        ) : (
          <section class="card" aria-label={title}>
            {props.empty(add)}
          </section>
        )}
      </Page>
      {opened ? (
        <Panel
          title={panelTitle}
          close={close}
          actions={
            entries.length > 1 ? (
              <>
                <Step to={entries[shown[rank - 1] ?? -1]} open={setOpen} label={say('previous')} icon={ChevronLeft} />
                <Step to={entries[shown[rank + 1] ?? -1]} open={setOpen} label={say('next')} icon={ChevronRight} />
              </>
            ) : null
          }
          footer={<PanelFooter kept={props.keeps?.(opened) ?? ''} remove={() => remove(at)} done={close} />}
        >
          <div key={open} class="stack g5">
            {props.panel({
              entry: opened,
              set: (entry) => replace(at, entry),
              published: before.find((e) => e['#'] !== undefined && e['#'] === opened['#']),
              prefix: `${list}[${idOf(opened) || at}].`,
            })}
          </div>
        </Panel>
      ) : null}
    </div>
  );
}

/** Opens the entry that a link in the review leads to, and focuses its field. */
function useTarget(list: string, entries: readonly Values[], open: (key: string) => void): void {
  const target = wanted.value;
  useEffect(() => {
    if (target?.list !== list) return;
    const entry = entries.find((e, i) => idOf(e) === target.item || String(i) === target.item);
    if (!entry) return;
    open(entryKey(entry));
    const path = `${list}[${target.item}].${target.field ?? ''}`;
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        focusField(path);
        clearWanted();
      }),
    );
  }, [target]);
}

interface StepProps {
  readonly to: Values | undefined;
  readonly open: (key: string) => void;
  readonly label: string;
  readonly icon: typeof ChevronLeft;
}

const Step = ({ to, open, label, icon }: StepProps) => (
  <button
    type="button"
    class="btn plain icon sm"
    aria-label={label}
    aria-disabled={!to}
    onClick={() => to && open(entryKey(to))}
  >
    <Icon of={icon} />
  </button>
);

function PanelFooter({ kept, remove, done }: { kept: string; remove: () => void; done: () => void }) {
  return (
    <>
      <button
        type="button"
        class="btn plain danger-quiet"
        aria-disabled={Boolean(kept)}
        aria-describedby={kept ? 'kept-why' : undefined}
        onClick={() => !kept && remove()}
      >
        {say('delete')}
      </button>
      <span id="kept-why" class="tiny muted grow">
        {kept}
      </span>
      <button type="button" class="btn primary" onClick={done}>
        {say('done')}
      </button>
    </>
  );
}
