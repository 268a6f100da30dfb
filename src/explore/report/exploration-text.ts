/**
 * The summary of an exploration, as text: the findings, the counts, and what was not tried.
 *
 * @module
 */
import { printable } from "../../util/terminal.ts";
import { fit, padTo, widthOf, wrap } from "../../util/width.ts";
import type { ExplorationReport } from "./exploration-report.ts";
import { findingLines, type TextStyle } from "./terminal.ts";

const DEFAULT_COLUMNS = 100;
const MAX_LEFT = 10;

/** Returns the reports of all findings and the summary. */
export function explorationText(report: ExplorationReport, style: TextStyle): string {
  const { findings, notices } = report;
  const rule = style.paint("dim", "-".repeat(Math.min(style.columns ?? DEFAULT_COLUMNS, DEFAULT_COLUMNS)));
  const reports = [...findings, ...notices].flatMap((one) => [...findingLines(one, style), "", rule]);
  return [...reports, ...explorationLines(report, style)].join("\n");
}

/** Returns the lines of the summary: the findings, and the tried perturbations. */
export function explorationLines(report: ExplorationReport, { paint, columns = DEFAULT_COLUMNS }: TextStyle): string[] {
  const { scenario, summary, findings, notices, coverage, skipped } = report;
  const cut = (line: string): string => fit(printable(line), columns);
  const wrapped = (line: string): string[] => wrap(printable(line), columns);
  const entry =
    (mark: string, colour: "red" | "yellow") =>
    (one: ExplorationReport["findings"][number]): string[] => {
      const { finding, file } = one;
      const lines = wrapped(`${mark} ${finding.fault.sentence}`).map((line) => paint(colour, line));
      return file === undefined ? lines : [...lines, paint("dim", `  ${printable(file)}`)];
    };
  const left = coverage.writes.filter(({ perturbations }) => !Object.values(perturbations).includes("tried"));
  return [
    paint("bold", cut(`Exploration of ${scenario}`)),
    ...summary.flatMap(wrapped),
    ...findings.flatMap(entry("fault:", "red")),
    ...notices.flatMap(entry("notice:", "yellow")),
    "",
    ...typesTable(report).map((line, i) => (i === 0 ? paint("dim", cut(line)) : cut(line))),
    ...(left.length === 0 ? [] : ["", "Writes at which nothing was tried:"]),
    ...left.slice(0, MAX_LEFT).map(({ actor, write }) => cut(`  ${actor}: ${write}`)),
    ...(left.length > MAX_LEFT ? [`  … ${left.length - MAX_LEFT} more`] : []),
    ...(skipped.length === 0 ? [] : ["", "Members without operations:"]),
    ...skipped.slice(0, MAX_LEFT).map(({ path, why }) => cut(`  ${path}: ${why}`)),
    ...(skipped.length > MAX_LEFT ? [`  … ${skipped.length - MAX_LEFT} more`] : []),
  ];
}

function typesTable({ coverage }: ExplorationReport): string[] {
  const rows = [
    ["PERTURBATION", "WORTH TRYING", "TRIED", "CAME UP"],
    ...coverage.types.map(({ type, planned, tried, met }) => [type, String(planned), String(tried), String(met)]),
  ];
  if (rows.length === 1) return [];
  const widths = rows[0]!.map((_, i) => Math.max(...rows.map((row) => widthOf(row[i] ?? ""))));
  return rows.map((row) =>
    row.map((cell, i) => (i === 0 ? padTo(cell, widths[i]!) : cell.padStart(widths[i]!))).join("  "),
  );
}
