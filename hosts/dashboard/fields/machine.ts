import { useMachine } from '@zag-js/preact';

export { normalizeProps } from '@zag-js/preact';

/** Runs a Zag machine. The adapter's own types do not accept machines with exact optional properties. */
export const useWidgetMachine = <Service, Props>(machine: unknown, props: Partial<Props>): Service =>
  useMachine(machine as never, props as never) as Service;
