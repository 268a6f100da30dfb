import { useSignal } from "@preact/signals";
import type { ComponentType, JSX } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { backoff } from "../../../src/util/backoff.ts";
import { browserTimers, RETRY } from "../api/timers.ts";
import { Button, EmptyState } from "./basics.tsx";

/** A component of a module that is loaded when it is shown first; if that fails, the page says so and tries again. */
export function lazy<Props extends object>(
  load: () => Promise<{ readonly default: ComponentType<Props> }>,
): (props: Props) => JSX.Element {
  const loaded: { component?: ComponentType<Props> } = {};
  return function Lazy(props) {
    const failures = useSignal(0);
    const isLoaded = useSignal(loaded.component !== undefined);
    // Before the first frame is drawn, so that the module is requested at once.
    useLayoutEffect(() => {
      let stop: (() => void) | undefined;
      let isGone = false;
      const attempt = (): void => {
        load().then(
          (module) => {
            loaded.component = module.default;
            isLoaded.value = true;
          },
          () => {
            if (isGone) return;
            failures.value++;
            stop = browserTimers.after(backoff(failures.value, RETRY, browserTimers.random), attempt);
          },
        );
      };
      if (!loaded.component) attempt();
      return () => {
        isGone = true;
        stop?.();
      };
    }, []);
    const Component = loaded.component;
    if (isLoaded.value && Component) return <Component {...props} />;
    if (failures.value === 0) return <div class="loading" role="status" aria-label="Loading" />;
    return (
      <EmptyState isPage title="This view could not be loaded.">
        <p>The page tries again until the server responds. If the server was updated, reload the page.</p>
        <Button onClick={() => location.reload()}>Reload the page</Button>
      </EmptyState>
    );
  };
}
