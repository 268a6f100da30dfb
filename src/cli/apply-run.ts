import type { Client } from "../client/client.ts";
import { StatusError } from "../client/errors.ts";
import { type PlanOptions, applyDocuments, planDocuments } from "../client/plan.ts";
import type { PlanReport, PlannedDocument } from "../meta/plan-report.ts";
import type { Status } from "../meta/status.ts";
import { messageOf } from "../util/error.ts";
import type { Actions } from "./actions.ts";
import { CliError } from "./cli-error.ts";
import { connect } from "./connect.ts";
import { planOptionsOf } from "./plan-flags.ts";
import { closingLines, documentLines } from "./plan-lines.ts";
import { type PlanCommand, notSupported, printPlan } from "./plan-run.ts";
import { styleOf } from "./print-report.ts";
import { readFiles } from "./read-files.ts";

/** The flags of `apply`. */
export interface ApplyCommand extends PlanCommand {
  readonly atomic: boolean;
}

/**
 * Applies manifests and prints the result of each: one after the other as it is applied, with `--atomic` all of them at the end.
 * The exit code is 1 where one was refused.
 */
export async function runApply(actions: Actions, command: ApplyCommand): Promise<void> {
  if (command.prune && !command.atomic) throw new CliError("expected --prune together with --atomic", { usage: true });
  using connection = await connect(actions, command);
  const found = await readFiles(actions, command.filename);
  const { client, namespace } = connection;
  const options = planOptionsOf(command, namespace);
  const documents = found.map(({ manifest }) => manifest);
  const isShownAsApplied = !command.atomic && command.output === "text";
  const style = styleOf(actions);
  const print = (lines: readonly string[]): void => (lines.length === 0 ? undefined : actions.print(lines.join("\n")));
  const applied = (one: PlannedDocument): void => {
    if (isShownAsApplied) print(documentLines(one, (document) => found[document]?.from, style));
  };
  const report = command.atomic
    ? await applyDocuments(client, documents, options).catch(notSupported)
    : await applyEach(client, documents, options, applied);
  if (isShownAsApplied) print(closingLines(report, style));
  else printPlan(actions, command.output, report, found);
  if ([...report.documents, ...report.pruned].some(({ result }) => result === "refused") || report.status) {
    actions.exit.done = 1;
  }
}

/**
 * Applies documents one after the other, in the order of their plan, and calls `applied` with each; a refused or failed one does not prevent
 * the others.
 */
export async function applyEach(
  client: Client,
  documents: readonly object[],
  options: PlanOptions,
  applied: (one: PlannedDocument) => void,
): Promise<PlanReport> {
  const plan = await planDocuments(client, documents, options).catch(notSupported);
  const all: PlannedDocument[] = [];
  for (const planned of plan.documents) {
    const { document, moved } = planned;
    if (document === undefined) continue;
    const made = await applyDocuments(client, [documents[document]!], options).then(
      (report) => madeOf(planned, report),
      (error: unknown) => failed(planned, error),
    );
    const one = { ...made, document, ...(moved ? { moved } : {}) };
    all.push(one);
    applied(one);
  }
  return { ...plan, outcome: "committed", documents: all };
}

/** The result of the document of a request. The store may refuse what was accepted before: then the report as a whole has a Status. */
function madeOf(planned: PlannedDocument, { documents: [made], status }: PlanReport): PlannedDocument {
  if (made && (!status || made.result === "refused")) return made;
  return status ? refused(planned, "server", status) : failed(planned, new Error("expected a result, got none"));
}

/** The result of a document whose request as a whole fails: by the server, or without a response. */
function failed(planned: PlannedDocument, error: unknown): PlannedDocument {
  if (error instanceof StatusError) return refused(planned, "server", error.status);
  const message = `${messageOf(error)}; it is not known whether it is stored: apply it again`;
  return refused(planned, "connection", { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message });
}

const refused = ({ object }: PlannedDocument, refusedBy: string, status: Status): PlannedDocument => ({
  ...(object ? { object } : {}),
  result: "refused",
  warnings: [],
  refusedBy,
  status,
});
