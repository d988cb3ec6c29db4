// The platform's add-ons, which are offered with every campaign.
import { Editor } from '../editor/editor.tsx';
import { EditorButtons } from '../editor/sections.tsx';
import { say } from '../frame/words.ts';
import ItemScreen from '../items/screen.tsx';
import { Page } from '../ui/page.tsx';

export default function AddOns() {
  return (
    <Editor
      path="/admin/add-ons"
      of="addon"
      section="products"
      subject={say('add-ons')}
      page={(content, actions) =>
        actions ? (
          <ItemScreen
            section="products"
            title={say('add-ons')}
            actions={<EditorButtons openHistory={actions.openHistory} />}
            notices={content}
          />
        ) : (
          <Page title={say('add-ons')}>{content}</Page>
        )
      }
    >
      {() => null}
    </Editor>
  );
}
