/**
 * What `keelson blame` does once it is asked to.
 *
 * @module
 */
import type { BlameReport } from "../meta/ownership-reports.ts";
import { isStatus } from "../client/errors.ts";
import type { Actions } from "./actions.ts";
import { blameLines } from "./blame-lines.ts";
import { CliError } from "./cli-error.ts";
import { painter, wantsColour } from "./colours.ts";
import { connect } from "./connect.ts";
import type { ConnectFlags } from "./connect-flags.ts";
import { findKind } from "./find-kind.ts";
import { parseObject } from "./object-argument.ts";

/** What to blame. */
export interface BlameRequest extends ConnectFlags {
  /** `cm`, or `cm/web` without a name of its own. */
  readonly kind: string;
  readonly name: string | undefined;
  readonly output: "text" | "json";
}

/** Asks the server and prints. */
export async function runBlame(actions: Actions, request: BlameRequest): Promise<void> {
  const { kind, name } = parseObject([request.kind, request.name], 0, "keelson blame configmap web");
  using connection = await connect(actions, request);
  const { client, namespace } = connection;
  const found = await findKind(client, kind);
  const report = await blameOf(
    client.resource(found).blame({ name, namespace: found.scope === "Namespaced" ? namespace : undefined }),
  );
  if (request.output === "json") {
    actions.print(JSON.stringify(report, undefined, 2));
    return;
  }
  const { isTerminal, env, columns } = actions.terminal;
  const style = { paint: painter(wantsColour(isTerminal, env)), columns, now: actions.clock.now() };
  actions.print(blameLines(report, style).join("\n"));
}

async function blameOf(asked: Promise<BlameReport>): Promise<BlameReport> {
  try {
    return await asked;
  } catch (error) {
    if (isStatus(error, "NotAcceptable")) throw new CliError("the server does not know blame: is it a keelson server?");
    throw error;
  }
}
