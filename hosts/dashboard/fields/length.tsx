import { FieldFrame, type FieldProps } from './frame.tsx';
import { say } from './words.ts';

const most = 32; // pixels, at the end of the slider

/**
 * A field for a length, as a slider and a number of pixels. Lengths in other units are kept until
 * they are changed.
 */
export function LengthField(p: FieldProps<string>) {
  const pixels = /^(\d+(?:\.\d+)?)(?:px)?$/.exec(p.value ?? p.placeholder ?? '')?.[1];
  const set = (typed: string): void => p.set(typed === '' ? undefined : typed === '0' ? '0' : `${typed}px`);
  return (
    <FieldFrame props={p} problem={p.check?.(p.value) ?? ''}>
      {({ readOnly, ...a }) => (
        <span class="row g3">
          <input
            {...a}
            type="range"
            class="range grow"
            min={0}
            max={most}
            disabled={readOnly}
            value={pixels ?? 0}
            onInput={(e) => set(e.currentTarget.value)}
          />
          <span class="affix w-s">
            <input
              aria-label={say('radius', { label: p.label })}
              inputMode="decimal"
              readOnly={readOnly}
              value={p.value?.replace(/px$/, '') ?? ''}
              placeholder={p.placeholder?.replace(/px$/, '')}
              onInput={(e) => {
                const typed = e.currentTarget.value.trim();
                p.set(typed === '' ? undefined : /^[\d.]+$/.test(typed) && typed !== '0' ? `${typed}px` : typed);
              }}
            />
            <span>px</span>
          </span>
        </span>
      )}
    </FieldFrame>
  );
}
