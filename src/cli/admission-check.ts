import type { Actions } from "./actions.ts";
import { readAdmissionFacts } from "./admission-facts.ts";
import { type AdmissionFinding, admissionFindings } from "./admission-findings.ts";
import { printable } from "./colours.ts";
import { connect } from "./connect.ts";
import type { ConnectFlags } from "./connect-flags.ts";
import { type PrintStyle, printReport, styleOf } from "./print-report.ts";
import { fit } from "../util/width.ts";

/** The output format. */
export interface AdmissionCheckRequest extends ConnectFlags {
  readonly output: "text" | "json";
}

/** Looks for mistakes in webhooks and policies, and prints them. The exit code is 1 where there is an error. */
export async function runAdmissionCheck(actions: Actions, request: AdmissionCheckRequest): Promise<void> {
  using connection = await connect(actions, request);
  const findings = admissionFindings(await readAdmissionFacts(connection.client));
  if (findings.some(({ severity }) => severity === "error")) actions.exit.done = 1;
  printReport(actions, request.output, findings, () => linesOf(findings, styleOf(actions)));
}

function linesOf(findings: readonly AdmissionFinding[], { paint, columns = Infinity }: PrintStyle): string[] {
  if (findings.length === 0) return ["no mistakes found in webhooks and policies"];
  return findings.flatMap(({ severity, source, webhook, says }) => {
    const where = webhook === undefined ? source : `${source}, webhook ${webhook}`;
    const head = paint(severity === "error" ? "red" : "yellow", `${severity}  `);
    return [head + paint("bold", fit(printable(where), columns)), `  ${printable(says)}`];
  });
}
