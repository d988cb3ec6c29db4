// A link as a code to scan, made in the browser: nobody is asked, and the files are saved
// from here.
import { useMemo } from 'preact/hooks';
import { encode } from 'uqr';
import { save } from '../ui/download.ts';
import { say } from './words.ts';

const quiet = 4; // modules around the code that stay white (ISO/IEC 18004, 9.1)
const printed = 24; // pixels of a module in the PNG: some 9 cm at 300 dpi

export function QR({ text, name }: { text: string; name: string }) {
  const code = useMemo(() => drawn(text), [text]);
  const svg = async (): Promise<void> => save(new Blob([file(code)], { type: 'image/svg+xml' }), `${name}.svg`);
  const png = async (): Promise<void> => save(await painted(code), `${name}.png`);
  return (
    <figure class="qr">
      <svg viewBox={`0 0 ${code.size} ${code.size}`} role="img" aria-label={say('qr_of', { link: text })} shape-rendering="crispEdges">
        <rect width={code.size} height={code.size} fill="#fff" />
        <path d={code.path} fill="#000" />
      </svg>
      <figcaption class="row">
        <button type="button" class="quiet small-button" onClick={() => void png()}>PNG</button>
        <button type="button" class="quiet small-button" onClick={() => void svg()}>SVG</button>
      </figcaption>
    </figure>
  );
}

interface Drawn {
  readonly size: number; // modules, with the quiet zone
  readonly path: string;
}

function drawn(text: string): Drawn {
  const { data } = encode(text, { ecc: 'M', border: 0 });
  const path = data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x + quiet},${y + quiet}h1v1h-1z` : ''))).join('');
  return { size: data.length + 2 * quiet, path };
}

const file = ({ size, path }: Drawn): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" width="${size * printed}" height="${size * printed}" shape-rendering="crispEdges"><rect width="${size}" height="${size}" fill="#fff"/><path d="${path}" fill="#000"/></svg>`;

async function painted({ size, path }: Drawn): Promise<Blob> {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = size * printed;
  const context = canvas.getContext('2d');
  if (context) {
    context.fillStyle = '#fff';
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.scale(printed, printed);
    context.fillStyle = '#000';
    context.fill(new Path2D(path));
  }
  return new Promise((resolve, reject) => canvas.toBlob((b) => (b ? resolve(b) : reject(new Error('no picture')))));
}
