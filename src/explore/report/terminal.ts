/**
 * Reports for a terminal, or as plain text.
 *
 * @module
 */
import { durationText } from "../../util/duration.ts";
import { type Colour, type Painter, printable } from "../../util/terminal.ts";
import { fit, padTo, wrap } from "../../util/width.ts";
import { objectText } from "../names.ts";
import type { FindingReport } from "./finding-report.ts";
import { faultKinds } from "./kinds.ts";
import type { ShownLine } from "./object-diff.ts";
import { momentText } from "./words.ts";
import { leftText, momentOf, type Row, windowOf } from "./time-line.ts";

/** How texts are printed. */
export interface TextStyle {
  readonly paint: Painter;
  /** The width of a line; 100 by default. */
  readonly columns?: number | undefined;
}

const DEFAULT_COLUMNS = 100;
/** Narrower terminals show both runs in one column, with signs. */
const MIN_SIDE_BY_SIDE = 90;
const MAX_ROWS = 28;
const MAX_CURRENT = 5;
const INDENT = "  ";

/** Returns the lines of the report of a finding, at most as wide as the terminal; commands are never cut. */
export function findingLines(report: FindingReport, { paint, columns = DEFAULT_COLUMNS }: TextStyle): string[] {
  const text = new Text(paint, Math.max(20, columns));
  const { finding, plan, steps, difference, knowledge, owners, state, output, replay } = report;
  const { fault, replayed, seed } = finding;
  const isFault = fault.severity === "fault";
  text.wrapped(fault.sentence, isFault ? "red" : "yellow");
  const about = [
    fault.severity,
    faultKinds[fault.kind].title.toLowerCase(),
    ...(fault.object ? [objectText(fault.object) + (fault.path === undefined ? "" : ` ${fault.path}`)] : []),
    `shown ${replayed.shown} of ${replayed.of} times`,
    `seed ${seed}`,
  ];
  text.wrapped(about.join(", "), "dim");

  text.heading(plan.length === 0 ? "Nothing was perturbed" : "What went wrong");
  for (const sentence of plan) text.wrapped(`- ${sentence}`, undefined, INDENT);
  if (steps.length > 0) {
    text.heading("Steps");
    for (const [i, step] of steps.entries()) text.wrapped(`${i + 1}. ${step}`, undefined, INDENT);
  }
  timeLineText(text, report);
  if (difference) {
    const where = { clean: "only in the clean run", run: "only in this run", both: "with other contents" };
    text.heading("The first write that differs");
    text.wrapped(`${difference.text}: ${where[difference.where]}`, undefined, INDENT);
    text.diff(difference.lines);
  }
  if (state.length > 0) {
    text.heading("Expected (-) and found (+)");
    text.diff(state);
  }
  if (knowledge) {
    text.heading(`What ${knowledge.actor} knew ${knowledge.isInTheEnd ? "at the end" : "at that moment"}`);
    const current = knowledge.sights.filter(({ isBehind }) => !isBehind);
    const shown = [...knowledge.sights.filter(({ isBehind }) => isBehind), ...current.slice(0, MAX_CURRENT)];
    for (const { object, text: sight, isBehind } of shown) {
      text.wrapped(`${object}: ${sight}`, isBehind ? "yellow" : "dim", INDENT);
    }
    const left = current.length - Math.min(current.length, MAX_CURRENT);
    if (left > 0) text.wrapped(`… ${left} more of which it had seen the last revision`, "dim", INDENT);
    if (knowledge.sights.length === 0) text.wrapped("nothing", "dim", INDENT);
  }
  if (owners.length > 0) {
    text.heading("Who owns it");
    for (const one of owners) {
      const names = one.owners.map(({ manager, operation }) => `${manager} (${operation})`);
      text.wrapped(`${one.object} ${one.path}: ${names.join(", ")}`, undefined, INDENT);
    }
  }
  for (const { actor, lines } of output) {
    text.heading(`What ${actor} printed`);
    for (const line of lines) text.cut(line, "dim");
  }
  text.heading("Play it again");
  if (replay.command === undefined) {
    text.wrapped("In a test: await replay(scenario, { controllers }, finding), with", undefined, INDENT);
    text.whole(`const finding = ${JSON.stringify(finding)};`);
  } else text.whole(replay.command);
  if (replay.until !== undefined) {
    text.whole(replay.until);
    text.wrapped("stops right before the write that differs, and gives a kubeconfig", "dim", `${INDENT}  `);
  }
  return text.lines;
}

