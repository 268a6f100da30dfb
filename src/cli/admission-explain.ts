import type { Client } from "../client/client.ts";
import type { FoundManifest } from "../client/manifests.ts";
import type { AdmissionReport } from "../meta/admission-report.ts";
import type { Actions } from "./actions.ts";
import { admissionLines } from "./admission-lines.ts";
import { CliError } from "./cli-error.ts";
import { connect } from "./connect.ts";
import type { ConnectFlags } from "./connect-flags.ts";
import { findExactKind } from "./find-kind.ts";
import { printReport, styleOf } from "./print-report.ts";
import { readFiles } from "./read-files.ts";

/** The objects, the write to explain, and the output format. */
export interface AdmissionExplainRequest extends ConnectFlags {
  readonly file: string;
  readonly operation: "apply" | "create" | "delete";
  readonly fieldManager: string;
  readonly output: "text" | "json";
}

/** Requests an explanation for each object of the file, in order, and prints them. The exit code is 1 where a write would fail. */
export async function runAdmissionExplain(actions: Actions, request: AdmissionExplainRequest): Promise<void> {
  const found = await readFiles(actions, [request.file]);
  using connection = await connect(actions, request);
  const reports: AdmissionReport[] = [];
  for (const { manifest } of found) reports.push(await explain(connection, manifest, request));
  if (reports.some(({ failure }) => failure !== undefined)) actions.exit.done = 1;
  printReport(actions, request.output, reports, () =>
    reports.flatMap((report, i) => [...(i === 0 ? [] : [""]), ...admissionLines(report, styleOf(actions))]),
  );
}

async function explain(
  { client, namespace: usual }: { readonly client: Client; readonly namespace: string },
  { apiVersion, kind: kindName, ...rest }: FoundManifest["manifest"],
  { operation, fieldManager }: AdmissionExplainRequest,
): Promise<AdmissionReport> {
  const kind = await findExactKind(client, apiVersion, kindName);
  const { namespace = usual, ...named } = rest.metadata;
  const metadata = kind.scope === "Namespaced" ? { ...named, namespace } : named;
  const report = await client.resource(kind).explainWrite({ ...rest, metadata }, { operation, fieldManager });
  if (report.kind === "AdmissionReport") return report;
  throw new CliError("the server does not support explain: is it a keelson server?");
}
