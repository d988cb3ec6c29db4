// A date and time as text, with a calendar and a time below it.
import * as zag from '@zag-js/date-picker';
import { Calendar, ChevronLeft, ChevronRight } from 'lucide-preact';
import { useState } from 'preact/hooks';
import { Icon } from '../ui/icon.tsx';
import { lang } from '../words.ts';
import type { ControlAttributes } from './frame.tsx';
import { normalizeProps, useWidgetMachine } from './machine.ts';
import { dateOf, type Edge, fileMoment, parseMoment, parseTime, timeOf, type Wall, wallOf } from './moment.ts';
import { say } from './words.ts';
import { formatWall, platformZone, today, zoneName } from './zone.ts';

export interface MomentProps {
  readonly attributes: ControlAttributes;
  readonly label: string;
  /** A time in the format of files, or any other text. */
  readonly value: string;
  readonly set: (value: string | undefined) => void;
  readonly edge: Edge;
  readonly placeholder?: string | undefined;
  /** The first date that can be chosen in the calendar, such as 2026-12-01. */
  readonly min?: string | undefined;
}

export function MomentPicker({ attributes, label, value, set, edge, placeholder, min }: MomentProps) {
  const { id, readOnly, ...aria } = attributes;
  const [typed, setTyped] = useState<string | null>(null);
  const wall = wallOf(value, edge, platformZone);
  const take = (w: Wall): void => {
    setTyped(null);
    set(fileMoment(w, edge));
  };
  const type = (text: string): void => {
    setTyped(text);
    const parsed = parseMoment(text, edge, today(), lang === 'es');
    set(text.trim() ? (parsed ? fileMoment(parsed, edge) : text) : undefined);
  };
  const service = useWidgetMachine<zag.Service, zag.Props>(zag.machine, {
    id: `${id}-picker`,
    locale: lang === 'es' ? 'es-ES' : 'en-US',
    timeZone: platformZone,
    value: wall ? [zag.parse(dateOf(wall))] : [],
    ...(wall ? {} : { defaultFocusedValue: zag.parse(dateOf(today())) }),
    min: min ? zag.parse(min) : undefined,
    fixedWeeks: false,
    closeOnSelect: false,
    readOnly: Boolean(readOnly),
    positioning: { strategy: 'fixed', placement: 'bottom-end' },
    translations: {
      content: say('calendar', { label }),
      trigger: (open: boolean) => say(open ? 'close_calendar' : 'open_calendar', { label }),
      prevTrigger: () => say('previous_month'),
      nextTrigger: () => say('next_month'),
      viewTrigger: () => say('choose_month'),
    },
    onValueChange: ({ value: [chosen] }) => {
      if (!chosen) return;
      const { hour, minute } = wall ?? { hour: edge === 'ends' ? 23 : 0, minute: edge === 'ends' ? 59 : 0 };
      take({ year: chosen.year, month: chosen.month, day: chosen.day, hour, minute });
    },
  });
  const api = zag.connect(service, normalizeProps);
  const zone = zoneName(wall ?? today());
  return (
    <div {...api.getRootProps()}>
      <div {...api.getControlProps()} class={`affix ${readOnly ? 'readonly' : ''}`}>
        {readOnly ? (
          <Icon of={Calendar} small />
        ) : (
          <button {...api.getTriggerProps()} type="button" class="btn plain icon sm at-start">
            <Icon of={Calendar} small />
          </button>
        )}
        <input
          {...aria}
          id={id}
          readOnly={readOnly}
          autocomplete="off"
          placeholder={placeholder}
          value={typed ?? (wall ? formatWall(wall) : value)}
          onInput={(e) => type(e.currentTarget.value)}
          onBlur={() => setTyped(null)}
          onKeyDown={(e) => {
            if (e.key !== 'ArrowDown' || !e.altKey || readOnly) return;
            e.preventDefault();
            api.setOpen(true);
          }}
        />
        <span>{zone}</span>
      </div>
      <div {...api.getPositionerProps()} class="pop-at">
        {api.open ? (
          <div {...api.getContentProps()} class="pop cal">
            <div class="row between">
              <button {...api.getPrevTriggerProps()} type="button" class="btn plain icon sm">
                <Icon of={ChevronLeft} small />
              </button>
              <b aria-live="polite">{api.visibleRangeText.start}</b>
              <button {...api.getNextTriggerProps()} type="button" class="btn plain icon sm">
                <Icon of={ChevronRight} small />
              </button>
            </div>
            <table {...api.getTableProps({ view: 'day' })}>
              <thead {...api.getTableHeaderProps({ view: 'day' })}>
                <tr {...api.getTableRowProps({ view: 'day' })}>
                  {api.weekDays.map((d) => (
                    <th key={d.long} scope="col" abbr={d.long}>
                      {d.short.slice(0, 2)}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody {...api.getTableBodyProps({ view: 'day' })}>
                {api.weeks.map((week) => (
                  <tr key={String(week[0])} {...api.getTableRowProps({ view: 'day' })}>
                    {week.map((day) => (
                      <td key={String(day)} {...api.getDayTableCellProps({ value: day })}>
                        <div {...api.getDayTableCellTriggerProps({ value: day })} class="cal-day">
                          {day.day}
                        </div>
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
            <label class="row cal-time">
              <span class="small soft">{say('time')}</span>
              <span class="affix w-m">
                <input
                  type="time"
                  value={wall ? timeOf(wall) : ''}
                  onInput={(e) => {
                    const clock = parseTime(e.currentTarget.value);
                    if (clock) take({ ...(wall ?? today()), ...clock });
                  }}
                />
                <span>{zone}</span>
              </span>
            </label>
          </div>
        ) : null}
      </div>
    </div>
  );
}
