import type { BlameReport } from "../meta/ownership-reports.ts";
import { isStatus } from "../client/errors.ts";
import type { Actions } from "./actions.ts";
import { blameLines } from "./blame-lines.ts";
import { withSetters } from "../client/objects/blame-setters.ts";
import { CliError } from "./cli-error.ts";
import { connect } from "./connect.ts";
import type { ConnectFlags } from "./connect-flags.ts";
import { findKind } from "./find-kind.ts";
import { parseObject } from "./object-argument.ts";
import { printReport, styleOf } from "./print-report.ts";

/** The object, and the output format. */
export interface BlameRequest extends ConnectFlags {
  /** `cm`, or `cm/web` without a `name`. */
  readonly kind: string;
  readonly name: string | undefined;
  readonly output: "text" | "json";
}

/** Requests the owners of an object, and prints them. */
export async function runBlame(actions: Actions, request: BlameRequest): Promise<void> {
  const { kind, name } = parseObject([request.kind, request.name], 0, "keelson blame configmap web");
  using connection = await connect(actions, request);
  const { client, namespace } = connection;
  const found = await findKind(client, kind);
  const owned = await blameOf(
    client.resource(found).blame({ name, namespace: found.scope === "Namespaced" ? namespace : undefined }),
  );
  const report = await withSetters(client, found, owned);
  const now = actions.clock.now();
  printReport(actions, request.output, report, () => blameLines(report, { ...styleOf(actions), now }));
}

async function blameOf(request: Promise<BlameReport>): Promise<BlameReport> {
  try {
    return await request;
  } catch (error) {
    if (isStatus(error, "NotAcceptable"))
      throw new CliError("the server does not support blame: is it a keelson server?");
    throw error;
  }
}
