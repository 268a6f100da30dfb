/**
 * What is wrong with the schedule of a CronJob (KIND-CronJob-2).
 *
 * @module
 */
import { parseCron } from "../../../meta/cron.ts";

/** Returns what is wrong with a schedule without a zone; undefined for one that is right. */
export function scheduleFault(text: string): string | undefined {
  const parsed = parseCron(text);
  return "fault" in parsed ? parsed.fault : undefined;
}
