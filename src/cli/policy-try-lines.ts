/**
 * Formats a trial of policies: what each would have done, who wrote the refused objects, and the first findings in detail.
 *
 * @module
 */
import type { ReportedObject } from "../meta/ownership-reports.ts";
import type { TrialCounts, TrialFinding, TrialOfPolicy, TrialReport } from "../meta/trial-report.ts";
import { printable } from "./colours.ts";
import { counted } from "../util/counted.ts";
import { fieldPath } from "./field-path.ts";
import type { PrintStyle } from "./print-report.ts";
import { table } from "./table.ts";
import { fit } from "../util/width.ts";

const HEAD = ["JUDGED", "REFUSED", "WARNED", "AUDITED", "CHANGED", "FAILED"];

const cellsOf = ({ judged, refuse, warn, audit, change, fail }: TrialCounts): string[] =>
  [judged, refuse, warn, audit, change, fail].map(String);

/** Returns the lines of a report. */
export function tryLines(report: TrialReport, style: PrintStyle): string[] {
  return [
    ...report.policies.flatMap((policy) => [...policyLines(policy, style), ""]),
    ...findingLines(report, style),
    ...endLines(report),
  ];
}

function policyLines(policy: TrialOfPolicy, { paint, columns = Infinity }: PrintStyle): string[] {
  const rows = [
    [`${policy.kind}/${policy.policy}`, ...HEAD],
    ["stored objects", ...cellsOf(policy.objects)],
    ["writes of the history", ...cellsOf(policy.writes)],
    ...policy.resources.map(({ resource, ...counts }) => [`  ${resource}`, ...cellsOf(counts)]),
    ...policy.managers.map(({ manager, ...counts }) => [
      `  by ${manager || "(no manager)"}`,
      "",
      ...cellsOf({ ...counts, judged: 0 }).slice(1),
    ]),
  ];
  const { mostExpensive: most } = policy;
  const cost = most ? `, most of it for ${nameOf(most.object)}: ${most.cost}` : "";
  return [...table(rows, columns, paint), fit(`${policy.millis} ms, CEL cost ${policy.cost}${cost}`, columns)];
}

function findingLines({ findings, furtherFindings }: TrialReport, { columns = Infinity }: PrintStyle): string[] {
  const lines = findings.flatMap((finding) => linesOf(finding).map((line) => fit(printable(line), columns)));
  const more = furtherFindings > 0 ? [`and ${counted(furtherFindings, "further finding")}; --limit shows more`] : [];
  return [...lines, ...more];
}

function linesOf({
  policy,
  binding,
  would,
  of,
  operation,
  object,
  managers,
  message,
  changes,
}: TrialFinding): string[] {
  const what = of === "object" ? nameOf(object) : `the ${operation} of ${nameOf(object)}`;
  const by = managers.length === 0 ? "" : ` by ${managers.join(", ")}`;
  const why = message === undefined ? "" : `: ${message}`;
  return [
    `${policy} (${binding}) would ${WORDS[would]} ${what}${by}${why}`,
    ...(changes ?? []).map(({ op, pointer, after }) => {
      const value = after === undefined ? "" : ` = ${JSON.stringify(after)}`;
      return `    ${op} ${fieldPath(pointer)}${value}`;
    }),
  ];
}

const WORDS: Readonly<Record<TrialFinding["would"], string>> = {
  refuse: "refuse",
  warn: "warn about",
  audit: "note",
  change: "change",
  fail: "fail on",
};

function nameOf({ kind, name, namespace, resourceVersion }: ReportedObject): string {
  const version = resourceVersion === undefined ? "" : `@${resourceVersion}`;
  return `${kind.toLowerCase()}/${name}${version}${namespace === undefined ? "" : ` in ${namespace}`}`;
}

function endLines({ skipped, history }: TrialReport): string[] {
  const { since, until, withoutBefore, stopped } = history;
  const left = withoutBefore === 0 ? "" : `; ${counted(withoutBefore, "update")} without the version before left out`;
  const end = stopped === undefined ? "" : `; ${stopped}`;
  return [
    ...skipped.map(({ resource, why }) => printable(`${resource} left out: ${why}`)),
    `history from ${since} to ${until}${left}${end}`,
  ];
}
