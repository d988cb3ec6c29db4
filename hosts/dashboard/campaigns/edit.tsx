// The editor for one section of a campaign's file, with a preview of the page next to it.
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { valueAt } from '../editor/draft.ts';
import { Editor } from '../editor/editor.tsx';
import { type EditorForm, useForm } from '../editor/form.ts';
import { FormField } from '../editor/formfield.tsx';
import { PagePreview } from '../editor/preview.tsx';
import { EditorButtons, type Part, PartCards, PartList, partsOf } from '../editor/sections.tsx';
import { Duration } from '../fields/widgetfields.tsx';
import { listSections } from '../items/sections.ts';
import { hrefTo } from '../router.ts';
import { Dialog, DialogBody } from '../ui/dialog.tsx';
import { Lazy } from '../ui/lazy.tsx';
import { Page } from '../ui/page.tsx';
import { useSummaries } from './summary.ts';
import { say } from './words.ts';

export default function Edit({ slug, section }: { slug: string; section: string }) {
  const title = useSummaries(0).value?.campaigns.find((c) => c.campaignSlug === slug)?.campaignTitle ?? slug;
  const wide = useWide();
  const [preview, setPreview] = useState(true);
  const [dialog, setDialog] = useState(false);
  const beside = wide && preview;
  return (
    <Editor
      key={slug}
      path="/admin/content"
      of="campaign"
      slug={slug}
      section={section}
      subject={title}
      page={(content, actions) =>
        actions && listSections.has(section) ? (
          <Lazy
            key={section}
            name="items"
            load={() => import('../items/screen.tsx')}
            props={{
              section,
              title: say(`tab_${section as 'settings'}`),
              crumb: <Crumb slug={slug} title={title} />,
              actions: <EditorButtons openHistory={actions.openHistory} />,
              notices: content,
            }}
          />
        ) : (
          <Page
            title={say(`tab_${section as 'settings'}`)}
            width="wide"
            crumb={<Crumb slug={slug} title={title} />}
            actions={
              actions ? (
                <EditorButtons
                  openHistory={actions.openHistory}
                  openPreview={beside ? undefined : wide ? () => setPreview(true) : () => setDialog(true)}
                />
              ) : null
            }
          >
            {content}
            {dialog && actions ? (
              <Dialog title={say('preview_of', { title })} close={() => setDialog(false)} wide>
                <DialogBody>
                  <PagePreview slug={slug} edits={actions.form.changed} />
                </DialogBody>
              </Dialog>
            ) : null}
          </Page>
        )
      }
    >
      {(form) =>
        listSections.has(section) ? null : (
          <FormLayout form={form} section={section}>
            {beside ? <PagePreview slug={slug} edits={form.changed} close={() => setPreview(false)} /> : null}
          </FormLayout>
        )
      }
    </Editor>
  );
}

const Crumb = ({ slug, title }: { slug: string; title: string }) => (
  <>
    <a href={hrefTo(['campaigns'])}>{say('title')}</a>
    <span aria-hidden="true">/</span>
    <a href={hrefTo(['campaigns', slug])}>{title}</a>
  </>
);

/** The list of parts, the form, and the preview. */
function FormLayout({
  form,
  section,
  children,
}: {
  form: EditorForm;
  section: string;
  children: preact.ComponentChildren;
}) {
  const parts = partsOf(form, section);
  return (
    <div class={`edit ${children ? 'preview-on' : ''} ${parts.length > 1 ? '' : 'one-part'}`}>
      {parts.length > 1 ? <PartList parts={parts} /> : null}
      <form class="stack g6" onSubmit={(e) => e.preventDefault()}>
        <PartCards parts={parts} layouts={layouts} />
      </form>
      {children}
    </div>
  );
}

/** The layouts of the parts of a campaign's settings and content. */
const layouts: Readonly<Record<string, ComponentType<{ part: Part }>>> = {
  dates: function Dates() {
    const { values } = useForm();
    return (
      <>
        <FormField path="goal_amount" />
        <div class="grid2">
          <FormField path="start_date" />
          <FormField path="goal_deadline" />
        </div>
        <Duration starts={valueAt(values, 'start_date')} ends={valueAt(values, 'goal_deadline')} />
      </>
    );
  },
  media: function Pictures({ part }) {
    const { values } = useForm();
    return (
      <>
        <Rest part={part} drawn={rarePictures} />
        <details class="more" open={rarePictures.some((p) => Boolean(valueAt(values, p)))}>
          <summary>{say('more_pictures')}</summary>
          <div class="stack g5">
            {rarePictures.map((p) => (
              <FormField key={p} path={p} />
            ))}
          </div>
        </details>
      </>
    );
  },
  pledging: function Pledging({ part }) {
    return (
      <>
        <FormField path="custom_amount.enabled" />
        <div class="grid2 indented">
          <FormField path="custom_amount.min" />
          <FormField path="custom_amount.max" />
        </div>
        <Rest part={part} drawn={['custom_amount.enabled', 'custom_amount.min', 'custom_amount.max']} />
      </>
    );
  },
  payments: function Payments({ part }) {
    return (
      <>
        <div class="grid2">
          <FormField path="recovery.grace_days" />
          <FormField path="recovery.attempts" />
        </div>
        <Rest part={part} drawn={['recovery.grace_days', 'recovery.attempts']} />
      </>
    );
  },
};

/** Pictures that few campaigns have. They are shown on demand. */
const rarePictures = ['hero_image_wide', 'campaign_background'];

/** The fields of a part that its layout does not render itself. */
const Rest = ({ part, drawn }: { part: Part; drawn: readonly string[] }) => (
  <>
    {part.paths
      .filter((p) => !drawn.includes(p))
      .map((p) => (
        <FormField key={p} path={p} />
      ))}
  </>
);

const wideWindow = matchMedia('(min-width: 1280px)');

/** Reports whether there is room for a preview next to the form. */
function useWide(): boolean {
  const [wide, setWide] = useState(wideWindow.matches);
  useEffect(() => {
    const resized = (): void => setWide(wideWindow.matches);
    wideWindow.addEventListener('change', resized);
    return () => wideWindow.removeEventListener('change', resized);
  }, []);
  return wide;
}
