import { wantsColour } from "../../cli/colours.ts";
import type { Clock } from "../../util/clock.ts";
import { LOG_LEVELS, type Log, newLog } from "../../util/log.ts";
import { jsonLine, textLine } from "./log-format.ts";
import type { ServeOptions } from "../options/options.ts";

/** The log of the program: lines on standard error, down to a level. */
export function stderrLog({ logFormat, logLevel }: Pick<ServeOptions, "logFormat" | "logLevel">, clock: Clock): Log {
  const { stderr } = process;
  // Whoever has read it may have gone: that is no reason to end.
  stderr.on("error", () => {});
  const most = LOG_LEVELS.indexOf(logLevel);
  const write = logFormat === "json" ? jsonLine : textLine(wantsColour(stderr.isTTY, process.env));
  return newLog((level, message, facts = {}) => {
    if (LOG_LEVELS.indexOf(level) <= most) stderr.write(write({ time: clock.now(), level, message, facts }));
  });
}
