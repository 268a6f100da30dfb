import type { Issue } from "./ast.ts";

/** More mistakes than these are not told. */
const MOST = 100;

/** Issues as a text: each with its line, and a caret below the place. */
export function issuesText(source: string, issues: readonly Issue[]): string {
  // Nothing was written: there is no line to show, and no place in it.
  if (source === "") return issues.map(({ message }) => `ERROR: <input>:1:0: ${message}`).join("\n");
  const points = Array.from(source);
  const starts = [0];
  for (const [i, point] of points.entries()) if (point === "\n") starts.push(i + 1);
  const told = issues.toSorted((a, b) => a.at - b.at).slice(0, MOST);
  const rest = issues.length > MOST ? `\n${issues.length - MOST} more errors were truncated` : "";
  const lines = told
    .map(({ at, message }) => {
      let line = starts.length;
      while (line > 1 && starts[line - 1]! > at) line--;
      const start = starts[line - 1]!;
      const end = points.indexOf("\n", start);
      const text = points.slice(start, end < 0 ? points.length : end);
      const column = at - start;
      const dots = text.slice(0, column).map((point) => (isWide(point) ? "．" : "."));
      const caret = isWide(text[column] ?? " ") ? "＾" : "^";
      return `ERROR: <input>:${line}:${column + 1}: ${message}\n | ${text.join("").replaceAll("\t", " ")}\n | ${dots.join("")}${caret}`;
    })
    .join("\n");
  return lines + rest;
}

const isWide = (point: string): boolean => Buffer.byteLength(point) > 1;
