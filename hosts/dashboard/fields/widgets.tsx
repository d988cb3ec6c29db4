// The widgets built on Zag. They are one chunk, which widget.tsx loads on demand.
import { ColorPicker } from './colorpicker.tsx';
import { Combobox } from './combobox.tsx';
import { MomentPicker } from './momentpicker.tsx';
import { Tags } from './tagsinput.tsx';

export const widgets = { Combobox, ColorPicker, MomentPicker, Tags } as const;

export type Widgets = typeof widgets;
