import { type ComponentChildren, Fragment } from 'preact';

/** Facts in one line, with dots between them. Empty ones are left out. */
export const Dotted = ({ parts }: { parts: readonly ComponentChildren[] }) => (
  <>
    {parts.filter(Boolean).map((part, i) => (
      <Fragment key={i}>
        {i ? <span class="md"> · </span> : null}
        {part}
      </Fragment>
    ))}
  </>
);
