import type { Actions } from "./actions.ts";
import { connect } from "./connect.ts";
import type { ConnectFlags } from "./connect-flags.ts";
import { historyLines } from "./history-lines.ts";
import { parseLimit, parseObject } from "./object-argument.ts";
import { historyOf } from "../client/objects/history.ts";
import { resolveObject } from "./object-history.ts";
import { printReport, styleOf } from "./print-report.ts";

/** The object, and the output format. */
export interface HistoryRequest extends ConnectFlags {
  readonly words: readonly (string | undefined)[];
  readonly limit: string;
  readonly output: "text" | "json";
}

/** Requests the history of an object, and prints it. */
export async function runHistory(actions: Actions, request: HistoryRequest): Promise<void> {
  const { kind, name } = parseObject(request.words, 0, "keelson history configmap web");
  const limit = parseLimit(request.limit);
  using connection = await connect(actions, request);
  const report = await historyOf(await resolveObject(connection, kind, name), { limit });
  printReport(actions, request.output, report, () => historyLines(report, styleOf(actions)));
}
