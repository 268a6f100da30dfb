/**
 * The faults of the schedule of a CronJob (KIND-CronJob-2).
 *
 * @module
 */
import { parseCron } from "../../../meta/cron.ts";

/** Returns the fault of a schedule without a zone; undefined for a valid one. */
export function scheduleFault(text: string): string | undefined {
  const parsed = parseCron(text);
  return "fault" in parsed ? parsed.fault : undefined;
}
