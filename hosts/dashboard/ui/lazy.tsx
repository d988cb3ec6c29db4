// Lazily loaded components, with retries while the network is down.
import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { NetworkError } from '../../site/scripts/api.ts';
import { Loading, ReadError } from './notice.tsx';

const retryPause = 5_000; // milliseconds before a retry

type Loaded = ComponentType<never>;

const modules = signal<Readonly<Record<string, Loaded>>>({});
const failed = signal<Readonly<Record<string, boolean>>>({});

interface Props<P> {
  /** The component's key in the cache of loaded modules. */
  readonly name: string;
  readonly load: () => Promise<{ readonly default: ComponentType<P> }>;
  readonly props: P;
}

export function Lazy<P extends object>({ name, load, props }: Props<P>) {
  useEffect(() => {
    if (modules.value[name]) return;
    let timer = 0;
    const fetch = (): void =>
      void load().then(
        (m) => {
          modules.value = { ...modules.value, [name]: m.default as Loaded };
          failed.value = { ...failed.value, [name]: false };
        },
        () => {
          failed.value = { ...failed.value, [name]: true };
          timer = window.setTimeout(fetch, retryPause);
        },
      );
    fetch();
    return () => clearTimeout(timer);
  }, [name]);
  const Screen = modules.value[name] as ComponentType<P> | undefined;
  if (Screen) return <Screen {...props} />;
  return failed.value[name] ? <ReadError at={undefined} error={new NetworkError()} /> : <Loading />;
}
