/**
 * Names in a volume that are those of its writer, which begin with two dots. Directories of writes: `..2026_11_25_22_30_01.123000000`, the time of the write and nanoseconds (PROJ-49).
 *
 * @module
 */
import { isoTime } from "../../meta/iso-time.ts";

/** The link that readers go through. */
export const DATA = "..data";
/** What is renamed over {@link DATA}. */
export const NEXT = "..data_tmp";

const NAME = /^\.\.\d{4}(?:_\d\d){5}\.(\d+)$/;

/** Whether a name is that of a write. */
export const isWriteName = (name: string): boolean => NAME.test(name);

/**
 * The name of a write at a time. None is ever given again while the clock goes on: who has read where the link leads would
 * otherwise find other contents there.
 *
 * @param now milliseconds since the epoch
 * @param current the name of the write before
 */
export function writeName(now: number, current: string | undefined): string {
  const [date = "", time = ""] = isoTime(now).split("T");
  const second = `..${date.replaceAll("-", "_")}_${time.slice(0, 8).replaceAll(":", "_")}.`;
  const fraction = Math.floor(now % 1000) * 1_000_000;
  const before = current?.startsWith(second) ? Number(NAME.exec(current)?.[1] ?? 0) : -1;
  return second + String(Math.max(fraction, before + 1)).padStart(9, "0");
}
