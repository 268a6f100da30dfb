import type { CloseFailed } from "../../util/open-parts.ts";
import type { Log } from "../../util/log.ts";

/** Logs parts that could not be closed after another part could not be opened. */
export const closeFailed =
  (log: Log): CloseFailed =>
  (error) =>
    log.error("a part of the server could not be closed", { error: String(error) });
