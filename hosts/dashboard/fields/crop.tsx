// The dialog that crops a picture, by dragging or by numbers.
import Cropper from 'cropperjs';
import { useEffect, useRef, useState } from 'preact/hooks';
import { say } from '../media/words.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Form } from '../ui/form.tsx';
import { UserError } from '../ui/notice.tsx';
import { Segments } from '../ui/segments.tsx';

interface Props {
  readonly source: string;
  readonly name: string;
  /** The initial ratio of width to height; 0 for any. */
  readonly aspect: number;
  readonly done: (file: File) => void;
  readonly close: () => void;
}

/** A rectangle in pixels of the picture. */
interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const shapes = { free: 0, wide: 16 / 9, square: 1 } as const;

export default function CropDialog({ source, name, aspect, done, close }: Props) {
  const picture = useRef<HTMLImageElement>(null);
  const cropper = useRef<Cropper | null>(null);
  const [area, setArea] = useState<Area | null>(null);
  const [shape, setShape] = useState<keyof typeof shapes>(
    aspect ? (Math.abs(aspect - 1) < 0.01 ? 'square' : 'wide') : 'free',
  );
  useEffect(() => {
    const image = picture.current;
    if (!image) return;
    const made = new Cropper(image, { template });
    cropper.current = made;
    const selection = made.getCropperSelection();
    void made.getCropperImage()?.$ready(() => {
      made.getCropperImage()?.$center('contain');
      select(wholeArea(image, shapes[shape]));
    });
    const changed = (e: Event): void => {
      const { x, y, width, height } = (e as CustomEvent<Area>).detail;
      const place = placement();
      if (!place) return;
      const next = {
        x: Math.round((x - place.left) / place.scale),
        y: Math.round((y - place.top) / place.scale),
        width: Math.round(width / place.scale),
        height: Math.round(height / place.scale),
      };
      const { naturalWidth, naturalHeight } = image;
      const slack = 2 / place.scale;
      if (
        next.x < -slack ||
        next.y < -slack ||
        next.x + next.width > naturalWidth + slack ||
        next.y + next.height > naturalHeight + slack
      )
        e.preventDefault(); // the selection stays within the picture
      else setArea(next);
    };
    selection?.addEventListener('change', changed);
    return () => made.destroy();
  }, []);
  /** Returns the picture's position in the canvas, and its scale. */
  const placement = (): { left: number; top: number; scale: number } | null => {
    const image = cropper.current?.getCropperImage()?.getBoundingClientRect();
    const canvas = cropper.current?.getCropperCanvas()?.getBoundingClientRect();
    const natural = picture.current?.naturalWidth;
    if (!image || !canvas || !natural || !image.width) return null;
    return { left: image.left - canvas.left, top: image.top - canvas.top, scale: image.width / natural };
  };
  const select = (to: Area): void => {
    const place = placement();
    if (!place) return;
    const { x, y, width, height } = to;
    cropper.current
      ?.getCropperSelection()
      ?.$change(place.left + x * place.scale, place.top + y * place.scale, width * place.scale, height * place.scale);
    setArea(to);
  };
  const reshape = (to: keyof typeof shapes): void => {
    setShape(to);
    const selection = cropper.current?.getCropperSelection();
    if (selection) selection.aspectRatio = shapes[to] || Number.NaN;
    if (picture.current) select(wholeArea(picture.current, shapes[to]));
  };
  const save = async (): Promise<void> => {
    if (picture.current && area) done(await cut(picture.current, area, name));
  };
  return (
    <Dialog title={say('crop_title')} close={close} wide>
      <Form dialog task={save} submitLabel={say('crop_go')} disabled={!area}>
        <div class="crop">
          <img ref={picture} src={source} alt="" />
        </div>
        <div class="row wrap between">
          <Segments
            name={say('shape')}
            value={shape}
            set={reshape}
            choices={(Object.keys(shapes) as (keyof typeof shapes)[]).map((s) => [s, say(`shape_${s}`)])}
          />
          <div class="row wrap">
            {area
              ? (['x', 'y', 'width', 'height'] as const).map((key) => (
                  <label key={key} class="affix crop-number">
                    <span>{say(`crop_${key}`)}</span>
                    <input
                      type="number"
                      min={0}
                      value={area[key]}
                      onChange={(e) =>
                        picture.current &&
                        select(
                          within(
                            picture.current,
                            { ...area, [key]: Number(e.currentTarget.value) || 0 },
                            key,
                            shapes[shape],
                          ),
                        )
                      }
                    />
                  </label>
                ))
              : null}
          </div>
        </div>
      </Form>
    </Dialog>
  );
}

const template = `<cropper-canvas background scale-step="0">
  <cropper-image></cropper-image>
  <cropper-shade hidden></cropper-shade>
  <cropper-selection movable resizable outlined>
    <cropper-grid role="grid" bordered covered></cropper-grid>
    <cropper-handle action="move" theme-color="rgba(255, 255, 255, 0.1)"></cropper-handle>
    ${['n', 'e', 's', 'w', 'ne', 'nw', 'se', 'sw'].map((d) => `<cropper-handle action="${d}-resize"></cropper-handle>`).join('')}
  </cropper-selection>
</cropper-canvas>`;

/** Returns the largest centered area of a shape. */
function wholeArea({ naturalWidth, naturalHeight }: HTMLImageElement, ratio: number): Area {
  const width = ratio ? Math.min(naturalWidth, naturalHeight * ratio) : naturalWidth;
  const height = ratio ? width / ratio : naturalHeight;
  return {
    x: Math.round((naturalWidth - width) / 2),
    y: Math.round((naturalHeight - height) / 2),
    width: Math.round(width),
    height: Math.round(height),
  };
}

/** Returns an area that fits into the picture after one of its numbers was typed. */
function within({ naturalWidth, naturalHeight }: HTMLImageElement, to: Area, typed: keyof Area, ratio: number): Area {
  const clamp = (n: number, low: number, high: number): number => Math.max(low, Math.min(n, high));
  let width = clamp(to.width, 1, naturalWidth);
  let height = clamp(to.height, 1, naturalHeight);
  if (ratio) {
    if (typed === 'height') width = clamp(Math.round(height * ratio), 1, naturalWidth);
    height = clamp(Math.round(width / ratio), 1, naturalHeight);
  }
  return { x: clamp(to.x, 0, naturalWidth - width), y: clamp(to.y, 0, naturalHeight - height), width, height };
}

const quality = 0.9;

/** Returns an area of a picture as a file. */
async function cut(picture: HTMLImageElement, { x, y, width, height }: Area, name: string): Promise<File> {
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  canvas.getContext('2d')?.drawImage(picture, x, y, width, height, 0, 0, width, height);
  const type = /\.jpe?g$/i.test(name) ? 'image/jpeg' : /\.png$/i.test(name) ? 'image/png' : 'image/webp';
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, type, quality));
  if (!blob) throw new UserError(say('crop_failed'));
  return new File([blob], name.replace(/(\.[^.]*)?$/, `-crop.${type.slice(6).replace('jpeg', 'jpg')}`), { type });
}
