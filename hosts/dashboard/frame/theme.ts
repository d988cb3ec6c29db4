// The color theme: the system's, light or dark. The choice is kept for the browser tab.
import { effect, signal } from '@preact/signals';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const key = 'theme';
const stored = sessionStorage.getItem(key) as Theme;

export const theme = signal<Theme>(themes.includes(stored) ? stored : 'system');

effect(() => {
  sessionStorage.setItem(key, theme.value);
  if (theme.value === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme.value;
});
