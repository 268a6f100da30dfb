import { StatusError } from "../client/errors.ts";
import type { FoundManifest } from "../client/manifests.ts";
import { planDocuments } from "../client/plan.ts";
import type { PlanReport } from "../meta/plan-report.ts";
import type { Actions } from "./actions.ts";
import { CliError } from "./cli-error.ts";
import { connect } from "./connect.ts";
import { type ManifestFlags, planOptionsOf } from "./plan-flags.ts";
import { planLines } from "./plan-lines.ts";
import { planMarkdown } from "./plan-markdown.ts";
import { styleOf } from "./print-report.ts";
import { readFiles } from "./read-files.ts";

/** The flags of `plan`. */
export interface PlanCommand extends ManifestFlags {
  readonly output: "json" | "markdown" | "text";
}

/** The exit code where something would change. */
const CHANGES = 2;

/** Requests a plan and prints it; the exit codes are those of `plan`. */
export async function runPlan(actions: Actions, command: PlanCommand): Promise<void> {
  using connection = await connect(actions, command);
  const found = await readFiles(actions, command.filename);
  const documents = found.map(({ manifest }) => manifest);
  const options = planOptionsOf(command, connection.namespace);
  const report = await planDocuments(connection.client, documents, options).catch(notSupported);
  printPlan(actions, command.output, report, found);
  actions.exit.done = exitOf(report);
}

/** Throws the error of a server that makes no plans. */
export function notSupported(error: unknown): never {
  if (!(error instanceof StatusError) || error.status.code !== 404) throw error;
  throw new CliError("the server makes no plans: is it a keelson server?", { cause: error });
}

/** Prints a report in a form. */
export function printPlan(
  actions: Actions,
  output: PlanCommand["output"],
  report: PlanReport,
  found: readonly FoundManifest[],
): void {
  const from = (document: number): string | undefined => found[document]?.from;
  if (output === "json") actions.print(JSON.stringify(report, undefined, 2));
  else if (output === "markdown") actions.print(planMarkdown(report, from).join("\n"));
  else actions.print(planLines(report, from, styleOf(actions)).join("\n"));
}

function exitOf({ documents, pruned }: PlanReport): number {
  const results = new Set([...documents, ...pruned].map(({ result }) => result));
  if (results.has("refused")) return 1;
  return results.has("created") || results.has("changed") || results.has("deleted") ? CHANGES : 0;
}
