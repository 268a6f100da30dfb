import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type * as code from "./code.ts";

/** The module of the editor, which is loaded with the first view. */
type Code = typeof code;

/** A place for a view of text: it is made when the editor is loaded, and closed with the component, or when `of` changes. */
export function CodeBox({
  of,
  make,
  class: className = "",
}: {
  /** What the view depends on; it is made anew for others. */
  readonly of: readonly unknown[];
  readonly make: (module: Code, parent: HTMLElement) => { close(): void };
  readonly class?: string;
}): JSX.Element {
  const root = useRef<HTMLDivElement>(null);
  const state = useSignal<"loading" | "shown" | "failed">("loading");
  useEffect(() => {
    let view: { close(): void } | undefined;
    let closed = false;
    import("./code.ts").then(
      (module) => {
        if (closed || !root.current) return;
        view = make(module, root.current);
        state.value = "shown";
      },
      () => {
        state.value = "failed";
      },
    );
    return () => {
      closed = true;
      view?.close();
    };
  }, of);
  return (
    <div class={`code-box ${className}`} ref={root}>
      {state.value === "failed" ? <p>The editor could not be loaded: reload the page.</p> : undefined}
    </div>
  );
}
