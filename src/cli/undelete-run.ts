import { nameOf } from "../client/objects/history.ts";
import { undelete } from "../client/objects/undelete.ts";
import type { Loss } from "../client/objects/undelete-plan.ts";
import type { Actions } from "./actions.ts";
import { printable } from "./colours.ts";
import { connect } from "./connect.ts";
import type { ConnectFlags } from "./connect-flags.ts";
import { parseObject } from "./object-argument.ts";
import { resolveObject } from "./object-history.ts";
import { printReport } from "./print-report.ts";

/** The object to restore, and the output format. */
export interface UndeleteRequest extends ConnectFlags {
  readonly words: readonly (string | undefined)[];
  readonly fieldManager: string;
  readonly dryRun?: boolean;
  readonly output: "text" | "json";
}

/** Restores an object, and prints the result. */
export async function runUndelete(actions: Actions, request: UndeleteRequest): Promise<void> {
  const { dryRun = false } = request;
  using connection = await connect(actions, request);
  const { kind, name, versions } = parseObject(request.words, 1, "keelson undelete configmap web");
  const ref = await resolveObject(connection, kind, name);
  const { fieldManager } = request;
  const { from, now, losses, status } = await undelete(ref, { version: versions[0], fieldManager, dryRun });
  const { resourceVersion, event } = from;
  const report = { version: resourceVersion, dryRun, object: now, losses };
  printReport(actions, request.output, report, () => {
    const { uid, resourceVersion: version } = now.metadata;
    const done = dryRun ? "would be back" : "is back";
    const as = dryRun ? "" : `, now version ${version} with uid ${uid}`;
    const when = event === "deleted" ? "when it was deleted, at" : "at";
    return [
      `${nameOf(ref)} ${done} as it was ${when} version ${resourceVersion}${as}`,
      ...(status !== undefined && dryRun ? ["its status would be written through its subresource"] : []),
      "What cannot come back:",
      ...losses.map(lossText),
    ];
  });
}

const lossText = ({ what, why }: Loss): string => `  ${what}: ${printable(why)}`;
