import { wantsColour } from "../../cli/colours.ts";
import type { Clock } from "../../util/clock.ts";
import { LOG_LEVELS, type Log, newLog } from "../../util/log.ts";
import { jsonLine, textLine } from "./log-format.ts";
import type { ServeOptions } from "../options/options.ts";

/**
 * Returns the log of the program: lines on standard error, down to a level.
 *
 * @param print writes a line; to standard error by default
 */
export function stderrLog(
  { logFormat, logLevel }: Pick<ServeOptions, "logFormat" | "logLevel">,
  clock: Clock,
  print: (line: string) => void = (line) => void process.stderr.write(line),
): Log {
  const { stderr } = process;
  // The reader of a pipe may have closed it; the program continues.
  stderr.on("error", () => {});
  const maxLevel = LOG_LEVELS.indexOf(logLevel);
  const write = logFormat === "json" ? jsonLine : textLine(wantsColour(stderr.isTTY, process.env));
  return newLog((level, message, facts = {}) => {
    if (LOG_LEVELS.indexOf(level) <= maxLevel) print(write({ time: clock.now(), level, message, facts }));
  });
}
