import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { Button } from "./basics.tsx";

/** A command line that can be copied. */
export function CommandLine({ line }: { readonly line: string }): JSX.Element {
  const copied = useSignal(false);
  return (
    <div class="command-line">
      {/* A long line is scrolled, by keys too. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre tabIndex={0} aria-label="Command line">
        {line}
      </pre>
      {/* Only a page that came over TLS, or from this machine, may write to the clipboard. */}
      {isSecureContext ? (
        <Button
          onClick={() => {
            navigator.clipboard.writeText(line).then(
              () => {
                copied.value = true;
              },
              () => undefined,
            );
          }}
        >
          <span aria-live="polite">{copied.value ? "Copied" : "Copy"}</span>
        </Button>
      ) : undefined}
    </div>
  );
}
