// The design values of the site's own style sheet, for settings that are not in the file.
export const designDefaults: Readonly<Record<string, string>> = {
  'design.color_primary': '#2e3fa3',
  'design.color_highlight': '#ffc247',
  'design.color_text': '#12152a',
  'design.color_text_muted': '#565b74',
  'design.color_surface_subtle': '#eceef5',
  'design.color_border': '#d5d9e6',
  'design.radius_lg': '14px',
  'design.font_body': 'Instrument Sans',
  'design.font_display': 'Bricolage Grotesque',
};
