// Loads the widgets that need a library, once, when the first field with a widget is shown.
import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Widgets } from './widgets.tsx';

const loaded = signal<Widgets | null>(null);
let loading = false;

const retryPause = 5_000; // milliseconds

function load(): void {
  if (loading || loaded.value) return;
  loading = true;
  import('./widgets.tsx').then(
    (m) => {
      loaded.value = m.widgets;
    },
    () => {
      loading = false;
      setTimeout(load, retryPause);
    },
  );
}

/** A widget, or an inert input with its text until the library is loaded. */
export function Widget<N extends keyof Widgets>({
  name,
  props,
  text,
}: {
  name: N;
  props: Parameters<Widgets[N]>[0];
  text: string;
}) {
  useEffect(load, []);
  const Loaded = loaded.value?.[name] as ComponentType<Parameters<Widgets[N]>[0]> | undefined;
  return Loaded ? (
    <Loaded {...props} />
  ) : (
    <input class="input" id={props.attributes.id} value={text} readOnly aria-busy="true" />
  );
}
