import { type Collector, single } from "../../util/exposition.ts";
import { LineFile } from "../files/line-file.ts";
import type { SystemParts } from "../process/system-parts.ts";

/** The access log, with a line for each request; `-` is standard output. */
export class AccessFile extends LineFile {
  /** @throws OptionError if it cannot be opened */
  constructor(path: string, system: Pick<SystemParts, "clock" | "log">) {
    super(path, { ...system, what: "access log", option: "access-log" });
  }

  readonly metrics: Collector = () => [
    single(
      "counter",
      "keelson_access_log_dropped_total",
      "Lines of the access log that were dropped because they could not be written fast enough.",
      this.dropped,
    ),
  ];
}
