/**
 * A token file: CSV with one line for each user.
 *
 *     31ada4fd-adec-460c-809a-9e56ceb75269,pat,7,"team-a,team-b"
 *
 * @module
 */
import type { Identity } from "./contract.ts";
import { digestOf } from "./opaque-tokens.ts";

/** Users by the digest of their tokens. */
export type TokenUsers = ReadonlyMap<string, Identity>;

/** Parses a token file. @throws Error for a line without token, user and uid */
export function readTokens(text: string, file: string): TokenUsers {
  const users = new Map<string, Identity>();
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === "") continue;
    const [token, user, uid, groups = ""] = cellsOf(line);
    if (!token || !user || uid === undefined) {
      throw new Error(`expected line ${at + 1} of ${file} to have a token, a user and a uid with commas between them`);
    }
    users.set(digestOf(token), { user, uid, groups: namesIn(groups) });
  }
  return users;
}

/** The cells of a line; a quoted cell may contain commas, and a doubled quote means one quote. */
function cellsOf(line: string): string[] {
  const cells: string[] = [];
  for (let at = 0; at <= line.length;) {
    const { cell, end } = quotedAt(line, at) ?? plainAt(line, at);
    cells.push(cell);
    at = end + 1;
  }
  return cells;
}

/** A cell, and the index of the comma after it or of the end of the line. */
interface Cell {
  readonly cell: string;
  readonly end: number;
}

function plainAt(line: string, at: number): Cell {
  const comma = line.indexOf(",", at);
  const end = comma < 0 ? line.length : comma;
  return { cell: line.slice(at, end).trim(), end };
}

/** Undefined where a cell does not begin with a quote, or has text after its closing quote. */
function quotedAt(line: string, at: number): Cell | undefined {
  const start = endOfBlanks(line, at) + 1;
  if (line[start - 1] !== '"') return undefined;
  let quote = line.indexOf('"', start);
  while (quote >= 0 && line[quote + 1] === '"') quote = line.indexOf('"', quote + 2);
  const end = quote < 0 ? 0 : endOfBlanks(line, quote + 1);
  if (quote < 0 || (end < line.length && line[end] !== ",")) return undefined;
  return { cell: line.slice(start, quote).replaceAll('""', '"'), end };
}

function endOfBlanks(line: string, from: number): number {
  let end = from;
  while (line[end] === " ") end++;
  return end;
}

const namesIn = (text: string): string[] =>
  text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
