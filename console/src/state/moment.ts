/**
 * The moment that every view shows.
 *
 * @module
 */
import { computed, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import type { Moment } from "../../../src/meta/console-protocol.ts";

/** The moment that every view shows; undefined is now. Its time is empty where the store records none. */
export const moment: Signal<Moment | undefined> = signal(undefined);

/** The resourceVersion of the moment, as `at` of a window and of {@link ../api/watch.ts | follow}; undefined is now. */
export const at: ReadonlySignal<string | undefined> = computed(() => moment.value?.resourceVersion);

/** A moment in a URL: `1234`, or `1234@2026-11-30T07:00:00Z`. */
export function momentText({ resourceVersion, time }: Moment): string {
  return time === "" ? resourceVersion : `${resourceVersion}@${time}`;
}

/** Reads a moment of a URL; undefined for anything else. */
export function parseMoment(text: string): Moment | undefined {
  const [resourceVersion = "", time = "", ...more] = text.split("@");
  if (!/^[1-9]\d{0,19}$/.test(resourceVersion) || more.length > 0) return undefined;
  if (time !== "" && Number.isNaN(Date.parse(time))) return undefined;
  return { resourceVersion, time };
}
