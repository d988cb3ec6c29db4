// What is loaded when it's shown for the first time.
import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { Silent } from '../../site/scripts/api.ts';
import { Loading, Old } from './notice.tsx';

const pause = 5_000; // milliseconds until it's asked for again

type Loaded = ComponentType<never>;

const loaded = signal<Readonly<Record<string, Loaded>>>({});
const failed = signal<Readonly<Record<string, boolean>>>({});

interface Props<P> {
  /** What it's known by once it's loaded. */
  readonly name: string;
  readonly load: () => Promise<{ readonly default: ComponentType<P> }>;
  readonly props: P;
}

export function Later<P extends object>({ name, load, props }: Props<P>) {
  useEffect(() => {
    if (loaded.value[name]) return;
    let timer = 0;
    const fetch = (): void => void load().then((m) => {
      loaded.value = { ...loaded.value, [name]: m.default as Loaded };
      failed.value = { ...failed.value, [name]: false };
    }, () => {
      failed.value = { ...failed.value, [name]: true };
      timer = window.setTimeout(fetch, pause);
    });
    fetch();
    return () => clearTimeout(timer);
  }, [name]);
  const Screen = loaded.value[name] as ComponentType<P> | undefined;
  if (Screen) return <Screen {...props} />;
  return failed.value[name] ? <Old at={undefined} error={new Silent()} /> : <Loading />;
}
