import { Editor } from '../editor/editor.tsx';

/** The editor for one section of a campaign's file. */
export default function Edit({ slug, section }: { slug: string; section: string }) {
  return <Editor key={slug} path="/admin/content" of="campaign" slug={slug} section={section} />;
}
