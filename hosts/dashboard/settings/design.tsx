// The colors and shapes of the public pages, with their contrast and an example.
import { CircleCheck, TriangleAlert } from 'lucide-preact';
import { valueAt } from '../editor/draft.ts';
import { type EditorForm, useForm } from '../editor/form.ts';
import { FormField } from '../editor/formfield.tsx';
import { partsOf } from '../editor/sections.tsx';
import { Icon } from '../ui/icon.tsx';
import { count, lang, price } from '../words.ts';
import { contrast, darkened } from './colors.ts';
import { designDefaults } from './defaults.ts';
import { RowCard } from './rows.tsx';
import { say } from './words.ts';

const enough = 4.5; // the minimum contrast of text

export function Design() {
  const form = useForm();
  return (
    <div class="design">
      <div class="stack g6">
        {partsOf(form, 'design').map((p) => (
          <RowCard key={p.key} title={p.label} help={p.help}>
            {p.paths.map((path) => (
              <FormField
                key={path}
                path={path}
                placeholder={designDefaults[path]}
                {...(path.includes('.color_')
                  ? { swatches: swatches(form, path), below: <ContrastNote form={form} path={path} /> }
                  : {})}
              />
            ))}
          </RowCard>
        ))}
      </div>
      <Example form={form} />
    </div>
  );
}

/** Returns a setting from the draft, or the value that applies without it. */
function setting(form: EditorForm, path: string): string {
  const value = valueAt(form.values, path);
  return typeof value === 'string' ? value : (designDefaults[path] ?? '');
}

/** Returns the other colors of the design. */
const swatches = (form: EditorForm, path: string): readonly string[] => {
  const all = form.sections
    .flatMap((s) => s.fields)
    .filter((f) => f.control === 'color' && f.path !== path)
    .map((f) => setting(form, f.path).toLowerCase());
  return [...new Set(all.filter(Boolean))];
};

/** The readability of a color: as text on white, or behind white text. */
function ContrastNote({ form, path }: { form: EditorForm; path: string }) {
  const color = setting(form, path);
  const isText = path === 'design.color_text' || path === 'design.color_text_muted';
  if (!isText && path !== 'design.color_primary') return null;
  const ratio = contrast(color, '#ffffff');
  if (!ratio) return null;
  const shown = `${count(Math.floor(ratio * 10) / 10)} : 1`;
  if (ratio >= enough)
    return (
      <span class="small good row contrast">
        <Icon of={CircleCheck} small />
        {say(isText ? 'on_white' : 'white_on_it', { ratio: shown })}
      </span>
    );
  const better = darkened(color, enough);
  return (
    <span class="small warn row top contrast" role="status">
      <Icon of={TriangleAlert} small />
      <span>
        {say(isText ? 'on_white_low' : 'white_on_it_low', { ratio: shown })}{' '}
        <button type="button" class="link" onClick={() => form.set(path, better)}>
          {say('use_color', { color: better })}
        </button>
      </span>
    </span>
  );
}

const raised = 1_845_600; // cents, of the example
const goal = 1_500_000;

/** A campaign's card in the draft's colors. */
function Example({ form }: { form: EditorForm }) {
  const style = {
    '--d-primary': setting(form, 'design.color_primary'),
    '--d-highlight': setting(form, 'design.color_highlight'),
    '--d-text': setting(form, 'design.color_text'),
    '--d-muted': setting(form, 'design.color_text_muted'),
    '--d-soft': setting(form, 'design.color_surface_subtle'),
    '--d-border': setting(form, 'design.color_border'),
    '--d-radius': setting(form, 'design.radius_lg'),
    '--d-body': setting(form, 'design.font_body'),
    '--d-display': setting(form, 'design.font_display'),
  };
  const share = (goal * 100) / raised;
  return (
    <aside class="preview design-preview" aria-label={say('example')}>
      <h2 class="small">{say('example')}</h2>
      <div class="frame">
        <div class="design-example" style={style} lang={lang}>
          <b class="title">{say('example_title')}</b>
          <p>{say('example_text')}</p>
          <div class="meter" style={{ '--v': `${share}%` }} aria-hidden="true">
            <i />
            <b />
          </div>
          <div class="row between small">
            <b>{say('example_pledged', { sum: price(raised) })}</b>
            <span class="quiet">{say('example_share')}</span>
          </div>
          <span class="cta">{say('example_button')}</span>
          <div class="reward">
            <b>{say('example_reward')}</b>
            <span class="quiet small">{price(6_000)}</span>
          </div>
        </div>
      </div>
      <p class="tiny muted">{say('example_what')}</p>
    </aside>
  );
}
