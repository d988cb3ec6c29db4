import { type ComponentChildren, Fragment } from 'preact';

/** Facts on one line, separated by dots. Empty ones are left out. */
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
