// Shown in a field during an upload: the progress, an error, and the question about a name that
// already exists.
import { ErrorMessage, Notice } from '../ui/notice.tsx';
import { percent } from '../words.ts';
import type { Upload } from './useupload.ts';
import { say } from './words.ts';

export function UploadStatus({ upload }: { upload: Upload }) {
  const { name, share, conflict, error } = upload;
  return (
    <>
      {name ? (
        <div class="stack g1">
          <div class="row between small">
            <span class="clip">{name}</span>
            <span class="muted">{percent(share, 1)}</span>
          </div>
          <div
            class="mini"
            role="progressbar"
            aria-valuenow={Math.floor(share * 100)}
            aria-valuemin={0}
            aria-valuemax={100}
            aria-label={say('sending', { name })}
          >
            <i style={{ width: `${share * 100}%` }} />
          </div>
        </div>
      ) : null}
      {conflict ? (
        <div role="alert">
          <Notice tone="warn">
            <p>
              {say('clash', { name: conflict.name })}{' '}
              {conflict.users ? say('clash_used', { count: conflict.users }) : ''}
            </p>
            <div class="row wrap">
              <button type="button" class="btn sm" onClick={conflict.keepBoth}>
                {say('both')}
              </button>
              <button type="button" class="btn sm" onClick={conflict.replace}>
                {say('replace_it')}
              </button>
              <button type="button" class="btn sm" onClick={conflict.cancel}>
                {say('cancel')}
              </button>
            </div>
          </Notice>
        </div>
      ) : null}
      {error ? <ErrorMessage error={error} /> : null}
    </>
  );
}
