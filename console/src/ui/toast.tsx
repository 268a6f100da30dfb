import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { Button, Text } from "./basics.tsx";

/** A message that goes by itself. */
interface Toast {
  readonly id: number;
  readonly tone: "good" | "bad" | "info";
  readonly text: string;
}

const MOST = 4;
const toasts = signal<readonly Toast[]>([]);
const ids = { last: 0 };

/** Says something for some seconds; what has failed stays until it is closed. */
export function toast(text: string, tone: Toast["tone"] = "info"): void {
  const id = ++ids.last;
  toasts.value = [...toasts.value, { id, tone, text }].slice(-MOST);
  if (tone !== "bad") setTimeout(() => close(id), 6000);
}

function close(id: number): void {
  toasts.value = toasts.value.filter((one) => one.id !== id);
}

/** Where messages stand; the page has one. */
export function Toasts(): JSX.Element {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, tone, text }) => (
        <div key={id} class={`toast toast-${tone}`}>
          <Text value={text} />
          <Button kind="quiet" aria-label="Close this message" onClick={() => close(id)}>
            ✕
          </Button>
        </div>
      ))}
    </div>
  );
}
