import type { CloseFailed } from "../../util/open-parts.ts";
import type { Log } from "../../util/log.ts";

/** Logs what could not be closed after another part could not be opened. */
export const closeFailed =
  (log: Log): CloseFailed =>
  (error) =>
    log.error("what was opened could not be closed", { error: String(error) });
