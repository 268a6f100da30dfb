/** The lines of a plan for a terminal. */
import type { PlanReport, PlannedDocument } from "../meta/plan-report.ts";
import { type Colour, printable } from "./colours.ts";
import { MOVES, SIGNS, type From, changeText, nameOf, restartText, summaryOf } from "./plan-words.ts";
import type { PrintStyle } from "./print-report.ts";

const COLOURS: Readonly<Partial<Record<PlannedDocument["result"], Colour>>> = {
  created: "green",
  changed: "yellow",
  deleted: "red",
  refused: "red",
};

/** The lines of a report: what changes, what is refused and why, findings, and a summary. Unchanged documents are only counted. */
export function planLines(report: PlanReport, from: From, style: Pick<PrintStyle, "paint">): readonly string[] {
  const all = [...report.documents, ...report.pruned];
  return [...all.flatMap((one) => documentLines(one, from, style)), ...closingLines(report, style)];
}

/** The lines after those of the documents: findings, why nothing is stored, and a summary. */
export function closingLines(report: PlanReport, { paint }: Pick<PrintStyle, "paint">): readonly string[] {
  const { findings, restarts, status } = report;
  return [
    ...restarts.map((restart) => paint("yellow", `* ${restartText(restart)}`)),
    ...findings.map(({ kind, namespace, name, message }) =>
      paint("yellow", printable(`? ${kind} ${namespace}/${name}: ${message}`)),
    ),
    ...(status ? [paint("red", printable(`! ${status.message ?? "the documents were refused"}`))] : []),
    summaryOf(report),
  ];
}

/** The lines of a document; none where it is unchanged and there is no warning. */
export function documentLines(
  one: PlannedDocument,
  from: From,
  { paint }: Pick<PrintStyle, "paint">,
): readonly string[] {
  const { result, moved, changes = [], changesLeftOut, lost = [], refusedBy, status, warnings } = one;
  if (result === "unchanged" && warnings.length === 0) return [];
  const colour = COLOURS[result];
  const head = `${SIGNS[result]} ${nameOf(one, from)}`;
  const before =
    moved && `  before ${from(moved.before) ?? `document ${moved.before + 1}`}: it is ${MOVES[moved.rule]} it`;
  return [
    colour ? paint(colour, head) : head,
    ...(before ? [paint("dim", printable(before))] : []),
    ...(status ? [printable(`  refused by ${refusedBy}: ${status.message ?? ""}`)] : []),
    ...changes.map((change) => {
      const sign = change.op === "add" ? "+" : change.op === "remove" ? "-" : "~";
      const owners = change.managers.length === 0 ? "" : paint("dim", `  (${printable(change.managers.join(", "))})`);
      return `  ${sign} ${changeText(change)}${owners}`;
    }),
    ...(changesLeftOut ? ["  its changes are left out: there are too many"] : []),
    ...lost.map(({ manager, fields }) => printable(`  ${manager} loses ${fields.join(", ")}`)),
    ...warnings.map((text) => paint("yellow", printable(`  warning: ${text}`))),
  ];
}
