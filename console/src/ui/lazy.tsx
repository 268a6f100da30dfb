import { useSignal } from "@preact/signals";
import type { ComponentType, JSX } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { Button, EmptyState } from "./basics.tsx";

/** A component of a module that is loaded when it is shown first; if that fails, the page says so and tries again when asked. */
export function lazy<Props extends object>(
  load: () => Promise<{ readonly default: ComponentType<Props> }>,
): (props: Props) => JSX.Element {
  const loaded: { component?: ComponentType<Props> } = {};
  return function Lazy(props) {
    const state = useSignal<"loading" | "loaded" | "failed">(loaded.component ? "loaded" : "loading");
    // Before the first frame is drawn, so that the module is asked for at once.
    useLayoutEffect(() => {
      if (state.value !== "loading") return;
      load().then(
        (module) => {
          loaded.component = module.default;
          state.value = "loaded";
        },
        () => {
          state.value = "failed";
        },
      );
    }, [state.value]);
    const Component = loaded.component;
    if (Component) return <Component {...props} />;
    if (state.value === "loading") return <div class="loading" role="status" aria-label="Loading" />;
    return (
      <EmptyState isPage title="This view could not be loaded.">
        <p>The server may have stopped. If it was updated, reload the page.</p>
        <Button
          onClick={() => {
            state.value = "loading";
          }}
        >
          Try again
        </Button>{" "}
        <Button onClick={() => location.reload()}>Reload the page</Button>
      </EmptyState>
    );
  };
}
