// Settings as rows of a label and a control.
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { valueAt } from '../editor/draft.ts';
import { findField, useForm } from '../editor/form.ts';
import { FormField } from '../editor/formfield.tsx';
import type { Part } from '../editor/sections.tsx';
import { applies } from '../fields/field.tsx';
import { FieldLayout } from '../fields/frame.tsx';

/** A card of settings. */
export function RowCard({
  title,
  help,
  children,
}: {
  title: string;
  help?: string | undefined;
  children: ComponentChildren;
}) {
  const id = useId();
  return (
    <section class="card rows-card" aria-labelledby={id}>
      <header>
        <div class="grow">
          <h2 id={id} tabIndex={-1}>
            {title}
          </h2>
          {help ? <p class="small muted">{help}</p> : null}
        </div>
      </header>
      <FieldLayout.Provider value="row">{children}</FieldLayout.Provider>
    </section>
  );
}

/** A card with the settings of a part that apply now. */
export function PartRows({ part, below }: { part: Part; below?: Readonly<Record<string, ComponentChildren>> }) {
  const { sections, values } = useForm();
  const shown = part.paths.filter((path) => {
    const field = findField(sections, path)?.field;
    return field && applies(field, (p) => valueAt(values, p));
  });
  if (!shown.length) return null;
  return (
    <RowCard title={part.label} help={part.help}>
      {shown.map((path) => (
        <FormField key={path} path={path} below={below?.[path]} />
      ))}
    </RowCard>
  );
}
