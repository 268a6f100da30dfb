import type { Clock } from "../../util/clock.ts";
import { type Collector, single } from "../../util/exposition.ts";
import type { Log } from "../../util/log.ts";
import { LineFile } from "../files/line-file.ts";

/** The file with a line for each request; `-` is standard output. */
export class AccessFile extends LineFile {
  /** @throws OptionError when it cannot be opened */
  constructor(path: string, around: { readonly clock: Clock; readonly log: Log }) {
    super(path, { ...around, what: "access log", option: "access-log" });
  }

  /** How many lines were dropped. */
  readonly metrics: Collector = () => [
    single(
      "counter",
      "keelson_access_log_dropped_total",
      "Lines of the access log that were dropped because they could not be written fast enough.",
      this.dropped,
    ),
  ];
}
