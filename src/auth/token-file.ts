/**
 * A file of tokens: one line for each user, as spreadsheets write them.
 *
 *     31ada4fd-adec-460c-809a-9e56ceb75269,pat,7,"team-a,team-b"
 *
 * @module
 */
import type { Identity } from "./contract.ts";
import { digestOf } from "./opaque-tokens.ts";

/** Users by the digest of their token. */
export type TokenUsers = ReadonlyMap<string, Identity>;

/** The users of a file. @throws Error for a line without token, name and number */
export function readTokens(text: string, file: string): TokenUsers {
  const users = new Map<string, Identity>();
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === "") continue;
    const [token, user, uid, groups = ""] = cellsOf(line);
    if (!token || !user || uid === undefined) {
      throw new Error(`expected line ${at + 1} of ${file} to have a token, a user and a uid with commas between them`);
    }
    users.set(digestOf(token), { user, uid, groups: listed(groups) });
  }
  return users;
}

/** The cells of a line; one in quotes may have commas, and two quotes for one. */
function cellsOf(line: string): string[] {
  const cells = line.matchAll(/(?:^|,) *(?:"((?:[^"]|"")*)" *(?=,|$)|([^,]*))/g);
  return Array.from(cells, ([, quoted, plain = ""]) => quoted?.replaceAll('""', '"') ?? plain.trim());
}

const listed = (text: string): string[] =>
  text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
