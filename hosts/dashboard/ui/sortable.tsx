// A list whose entries are moved with a handle, by dragging or with the keyboard.

import { combine } from '@atlaskit/pragmatic-drag-and-drop/combine';
import { draggable, dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter';
import { attachClosestEdge, extractClosestEdge } from '@atlaskit/pragmatic-drag-and-drop-hitbox/closest-edge';
import { getReorderDestinationIndex } from '@atlaskit/pragmatic-drag-and-drop-hitbox/util/get-reorder-destination-index';
import { GripVertical } from 'lucide-preact';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon } from './icon.tsx';
import { type Lift, pressKey } from './order.ts';
import { say } from './words.ts';

export interface Moves {
  /** The button that drags the entry, and that lifts it for the arrow keys. */
  readonly handle: ComponentChildren;
  /** The buttons "Move up" and "Move down" for the entry's menu. */
  readonly buttons: ComponentChildren;
  /** Whether the entry is being moved with the keyboard. */
  readonly lifted: boolean;
}

interface Props<T> {
  /** The list's accessible name. */
  readonly label: string;
  readonly entries: readonly T[];
  readonly keyOf: (entry: T) => string;
  readonly nameOf: (entry: T, at: number) => string;
  readonly move: (from: number, to: number) => void;
  readonly class?: string;
  readonly itemClass?: (entry: T, at: number) => string;
  readonly children: (entry: T, at: number, moves: Moves) => ComponentChildren;
}

/**
 * An ordered list with drag handles. On a handle, Space lifts the entry, arrow keys move it, Space
 * drops it and Escape moves it back. Moves are announced, and the focus stays on the handle.
 */
export function Sortable<T>({ label, entries, keyOf, nameOf, move, class: look, itemClass, children }: Props<T>) {
  const list = useRef<HTMLOListElement>(null);
  const id = useId();
  const [lift, setLift] = useState<Lift | null>(null);
  const [said, setSaid] = useState('');
  const focusAt = useRef<number | null>(null);
  useLayoutEffect(() => {
    if (focusAt.current === null) return;
    list.current?.querySelectorAll<HTMLElement>(`:scope > li [data-handle="${id}"]`)[focusAt.current]?.focus();
    focusAt.current = null;
  });
  const nameAt = (at: number): string => {
    const entry = entries[at];
    return entry === undefined ? '' : nameOf(entry, at);
  };
  const announce = (what: 'lifted' | 'moved_to' | 'dropped' | 'put_back', name: string, at: number): void =>
    setSaid(say(what, { name, at: at + 1, total: entries.length }));
  const moveTo = (from: number, to: number): void => {
    if (to < 0 || to >= entries.length || to === from) return;
    focusAt.current = to;
    dropped(from, to);
  };
  const dropped = (from: number, to: number): void => {
    if (to === from) return;
    announce('moved_to', nameAt(from), to);
    move(from, to);
  };
  const toggle = (at: number): void => {
    setLift(lift ? null : { from: at, at });
    announce(lift ? 'dropped' : 'lifted', nameAt(at), at);
  };
  const press = (event: KeyboardEvent): void => {
    if (!lift) return;
    const next = pressKey(lift, event.key, entries.length);
    if (next === undefined) return;
    if (!next) {
      setLift(null);
      return;
    }
    event.preventDefault();
    event.stopPropagation(); // Escape must not close a panel
    moveTo(lift.at, next.at);
    const escaped = event.key === 'Escape';
    setLift(escaped ? null : next);
    if (escaped) announce('put_back', nameAt(lift.at), next.at);
  };
  const blurred = (): void => {
    if (focusAt.current === null) setLift(null);
  };
  return (
    <>
      <ol ref={list} class={look ?? 'stack g3'} aria-label={label}>
        {entries.map((entry, at) => {
          const lifted = lift?.at === at;
          const name = nameOf(entry, at);
          return (
            <Item
              key={keyOf(entry)}
              list={id}
              at={at}
              dropped={dropped}
              class={`${itemClass?.(entry, at) ?? 'item'} ${lifted ? 'drag' : ''}`}
            >
              {children(entry, at, {
                lifted,
                handle: (
                  <button
                    type="button"
                    class="handle"
                    data-handle={id}
                    aria-label={say('move', { name })}
                    aria-pressed={lifted}
                    onClick={() => toggle(at)}
                    onKeyDown={press}
                    onBlur={blurred}
                  >
                    <Icon of={GripVertical} />
                  </button>
                ),
                buttons: (
                  <>
                    {at > 0 ? (
                      <button type="button" onClick={() => moveTo(at, at - 1)}>
                        {say('move_up')}
                      </button>
                    ) : null}
                    {at < entries.length - 1 ? (
                      <button type="button" onClick={() => moveTo(at, at + 1)}>
                        {say('move_down')}
                      </button>
                    ) : null}
                  </>
                ),
              })}
            </Item>
          );
        })}
      </ol>
      <p class="unseen" aria-live="assertive">
        {said}
      </p>
    </>
  );
}

interface ItemProps {
  readonly list: string;
  readonly at: number;
  readonly class: string;
  readonly dropped: (from: number, to: number) => void;
  readonly children: ComponentChildren;
}

/** An entry that can be dragged by its handle. A line shows where a dragged entry would land. */
function Item({ list, at, class: look, dropped, children }: ItemProps) {
  const element = useRef<HTMLLIElement>(null);
  const drop = useRef(dropped);
  drop.current = dropped;
  const [dragging, setDragging] = useState(false);
  const [edge, setEdge] = useState<'top' | 'bottom' | null>(null);
  useEffect(() => {
    const item = element.current;
    const handle = item?.querySelector(`[data-handle="${list}"]`);
    if (!item || !handle) return;
    const ofList = ({ source }: { source: { data: Readonly<Record<string, unknown>> } }): boolean =>
      source.data.list === list;
    return combine(
      draggable({
        element: item,
        dragHandle: handle,
        getInitialData: () => ({ list, at }),
        onDragStart: () => setDragging(true),
        onDrop: () => setDragging(false),
      }),
      dropTargetForElements({
        element: item,
        canDrop: ofList,
        getData: ({ input, element: target }) =>
          attachClosestEdge({ at }, { input, element: target, allowedEdges: ['top', 'bottom'] }),
        onDrag: ({ self, source }) => {
          const to = destination(Number(source.data.at), at, self.data);
          setEdge(to === source.data.at ? null : closestEdge(self.data));
        },
        onDragLeave: () => setEdge(null),
        onDrop: ({ self, source }) => {
          setEdge(null);
          const from = Number(source.data.at);
          drop.current(from, destination(from, at, self.data));
        },
      }),
    );
  }, [list, at]);
  return (
    <li ref={element} class={`${look} ${dragging ? 'drag' : ''}`}>
      {children}
      {edge ? <span class={`dropline ${edge}`} aria-hidden="true" /> : null}
    </li>
  );
}

type Data = Readonly<Record<string | symbol, unknown>>;

const closestEdge = (data: Data): 'top' | 'bottom' => (extractClosestEdge(data) === 'top' ? 'top' : 'bottom');

const destination = (startIndex: number, indexOfTarget: number, data: Data): number =>
  getReorderDestinationIndex({
    startIndex,
    indexOfTarget,
    closestEdgeOfTarget: extractClosestEdge(data),
    axis: 'vertical',
  });
