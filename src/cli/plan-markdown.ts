/** A plan as Markdown, for a comment on a change. */
import type { PlanReport, PlannedDocument } from "../meta/plan-report.ts";
import { printable } from "./colours.ts";
import { MOVES, SIGNS, type From, changeText, nameOf, restartText, summaryOf } from "./plan-words.ts";

/** A summary, a table of all documents that are not unchanged, and the changes of each document as a block of code. */
export function planMarkdown(report: PlanReport, from: From): readonly string[] {
  const all = [...report.documents, ...report.pruned];
  const shown = all.filter(({ result, warnings }) => result !== "unchanged" || warnings.length > 0);
  return [
    `**Plan:** ${summaryOf(report)}`,
    ...(report.status ? ["", `> ${cell(report.status.message ?? "")}`] : []),
    ...(shown.length === 0
      ? []
      : ["", "| | object | note |", "| --- | --- | --- |", ...shown.map((one) => row(one, from))]),
    ...shown.flatMap((one) => changeBlock(one, from)),
    ...findingLines(report),
  ];
}

function row(one: PlannedDocument, from: From): string {
  const { result, moved, refusedBy, status, warnings } = one;
  const notes = [
    ...(status ? [`refused by ${refusedBy}: ${status.message ?? ""}`] : []),
    ...(moved
      ? [`applied before ${from(moved.before) ?? `document ${moved.before + 1}`}: ${MOVES[moved.rule]} it`]
      : []),
    ...warnings.map((text) => `warning: ${text}`),
  ];
  return `| \`${SIGNS[result]}\` ${result} | ${cell(nameOf(one, from))} | ${notes.map(cell).join("<br>")} |`;
}

function changeBlock(one: PlannedDocument, from: From): readonly string[] {
  const { changes = [], changesLeftOut, lost = [] } = one;
  if (changes.length === 0 && lost.length === 0 && !changesLeftOut) return [];
  const lines = [
    ...changes.map((change) => {
      const sign = change.op === "add" ? "+" : change.op === "remove" ? "-" : "!";
      const owners = change.managers.length === 0 ? "" : `  (${change.managers.join(", ")})`;
      return `${sign} ${changeText(change)}${printable(owners)}`;
    }),
    ...lost.map(({ manager, fields }) => printable(`# ${manager} loses ${fields.join(", ")}`)),
    ...(changesLeftOut ? ["# its changes are left out: there are too many"] : []),
  ];
  // The fence is longer than any in the text.
  const fence = "`".repeat(Math.max(3, longestRun(lines.join("\n")) + 1));
  return [
    "",
    `<details><summary>${escape(nameOf(one, from))}</summary>`,
    "",
    `${fence}diff`,
    ...lines,
    fence,
    "",
    "</details>",
  ];
}

function findingLines({ findings, restarts }: PlanReport): readonly string[] {
  if (findings.length + restarts.length === 0) return [];
  return [
    "",
    ...restarts.map((restart) => `- **restarts** ${cell(restartText(restart))}`),
    ...findings.map(
      ({ kind, namespace, name, message }) => `- **${kind}** ${cell(`${namespace}/${name}`)}: ${cell(message)}`,
    ),
  ];
}

/** The length of the longest run of backticks. */
function longestRun(text: string): number {
  let [longest, run] = [0, 0];
  for (const character of text) {
    run = character === "`" ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return longest;
}

const cell = (text: string): string => escape(printable(text)).replaceAll("|", "\\|");

const escape = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll("`", "&#96;");
