// An input for a list of short texts. Pasted lists are split. Invalid texts are kept and shown in
// red.
import * as zag from '@zag-js/tags-input';
import { X } from 'lucide-preact';
import { Icon } from '../ui/icon.tsx';
import type { ControlAttributes } from './frame.tsx';
import { normalizeProps, useWidgetMachine } from './machine.ts';
import { say } from './words.ts';

interface TagsProps {
  readonly attributes: ControlAttributes;
  readonly value: readonly string[];
  readonly set: (value: readonly string[]) => void;
  readonly isValid: (tag: string) => boolean;
  /** Returns the text that a tag shows, such as "Day 3". */
  readonly show?: ((tag: string) => string) | undefined;
  readonly max?: number | undefined;
  readonly placeholder?: string | undefined;
  readonly adding: string;
}

const separators = /[,;\s]+/;

export function Tags({ attributes, value, set, isValid, show = (t) => t, max, placeholder, adding }: TagsProps) {
  const { id, readOnly, ...aria } = attributes;
  const service = useWidgetMachine<zag.Service, zag.Props>(zag.machine, {
    id,
    ids: { input: id, label: `${id}-label` },
    value: [...value],
    readOnly: Boolean(readOnly),
    invalid: Boolean(attributes['aria-invalid']),
    delimiter: separators,
    addOnPaste: true,
    blurBehavior: 'add',
    max: max ?? Number.POSITIVE_INFINITY,
    allowOverflow: true,
    translations: {
      deleteTagTriggerLabel: (tag: string) => say('remove', { name: show(tag) }),
      tagSelected: (tag: string) => say('tag_selected', { name: show(tag) }),
      tagAdded: (tag: string) => say('tag_added', { name: show(tag) }),
      tagsPasted: (tags: string[]) => say('tags_added', { count: tags.length }),
      tagEdited: (tag: string) => say('tag_edit', { name: show(tag) }),
      tagUpdated: (tag: string) => say('tag_changed', { name: show(tag) }),
      tagDeleted: (tag: string) => say('tag_removed', { name: show(tag) }),
    },
    onValueChange: (d) => set([...new Set(d.value.flatMap((tag) => tag.split(separators).filter(Boolean)))]),
  });
  const api = zag.connect(service, normalizeProps);
  return (
    <div {...api.getRootProps()}>
      <div {...api.getControlProps()} class={`tags ${readOnly ? 'readonly' : ''}`}>
        {api.value.map((tag, index) => {
          const item = { index, value: tag };
          return (
            <span key={`${index} ${tag}`} {...api.getItemProps(item)}>
              <span {...api.getItemPreviewProps(item)} class={`tag ${isValid(tag) ? '' : 'bad'}`}>
                <span {...api.getItemTextProps(item)}>{show(tag)}</span>
                {readOnly ? null : (
                  <button {...api.getItemDeleteTriggerProps(item)} type="button">
                    <Icon of={X} small />
                  </button>
                )}
              </span>
              <input {...(api.getItemInputProps(item) as object)} />
            </span>
          );
        })}
        {readOnly ? null : (
          <input
            {...(api.getInputProps() as object)}
            {...aria}
            placeholder={api.value.length ? adding : (placeholder ?? adding)}
          />
        )}
      </div>
      <input {...(api.getHiddenInputProps() as object)} />
    </div>
  );
}
