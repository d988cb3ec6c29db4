// Fields for pictures, videos and audio: a file is uploaded by choosing, dropping or pasting it, or
// taken from the library.
import { Crop, Images, Trash2, Upload as UploadIcon } from 'lucide-preact';
import type { ComponentChildren } from 'preact';
import { useContext, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { MediaFolderContext } from '../media/folder.ts';
import { Library } from '../media/library.tsx';
import { UploadStatus } from '../media/status.tsx';
import { imageSource, type Picture, Thumbnail } from '../media/thumbnail.tsx';
import { type Kind, type Listing, listingPath } from '../media/upload.ts';
import { accepted, type Upload, useUpload } from '../media/useupload.ts';
import { say } from '../media/words.ts';
import { useResource } from '../resources.ts';
import { Icon } from '../ui/icon.tsx';
import { Lazy } from '../ui/lazy.tsx';
import { FieldFrame, type FieldProps } from './frame.tsx';

interface ImageProps extends FieldProps<string> {
  /** The ratio of width to height that cards show of the picture, drawn as a frame. */
  readonly keeps?: number;
  /** Shown next to the picture, such as the field of its alt text. */
  readonly children?: ComponentChildren;
}

/** A field for a picture: the path of a file on the site, or an https URL. */
export function ImageField(p: ImageProps) {
  const { value = '', set, locked } = p;
  const upload = useUpload('image', set);
  const [dialog, setDialog] = useState<'' | 'library' | 'crop'>('');
  const [shown, setShown] = useState<Picture | null>(null);
  const folder = useContext(MediaFolderContext);
  const size = useResource<Listing>(value.startsWith('/') ? listingPath(folder) : '').value?.files.find(
    (f) => f.path === value,
  )?.size;
  const facts = [
    shown && !value.endsWith('.svg') ? `${shown.width} × ${shown.height}` : '',
    size ? sizeText(size) : '',
    value && !value.startsWith('/') ? say('external') : '',
  ].filter(Boolean);
  const off = Boolean(locked) || !upload.writable;
  return (
    <FieldFrame props={p} group problem={p.check?.(p.value) ?? (p.required && !value ? say('missing') : '')}>
      {(a) => (
        <DropTarget upload={upload} off={off} filled={value !== ''}>
          {value ? (
            <div class="fileimg" role="group" aria-labelledby={`${a.id}-label`}>
              <div class="pic">
                <Thumbnail path={value} loaded={setShown} />
                {p.keeps && shown ? <SafeFrame keeps={p.keeps} picture={shown} /> : null}
              </div>
              <div class="stack g3">
                <div>
                  <b class="file-name">{fileName(value)}</b>
                  {facts.length ? (
                    <p class="small muted">
                      {facts.join(', ')}
                      {p.keeps && shown ? `. ${say('safe')}` : ''}
                    </p>
                  ) : null}
                </div>
                {locked ? null : (
                  <div class="row wrap">
                    <ChooseButton id={a.id} kind="image" upload={upload} off={off} label={p.label}>
                      {say('replace')}
                    </ChooseButton>
                    {value.startsWith('/') && !value.endsWith('.svg') ? (
                      <button type="button" class="btn sm" disabled={off} onClick={() => setDialog('crop')}>
                        <Icon of={Crop} small />
                        {say('crop')}
                      </button>
                    ) : null}
                    <button type="button" class="btn sm plain" disabled={off} onClick={() => setDialog('library')}>
                      {say('from_library')}
                    </button>
                    <button
                      type="button"
                      class="btn sm plain icon"
                      aria-label={say('remove_field', { label: p.label })}
                      onClick={() => set(undefined)}
                    >
                      <Icon of={Trash2} small />
                    </button>
                  </div>
                )}
                {p.children}
              </div>
            </div>
          ) : (
            <div class="drop">
              <div class="row wrap center">
                <ChooseButton id={a.id} kind="image" upload={upload} off={off} label={p.label}>
                  {say('choose_file')}
                </ChooseButton>
                <button type="button" class="btn sm plain" disabled={off} onClick={() => setDialog('library')}>
                  <Icon of={Images} small />
                  {say('from_library')}
                </button>
              </div>
              <span class="tiny muted">
                <span class="by-mouse">{say('drop_here')} </span>
                {say('image')}
              </span>
            </div>
          )}
          <UploadStatus upload={upload} />
          {dialog === 'library' ? (
            <Library
              kind="image"
              home={folder}
              choose={(path) => {
                setDialog('');
                set(path);
              }}
              close={() => setDialog('')}
            />
          ) : null}
          {dialog === 'crop' ? (
            <Lazy
              name="crop"
              load={() => import('./crop.tsx')}
              props={{
                source: imageSource(value),
                name: fileName(value),
                aspect: p.keeps ?? 0,
                done: (file: File) => {
                  setDialog('');
                  upload.take(file, true);
                },
                close: () => setDialog(''),
              }}
            />
          ) : null}
        </DropTarget>
      )}
    </FieldFrame>
  );
}

interface MediaProps extends FieldProps<string> {
  readonly kind: Kind;
}

/** A field for a video or an audio file: a link, or an uploaded file. */
export function MediaField(p: MediaProps) {
  const { value = '', set, kind } = p;
  const upload = useUpload(kind, set);
  const [library, setLibrary] = useState(false);
  const folder = useContext(MediaFolderContext);
  const off = Boolean(p.locked) || !upload.writable;
  return (
    <FieldFrame props={p} problem={p.check?.(p.value) ?? (p.required && !value ? say('missing') : '')}>
      {(a) => (
        <DropTarget upload={upload} off={off}>
          <span class={`affix ${p.locked ? 'readonly' : ''}`}>
            <input
              {...a}
              value={value}
              placeholder={kind === 'video' ? say('video_link') : say('audio_link')}
              onInput={(e) => set(e.currentTarget.value.trim() || undefined)}
            />
            {p.locked ? null : (
              <ChooseButton kind={kind} upload={upload} off={off} label={p.label}>
                {say('upload')}
              </ChooseButton>
            )}
          </span>
          {p.locked ? null : (
            <button type="button" class="btn sm plain start" disabled={off} onClick={() => setLibrary(true)}>
              <Icon of={Images} small />
              {say('from_library')}
            </button>
          )}
          <UploadStatus upload={upload} />
          {library ? (
            <Library
              kind={kind}
              home={folder}
              choose={(path) => {
                setLibrary(false);
                set(path);
              }}
              close={() => setLibrary(false)}
            />
          ) : null}
        </DropTarget>
      )}
    </FieldFrame>
  );
}

interface DropProps {
  readonly upload: Upload;
  readonly off: boolean;
  /** Whether the children show a file. Other buttons replace those without one. */
  readonly filled?: boolean;
  readonly children: ComponentChildren;
}

/**
 * An area that accepts dropped and pasted files. If the focused button is replaced, the first one
 * gets the focus.
 */
function DropTarget({ upload, off, filled, children }: DropProps) {
  const area = useRef<HTMLDivElement>(null);
  const before = useRef(filled);
  const [over, setOver] = useState(false);
  useLayoutEffect(() => {
    if (before.current === filled) return;
    before.current = filled;
    if (document.activeElement === document.body) area.current?.querySelector<HTMLElement>('button')?.focus();
  }, [filled]);
  const take = (files: FileList | undefined): boolean => {
    const file = files?.[0];
    if (!file || off || upload.busy) return false;
    upload.take(file);
    return true;
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the buttons in it upload files without dragging
    <div
      ref={area}
      class={`stack g3 ${over ? 'dropping' : ''}`}
      onDragOver={(e) => {
        e.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(e) => {
        e.preventDefault();
        setOver(false);
        take(e.dataTransfer?.files);
      }}
      onPaste={(e) => {
        if (take(e.clipboardData?.files)) e.preventDefault();
      }}
    >
      {children}
    </div>
  );
}

interface ChooseProps {
  readonly id?: string;
  readonly kind: Kind;
  readonly upload: Upload;
  readonly off: boolean;
  readonly label: string;
  readonly children: ComponentChildren;
}

/** A button that opens the file chooser. */
function ChooseButton({ id, kind, upload, off, label, children }: ChooseProps) {
  const input = useRef<HTMLInputElement>(null);
  const chosen = (): void => {
    const file = input.current?.files?.[0];
    if (file) upload.take(file);
    if (input.current) input.current.value = '';
  };
  return (
    <>
      <button
        id={id}
        type="button"
        class="btn sm"
        disabled={off}
        aria-busy={upload.busy}
        onClick={() => input.current?.click()}
      >
        {upload.busy ? <span class="spin" aria-hidden="true" /> : <Icon of={UploadIcon} small />}
        {children}
      </button>
      <input
        ref={input}
        type="file"
        hidden
        accept={accepted[kind]}
        aria-label={`${say('upload')}: ${label}`}
        onChange={chosen}
      />
    </>
  );
}

/** The part of a picture that cards show. */
function SafeFrame({ keeps, picture }: { keeps: number; picture: Picture }) {
  const shownAs = 16 / 9; // the preview's aspect ratio
  const ratio = picture.width / picture.height;
  // The preview covers its box, so the visible part has the box's aspect ratio.
  const visible = Math.min(ratio, shownAs);
  const width = Math.min(1, keeps / Math.max(shownAs, visible));
  const height = Math.min(1, shownAs / keeps);
  return <span class="safe" aria-hidden="true" style={{ inset: `${(1 - height) * 50}% ${(1 - width) * 50}%` }} />;
}

const fileName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

const sizeText = (bytes: number): string =>
  bytes < 2 ** 20 ? `${Math.max(1, Math.round(bytes / 1024))} KB` : `${(bytes / 2 ** 20).toFixed(1)} MB`;
