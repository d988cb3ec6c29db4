// The contrast between colors according to WCAG 2.2.

type RGB = readonly [number, number, number];

function rgbOf(hex: string): RGB | null {
  const m = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(hex);
  if (!m?.[1]) return null;
  const full = m[1].length === 3 ? [...m[1]].map((c) => c + c).join('') : m[1];
  return [0, 2, 4].map((i) => Number.parseInt(full.slice(i, i + 2), 16)) as unknown as RGB;
}

function luminance(rgb: RGB): number {
  const [r, g, b] = rgb.map((v) => {
    const s = v / 255;
    return s <= 0.04045 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4;
  }) as unknown as RGB;
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** Returns the contrast between two colors, from 1 to 21, or 0 if one of them is not a hex code. */
export function contrast(a: string, b: string): number {
  const [first, second] = [rgbOf(a), rgbOf(b)];
  if (!first || !second) return 0;
  const [high = 0, low = 0] = [luminance(first), luminance(second)].sort((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
}

/** Returns the closest darker color with enough contrast to white. */
export function darkened(hex: string, enough: number): string {
  const rgb = rgbOf(hex);
  if (!rgb) return hex;
  for (let share = 1; share > 0; share -= 0.01) {
    const next = `#${rgb
      .map((v) =>
        Math.round(v * share)
          .toString(16)
          .padStart(2, '0'),
      )
      .join('')}`;
    if (contrast(next, '#ffffff') >= enough) return next;
  }
  return '#000000';
}
