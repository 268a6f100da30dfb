import { applyManifests } from "../client/apply.ts";
import { applyDocuments } from "../client/plan.ts";
import type { Manifest } from "../client/manifests.ts";
import type { Actions } from "./actions.ts";
import { CliError } from "./cli-error.ts";
import { connect } from "./connect.ts";
import { planOptionsOf } from "./plan-flags.ts";
import { type PlanCommand, manifestsOf, notSupported, printPlan } from "./plan-run.ts";

/** The flags of `apply`. */
export interface ApplyCommand extends PlanCommand {
  readonly atomic: boolean;
}

/** Applies manifests and prints what became of each; the exit code is 1 where none, or not all, were applied. */
export async function runApply(actions: Actions, command: ApplyCommand): Promise<void> {
  if (command.prune && !command.atomic) throw new CliError("expected --prune together with --atomic", { usage: true });
  using connection = await connect(actions, command);
  const found = await manifestsOf(actions, command);
  const options = planOptionsOf(command, connection.namespace);
  const documents = found.map(({ manifest }) => manifest);
  if (!command.atomic) {
    const applied = await applyManifests(connection.client, documents, options);
    actions.print(
      command.output === "json" ? JSON.stringify(applied, undefined, 2) : appliedLines(documents).join("\n"),
    );
    return;
  }
  const report = await applyDocuments(connection.client, documents, options).catch(notSupported);
  printPlan(actions, command.output, report, found);
  if (report.outcome === "refused") actions.exit.done = 1;
}

const appliedLines = (documents: readonly Manifest[]): readonly string[] =>
  documents.map(({ kind, metadata: { namespace, name } }) =>
    namespace === undefined ? `${kind} ${name} applied` : `${kind} ${namespace}/${name} applied`,
  );
