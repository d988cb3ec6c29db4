// A combobox that filters while typing, for one or several values.
import * as zag from '@zag-js/combobox';
import { Check, ChevronDown, X } from 'lucide-preact';
import { useMemo, useState } from 'preact/hooks';
import { Icon } from '../ui/icon.tsx';
import { lang } from '../words.ts';
import type { ControlAttributes } from './frame.tsx';
import { normalizeProps, useWidgetMachine } from './machine.ts';
import { say } from './words.ts';

export interface Item {
  readonly value: string;
  readonly label: string;
  /** Shown after the label, such as a code or an offset. It is searched, too. */
  readonly note?: string;
}

interface ComboboxProps {
  readonly attributes: ControlAttributes;
  readonly label: string;
  readonly items: readonly Item[];
  readonly value: readonly string[];
  readonly set: (value: readonly string[]) => void;
  readonly multiple?: boolean;
  readonly clearable?: boolean;
  readonly placeholder?: string | undefined;
}

const maxShown = 60; // options; typing narrows them

const plain = (text: string): string => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();

export function Combobox({ attributes, label, items, value, set, multiple, clearable, placeholder }: ComboboxProps) {
  const [query, setQuery] = useState('');
  const found = useMemo(() => {
    const words = plain(query).split(/\s+/).filter(Boolean);
    const starts = (i: Item): number => (words[0] && plain(i.label).startsWith(words[0]) ? 0 : 1);
    return items
      .filter((i) => words.every((w) => plain(`${i.label} ${i.note ?? ''}`).includes(w)))
      .toSorted((a, b) => starts(a) - starts(b))
      .slice(0, maxShown);
  }, [items, query]);
  const known = useMemo(() => new Map(items.map((i) => [i.value, i])), [items]);
  const collection = useMemo(
    () =>
      zag.collection<Item>({
        items: [...new Set([...found, ...value.map((v) => known.get(v) ?? { value: v, label: v })])],
        itemToValue: (i) => i.value,
        itemToString: (i) => i.label,
      }),
    [found, known, value],
  );
  const { id, readOnly, ...aria } = attributes;
  const service = useWidgetMachine<zag.Service, zag.Props>(zag.machine, {
    id,
    ids: { input: id, label: `${id}-label` },
    collection,
    value: [...value],
    multiple: Boolean(multiple),
    readOnly: Boolean(readOnly),
    invalid: Boolean(attributes['aria-invalid']),
    placeholder: placeholder ?? '',
    openOnClick: true,
    inputBehavior: 'autohighlight',
    positioning: { sameWidth: true, strategy: 'fixed' },
    translations: {
      triggerLabel: say('open_list', { label }),
      clearTriggerLabel: say('clear', { label }),
      noResults: say('no_match'),
      resultsCount: (n: number) => say('results', { count: n }),
    },
    onValueChange: (d) => set(d.value),
    onInputValueChange: (d) => setQuery(d.reason === 'input-change' ? d.inputValue : ''),
    onOpenChange: (d) => {
      if (!d.open) setQuery('');
    },
  });
  const api = zag.connect(service, normalizeProps);
  return (
    <div {...api.getRootProps()} class="combo" lang={lang}>
      <div {...api.getControlProps()} class={`${multiple ? 'tags' : 'affix'} ${readOnly ? 'readonly' : ''}`}>
        {multiple
          ? value.map((v) => (
              <span key={v} class="tag">
                {known.get(v)?.label ?? v}
                {readOnly ? null : (
                  <button
                    type="button"
                    aria-label={say('remove', { name: known.get(v)?.label ?? v })}
                    onClick={() => set(value.filter((other) => other !== v))}
                  >
                    <Icon of={X} small />
                  </button>
                )}
              </span>
            ))
          : null}
        <input
          {...(api.getInputProps() as object)}
          {...aria}
          placeholder={multiple && value.length ? say('add') : placeholder}
        />
        {!multiple && known.get(value[0] ?? '')?.note && !api.open ? (
          <span>{known.get(value[0] ?? '')?.note}</span>
        ) : null}
        {clearable && value.length && !readOnly ? (
          <button {...api.getClearTriggerProps()} type="button" class="btn plain icon sm">
            <Icon of={X} small />
          </button>
        ) : null}
        {readOnly ? null : (
          <button {...api.getTriggerProps()} type="button" class="btn plain icon sm">
            <Icon of={ChevronDown} small />
          </button>
        )}
      </div>
      <div {...api.getPositionerProps()} class="pop-at">
        {api.open ? (
          <ul {...api.getContentProps()} class="pop listbox">
            {found.map((i) => (
              <li key={i.value} {...api.getItemProps({ item: i })}>
                <span class="grow clip">{i.label}</span>
                {i.note ? <span class="small muted">{i.note}</span> : null}
                {value.includes(i.value) ? <Icon of={Check} small /> : null}
              </li>
            ))}
            {found.length ? null : <li class="small muted no-match">{say('no_match')}</li>}
          </ul>
        ) : null}
      </div>
    </div>
  );
}
