import { counted } from "../../util/counted.ts";
import { printable } from "../colours.ts";
import type { PrintStyle } from "../print-report.ts";
import { alignedLines } from "../table.ts";
import type { Check, Verdict } from "./check.ts";

const COLOURS = { ok: "green", warn: "yellow", fail: "red" } as const satisfies Record<Verdict, string>;

/** The maximum width of all columns except the last: longer texts would leave no space for what to do. */
const MAX_FOUND = 60;

/** Returns the lines of a table of checks; what to do is below a row that is too long for it. */
export function checkLines(checks: readonly Check[], { paint }: PrintStyle): string[] {
  const rows = checks.map(({ check, verdict, found, advice }) => {
    const text = printable(found);
    const isLong = text.length > MAX_FOUND;
    return { cells: [printable(check), verdict, text], verdict, advice: printable(advice), isLong };
  });
  const head = ["CHECK", "", "FOUND", "WHAT TO DO"];
  const short = rows.map(({ cells, advice, isLong }) => (isLong ? [cells[0]!, cells[1]!] : [...cells, advice]));
  const [title = "", ...lines] = alignedLines([head, ...short]);
  return [
    paint("dim", title),
    ...lines.flatMap((line, i) => {
      const { cells, verdict, advice, isLong } = rows[i]!;
      const text = isLong ? `${line.padEnd(title.indexOf("FOUND"))}${cells[2]}` : line;
      const start = title.indexOf("WHAT") < 0 ? 0 : cells[0]!.length;
      const at = text.indexOf(verdict, start);
      const painted = `${text.slice(0, at)}${paint(COLOURS[verdict], verdict)}${text.slice(at + verdict.length)}`;
      return isLong && advice !== "" ? [painted, `${" ".repeat(title.indexOf("FOUND"))}${advice}`] : [painted];
    }),
  ];
}

/** Returns how many checks have failed, as a sentence; undefined for none. */
export function resultOf(checks: readonly Check[]): string | undefined {
  const failed = checks.filter(({ verdict }) => verdict === "fail");
  return failed.length === 0
    ? undefined
    : `${counted(failed.length, "check")} failed: ${failed.map(({ check }) => check).join(", ")}`;
}
