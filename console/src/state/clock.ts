/**
 * The time that ages are counted to.
 *
 * @module
 */
import { signal, type ReadonlySignal } from "@preact/signals";

/** The time in milliseconds since the epoch; it ticks each second while something shows it and the page is seen. */
export const now: ReadonlySignal<number> = ticking(1000);

function ticking(ms: number): ReadonlySignal<number> {
  let timer: ReturnType<typeof setInterval> | undefined;
  const time = signal(Date.now(), {
    watched() {
      time.value = Date.now();
      timer = setInterval(() => {
        if (document.visibilityState === "visible") time.value = Date.now();
      }, ms);
    },
    unwatched() {
      clearInterval(timer);
    },
  });
  return time;
}
