/**
 * What `keelson history` does once it is asked to.
 *
 * @module
 */
import type { Actions } from "./actions.ts";
import { CliError } from "./cli-error.ts";
import { painter, wantsColour } from "./colours.ts";
import { connect } from "./connect.ts";
import type { ConnectFlags } from "./connect-flags.ts";
import { historyLines } from "./history-lines.ts";
import { parseObject } from "./object-argument.ts";
import { historyOf, pastObject } from "./past.ts";

/** Whose history. */
export interface HistoryRequest extends ConnectFlags {
  readonly words: readonly (string | undefined)[];
  readonly limit: string;
  readonly output: "text" | "json";
}

/** Asks the server and prints. */
export async function runHistory(actions: Actions, request: HistoryRequest): Promise<void> {
  const { kind, name } = parseObject(request.words, 0, "keelson history configmap web");
  const limit = Number(request.limit);
  if (!/^\d{1,3}$/.test(request.limit) || limit < 1 || limit > 500) {
    throw new CliError(`expected --limit to be a number from 1 to 500, got ${request.limit}`, { usage: true });
  }
  using connection = await connect(actions, request);
  const report = await historyOf(await pastObject(connection, kind, name), { limit });
  if (request.output === "json") {
    actions.print(JSON.stringify(report, undefined, 2));
    return;
  }
  const { isTerminal, env, columns } = actions.terminal;
  const style = { paint: painter(wantsColour(isTerminal, env)), columns };
  actions.print(historyLines(report, style).join("\n"));
}
