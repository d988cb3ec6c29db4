// A link's QR code, generated in the browser without a third-party service, with PNG and SVG
// downloads.
import { Download } from 'lucide-preact';
import { useMemo } from 'preact/hooks';
import { encode } from 'uqr';
import { Button } from '../ui/button.tsx';
import { save } from '../ui/download.ts';
import { Icon } from '../ui/icon.tsx';
import { count } from '../words.ts';
import { say } from './words.ts';

const quietZone = 4; // modules of white margin around the code (ISO/IEC 18004, 9.1)
const pixelsPerModule = 24; // pixels per module in the PNG: prints at about 9 cm at 300 dpi

export function QR({ text, name }: { text: string; name: string }) {
  const code = useMemo(() => encodeQR(text), [text]);
  const svg = async (): Promise<void> => save(new Blob([toSVG(code)], { type: 'image/svg+xml' }), `${name}.svg`);
  const png = async (): Promise<void> => save(await toPNG(code), `${name}.png`);
  return (
    <figure class="qr">
      <svg
        viewBox={`0 0 ${code.size} ${code.size}`}
        role="img"
        aria-label={say('qr_of', { link: text })}
        shape-rendering="crispEdges"
      >
        <rect width={code.size} height={code.size} fill="#fff" />
        <path d={code.path} fill="#000" />
      </svg>
      <figcaption class="stack g3">
        <p class="small muted">{say('qr_hint')}</p>
        <div class="row wrap">
          <Button small task={svg}>
            <Icon of={Download} small />
            SVG
          </Button>
          <Button small task={png}>
            <Icon of={Download} small />
            {say('png', { size: count(code.size * pixelsPerModule) })}
          </Button>
        </div>
      </figcaption>
    </figure>
  );
}

interface QRCode {
  readonly size: number; // modules, with the quiet zone
  readonly path: string;
}

function encodeQR(text: string): QRCode {
  const { data } = encode(text, { ecc: 'M', border: 0 });
  const path = data
    .flatMap((row, y) => row.map((dark, x) => (dark ? `M${x + quietZone},${y + quietZone}h1v1h-1z` : '')))
    .join('');
  return { size: data.length + 2 * quietZone, path };
}

function toSVG({ size, path }: QRCode): string {
  const pixels = size * pixelsPerModule;
  const frame = `viewBox="0 0 ${size} ${size}" width="${pixels}" height="${pixels}" shape-rendering="crispEdges"`;
  const background = `<rect width="${size}" height="${size}" fill="#fff"/>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${frame}>${background}<path d="${path}" fill="#000"/></svg>`;
}

async function toPNG({ size, path }: QRCode): Promise<Blob> {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = size * pixelsPerModule;
  const context = canvas.getContext('2d');
  if (context) {
    context.fillStyle = '#fff';
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.scale(pixelsPerModule, pixelsPerModule);
    context.fillStyle = '#000';
    context.fill(new Path2D(path));
  }
  return new Promise((resolve, reject) => canvas.toBlob((b) => (b ? resolve(b) : reject(new Error('no picture')))));
}
