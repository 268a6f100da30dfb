import type { Client } from "../client/client.ts";
import { type PlanOptions, applyDocuments, planDocuments } from "../client/plan.ts";
import type { PlanReport, PlannedDocument } from "../meta/plan-report.ts";
import type { Actions } from "./actions.ts";
import { CliError } from "./cli-error.ts";
import { connect } from "./connect.ts";
import { planOptionsOf } from "./plan-flags.ts";
import { type PlanCommand, manifestsOf, notSupported, printPlan } from "./plan-run.ts";

/** The flags of `apply`. */
export interface ApplyCommand extends PlanCommand {
  readonly atomic: boolean;
}

/** Applies manifests and prints what became of each; the exit code is 1 where one was refused. */
export async function runApply(actions: Actions, command: ApplyCommand): Promise<void> {
  if (command.prune && !command.atomic) throw new CliError("expected --prune together with --atomic", { usage: true });
  using connection = await connect(actions, command);
  const found = await manifestsOf(actions, command);
  const options = planOptionsOf(command, connection.namespace);
  const documents = found.map(({ manifest }) => manifest);
  const apply = command.atomic ? applyDocuments : applyEach;
  const report = await apply(connection.client, documents, options).catch(notSupported);
  printPlan(actions, command.output, report, found);
  if ([...report.documents, ...report.pruned].some(({ result }) => result === "refused") || report.status) {
    actions.exit.done = 1;
  }
}

/** Applies documents one after the other, in the order of their plan; one that is refused does not hold up the others. */
async function applyEach(client: Client, documents: readonly object[], options: PlanOptions): Promise<PlanReport> {
  const plan = await planDocuments(client, documents, options);
  const applied: PlannedDocument[] = [];
  for (const { document, ...planned } of plan.documents) {
    if (document === undefined) continue;
    const { documents: results } = await applyDocuments(client, [documents[document]!], options);
    const moved = planned.moved === undefined ? {} : { moved: planned.moved };
    applied.push(...results.map((result) => ({ ...result, document, ...moved })));
  }
  return { ...plan, outcome: "committed", documents: applied };
}
