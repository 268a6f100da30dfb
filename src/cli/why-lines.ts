/**
 * An explanation as people read it: the object and its state, a line for each reason with who would have to act below it,
 * then tables of the volumes, or nodes, that were considered, or of what is left.
 *
 * @module
 */
import type { WhyReport } from "../meta/why-report.ts";
import { type Painter, printable } from "./colours.ts";
import { table } from "./table.ts";
import { fit, widthOf } from "./width.ts";

/** How to print. */
export interface WhyStyle {
  readonly paint: Painter;
  /** Places of a line; reasons go on in the next one, tables are cut. */
  readonly columns?: number | undefined;
}

/** The lines of a report about an object of a name. */
export function whyLines(report: WhyReport, name: string, { paint, columns = Infinity }: WhyStyle): string[] {
  const { phase, isTerminating, reasons, considered, nodes, leftOut = 0, content } = report;
  const state = [
    ...(phase === undefined ? [] : [phase]),
    ...(isTerminating && phase !== "Terminating" ? ["Terminating"] : []),
  ];
  const lines = [paint("bold", fit(printable(`${name}${state.length === 0 ? "" : `: ${state.join(", ")}`}`), columns))];
  if (reasons.length === 0) lines.push("  it waits for nothing, and nothing holds it");
  for (const { says, who } of reasons) {
    lines.push(...wrap(printable(says), columns, "  "));
    if (who !== undefined)
      lines.push(...wrap(`-> ${printable(who)}`, columns, "     ").map((line) => paint("cyan", line)));
  }
  const told = considered ? considered.map(({ volume, lacks }) => ({ name: volume, lacks })) : undefined;
  const rows = (told ?? nodes?.map(({ node, lacks }) => ({ name: node, lacks })) ?? []).map(
    ({ name: one, lacks }) => [one, lacks.join("; ") || "nothing"] as const,
  );
  if (rows.length > 0) lines.push("", ...table([[told ? "VOLUME" : "NODE", "LACKS"], ...rows], columns, paint));
  const more = `${leftOut} more ${told ? "volumes" : "nodes"} are left out; --limit shows more`;
  if (leftOut > 0) lines.push(paint("dim", fit(more, columns)));
  const left = (content ?? []).map(({ group, resource, count, finalizers }) => {
    const kept = Object.entries(finalizers).map(([finalizer, held]) => `${finalizer} (${held})`);
    return [group === "" ? resource : `${resource}.${group}`, String(count), kept.join(", ") || "none"] as const;
  });
  if (left.length > 0) lines.push("", ...table([["LEFT", "COUNT", "FINALIZERS"], ...left], columns, paint));
  return lines;
}

/** A text in lines of at most some places, each with an indent before it. */
function wrap(text: string, columns: number, indent: string): string[] {
  const room = columns - indent.length;
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line !== "" && widthOf(longer) > room) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line].map((one) => fit(indent + one, columns));
}
