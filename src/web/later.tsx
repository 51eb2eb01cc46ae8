// A component whose script is loaded later. React's own `lazy` waits for 300 ms once it has drawn a
// fallback, however fast the script comes, and subscribes to no answer until then.

import { type ComponentType, type ReactNode, useEffect, useState } from 'react';

export interface Later<Props> {
  /** Loads the script, once; again after a failure. */
  readonly load: () => Promise<unknown>;
  readonly View: ComponentType<Props>;
}

/**
 * Draws `meanwhile` until the script is there. A script that cannot be loaded is an error of the view.
 *
 * @example const { View, load } = later(() => import('./views/graph.tsx'), <Loading />);
 */
export function later<Props extends object>(
  fetchScript: () => Promise<{ default: ComponentType<Props> }>,
  meanwhile: ReactNode,
): Later<Props> {
  let loaded: ComponentType<Props> | null = null;
  let loading: Promise<unknown> | null = null;
  const load = () => {
    loading ??= fetchScript().then(
      (script) => {
        loaded = script.default;
      },
      (error: unknown) => {
        loading = null;
        throw error;
      },
    );
    return loading;
  };
  function View(props: Props) {
    const [Drawn, setDrawn] = useState(() => loaded);
    const [failure, setFailure] = useState<{ readonly error: unknown } | null>(null);
    useEffect(() => {
      if (Drawn !== null) return;
      load().then(
        () => setDrawn(() => loaded),
        (error) => setFailure({ error }),
      );
    }, [Drawn]);
    if (failure !== null) throw failure.error;
    return Drawn === null ? meanwhile : <Drawn {...props} />;
  }
  return { load, View };
}

/**
 * Begins to load when a pointer comes near or the keyboard arrives, a moment before the click.
 *
 * @example <button {...onIntent(load)} />
 */
export function onIntent(load: () => unknown) {
  // A script that cannot be loaded is told when it is needed.
  const begin = () => void Promise.resolve(load()).catch(() => {});
  return { onPointerEnter: begin, onFocus: begin };
}