function timeLineText(text: Text, { timeLine, finding: { plan } }: FindingReport): void {
  if (timeLine.length === 0) return;
  const isAlone = plan.length === 0 && timeLine.every(({ clean, run }) => clean && run);
  const isWide = text.columns >= MIN_SIDE_BY_SIDE && !isAlone;
  text.heading(
    isAlone
      ? "Time line"
      : isWide
        ? "Time line: the clean run, and this run"
        : "Time line: - clean run only, + this run only",
  );
  for (const part of windowOf(timeLine, MAX_ROWS)) {
    if ("left" in part) text.cut(`… ${leftText(part.left)} left out`, "dim");
    else if (isWide) part.rows.forEach((row) => text.sideBySide(row));
    else part.rows.forEach((row) => text.signed(row, isAlone));
  }
}

const timeOf = (at: number): string => durationText(at);

/** Collects lines. */
class Text {
  readonly lines: string[] = [];
  readonly columns: number;
  readonly #paint: Painter;

  constructor(paint: Painter, columns: number) {
    this.#paint = paint;
    this.columns = columns;
  }

  heading(title: string): void {
    this.lines.push("", this.#paint("bold", fit(printable(title), this.columns)));
  }

  /** Breaks a text at spaces. */
  wrapped(source: string, colour?: Colour, indent = ""): void {
    const hanging = indent + (/^(?:-|\d+\.) /.test(source) ? INDENT : "");
    const lines = wrap(printable(source), this.columns - hanging.length);
    for (const [i, line] of lines.entries()) this.#add((i === 0 ? indent : hanging) + line, colour);
  }

  cut(source: string, colour?: Colour): void {
    this.#add(fit(INDENT + printable(source), this.columns), colour);
  }

  /** A line that is copied: it is not cut. */
  whole(source: string): void {
    this.#add(INDENT + printable(source), "cyan");
  }

  diff(lines: readonly ShownLine[]): void {
    for (const line of lines) {
      if (line.sign === "gap") this.cut(`… ${line.count} ${line.count === 1 ? "line" : "lines"}`, "dim");
      else this.cut(`${line.sign} ${line.text}`, line.sign === "-" ? "red" : line.sign === "+" ? "green" : undefined);
    }
  }

  sideBySide(row: Row): void {
    const { clean, run } = row;
    const half = Math.floor((this.columns - INDENT.length - 3) / 2);
    const cell = (moment: Row["clean"]): string =>
      moment === undefined ? "" : `${padTo(timeOf(moment.at), 8)} ${printable(momentText(moment))}`;
    const left = padTo(fit(cell(clean), half), half);
    const right = fit(cell(run), half);
    const colour = colourOf(row);
    const line = `${INDENT}${left} ${row.isFirst ? ">" : "|"} ${right}`.trimEnd();
    this.#add(line, colour);
  }

  signed(row: Row, isAlone: boolean): void {
    const moment = momentOf(row);
    const sign = isAlone ? "" : row.clean && row.run ? "  " : row.run ? "+ " : "- ";
    const mark = row.isFirst ? " <- the first write that differs" : "";
    this.cut(`${sign}${padTo(timeOf(moment.at), 8)} ${momentText(moment)}${mark}`, colourOf(row));
  }

  #add(line: string, colour?: Colour): void {
    this.lines.push(colour === undefined || line === "" ? line : this.#paint(colour, line));
  }
}

function colourOf(row: Row): Colour | undefined {
  const { kind, isPerturbed } = momentOf(row);
  if (isPerturbed) return "yellow";
  if (kind === "step") return "bold";
  if (row.clean && row.run) return "dim";
  return row.run ? "green" : "red";
}
