// A color as a hex code with a swatch that opens a picker.
import * as zag from '@zag-js/color-picker';
import { isColor } from './check.ts';
import type { ControlAttributes } from './frame.tsx';
import { normalizeProps, useWidgetMachine } from './machine.ts';
import { say } from './words.ts';

interface ColorProps {
  readonly attributes: ControlAttributes;
  readonly label: string;
  /** A hex code, or any text during typing. */
  readonly value: string;
  readonly set: (value: string) => void;
  /** The color that applies if the field is empty. */
  readonly fallback: string;
  /** Colors to choose from, such as those of the rest of the design. */
  readonly swatches: readonly string[];
}

export function ColorPicker({ attributes, label, value, set, fallback, swatches }: ColorProps) {
  const { id, readOnly, ...aria } = attributes;
  const shown = isColor(value) ? value : isColor(fallback) ? fallback : '#000000';
  const service = useWidgetMachine<zag.Service, zag.Props>(zag.machine, {
    id: `${id}-picker`,
    value: zag.parse(shown),
    format: 'hsba',
    readOnly: Boolean(readOnly),
    disabled: Boolean(readOnly),
    positioning: { strategy: 'fixed', placement: 'bottom-start' },
    onValueChange: (d) => {
      const hex = d.value.toString('hex').toLowerCase();
      if (hex !== shown.toLowerCase()) set(hex);
    },
  });
  const api = zag.connect(service, normalizeProps);
  return (
    <div {...api.getRootProps()}>
      <div {...api.getControlProps()} class={`affix color-affix ${readOnly ? 'readonly' : ''}`}>
        <button
          {...api.getTriggerProps()}
          type="button"
          class="swatch"
          aria-label={say('pick_color', { label })}
          style={{ '--c': isColor(value) || isColor(fallback) ? shown : 'transparent' }}
        />
        <input
          {...aria}
          id={id}
          class="mono"
          readOnly={readOnly}
          spellcheck={false}
          autocomplete="off"
          value={value}
          placeholder={fallback}
          onInput={(e) => set(e.currentTarget.value.trim())}
        />
      </div>
      <div {...api.getPositionerProps()} class="pop-at">
        {api.open ? (
          <div {...api.getContentProps()} class="pop color-pop" {...{ 'aria-label': say('pick_color', { label }) }}>
            <div {...api.getAreaProps()} class="color-area">
              <div {...api.getAreaBackgroundProps()} class="color-area-bg" />
              <div {...api.getAreaThumbProps()} class="color-thumb" {...{ 'aria-label': say('shade') }} />
            </div>
            <div {...api.getChannelSliderProps({ channel: 'hue' })} class="color-hue">
              <div {...api.getChannelSliderTrackProps({ channel: 'hue' })} class="color-hue-track" />
              <div
                {...api.getChannelSliderThumbProps({ channel: 'hue' })}
                class="color-thumb"
                {...{ 'aria-label': say('hue') }}
              />
            </div>
            {swatches.length ? (
              <div {...api.getSwatchGroupProps()} class="swatches">
                {swatches.map((c) => (
                  <button
                    key={c}
                    {...api.getSwatchTriggerProps({ value: c })}
                    type="button"
                    class="swatch"
                    style={{ '--c': c }}
                    aria-label={c}
                  />
                ))}
              </div>
            ) : null}
          </div>
        ) : null}
      </div>
    </div>
  );
}
