/**
 * Names of the writer in a volume, which begin with two dots. A directory has the time of its write, with nanoseconds:
 * `..2026_11_25_22_30_01.123000000` (PROJ-49).
 *
 * @module
 */
import { isoTime } from "../../meta/iso-time.ts";

/** The link that readers go through. */
export const DATA = "..data";
/** The link that is renamed over {@link DATA}. */
export const NEXT = "..data_tmp";

const NAME = /^\.\.\d{4}(?:_\d\d){5}\.(\d+)$/;

/** Whether a name is one of a write. */
export const isWriteName = (name: string): boolean => NAME.test(name);

/**
 * The name of a write. No name is used twice while the clock advances: a reader that has read the link must not find other
 * content there.
 *
 * @param now milliseconds since the epoch
 * @param current the name of the last write
 */
export function writeName(now: number, current: string | undefined): string {
  const [date = "", time = ""] = isoTime(now).split("T");
  const second = `..${date.replaceAll("-", "_")}_${time.slice(0, 8).replaceAll(":", "_")}.`;
  const fraction = Math.floor(now % 1000) * 1_000_000;
  const before = current?.startsWith(second) ? Number(NAME.exec(current)?.[1] ?? 0) : -1;
  return second + String(Math.max(fraction, before + 1)).padStart(9, "0");
}
