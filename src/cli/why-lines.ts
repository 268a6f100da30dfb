import type { ReportedQuote, WhyReport } from "../meta/why-report.ts";
import { printable } from "./colours.ts";
import type { PrintStyle } from "./print-report.ts";
import { table } from "./table.ts";
import { fit, widthOf } from "../util/width.ts";

/**
 * Returns the lines of an explanation: the object and its state, the reasons with who has to act, then tables of volumes or nodes
 * that were considered, or of the remaining content.
 */
export function whyLines(report: WhyReport, name: string, { paint, columns = Infinity }: PrintStyle): string[] {
  const { phase, isTerminating, reasons, considered, nodes, leftOut = 0, content, command } = report;
  const state = [
    ...(phase === undefined ? [] : [phase]),
    ...(isTerminating && phase !== "Terminating" ? ["Terminating"] : []),
  ];
  const lines = [paint("bold", fit(printable(`${name}${state.length === 0 ? "" : `: ${state.join(", ")}`}`), columns))];
  if (report.isUnknownKind) {
    const what = `keelson why does not know ${report.object.kind}; of every kind it tells finalizers, conditions that do not hold and the last warning`;
    lines.push(...wrap(what, columns, "  ").map((line) => paint("dim", line)));
  }
  if (reasons.length === 0) lines.push("  no pending conditions or finalizers found");
  for (const { says, who, quotes } of reasons) {
    lines.push(...wrap(printable(says), columns, "  "));
    if (quotes)
      lines.push(...wrap(`(${printable(quoteText(quotes))})`, columns, "     ").map((line) => paint("dim", line)));
    if (who !== undefined)
      lines.push(...wrap(`-> ${printable(who)}`, columns, "     ").map((line) => paint("cyan", line)));
  }
  const volumes = considered ? considered.map(({ volume, lacks }) => ({ name: volume, lacks })) : undefined;
  const rows = (volumes ?? nodes?.map(({ node, lacks }) => ({ name: node, lacks })) ?? []).map(
    ({ name: one, lacks }) => [one, lacks.join("; ") || "nothing"] as const,
  );
  if (rows.length > 0) lines.push("", ...table([[volumes ? "VOLUME" : "NODE", "LACKS"], ...rows], columns, paint));
  const more = `${leftOut} more ${volumes ? "volumes" : "nodes"} are left out; --limit shows more`;
  if (leftOut > 0) lines.push(paint("dim", fit(more, columns)));
  const left = (content ?? []).map(({ group, resource, count, finalizers }) => {
    const kept = Object.entries(finalizers).map(([finalizer, held]) => `${finalizer} (${held})`);
    return [group === "" ? resource : `${resource}.${group}`, String(count), kept.join(", ") || "none"] as const;
  });
  if (left.length > 0) lines.push("", ...table([["LEFT", "COUNT", "FINALIZERS"], ...left], columns, paint));
  // Not cut, so that it can be copied.
  if (command !== undefined) lines.push("", paint("dim", "to see them:"), `  ${printable(command)}`);
  return lines;
}

/** Returns the source of a quote: `Event ProvisioningFailed of external-provisioner, 2030-01-01T10:00:00Z`. */
const quoteText = ({ in: source, reason, from, time }: ReportedQuote): string =>
  `${source} ${reason}${from ? ` of ${from}` : ""}${time ? `, ${time}` : ""}`;

/** Wraps a text into indented lines. */
function wrap(text: string, columns: number, indent: string): string[] {
  const width = columns - indent.length;
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line !== "" && widthOf(longer) > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line].map((one) => fit(indent + one, columns));
}
