/**
 * A file of tokens: one line for each user, as spreadsheets write them.
 *
 *     31ada4fd-adec-460c-809a-9e56ceb75269,pat,7,"team-a,team-b"
 *
 * @module
 */
import { createHash } from "node:crypto";
import type { Identity } from "../../auth/contract.ts";
import { OptionError } from "../option-types.ts";

/** Users by the digest of their token; looking for a digest tells nothing of the tokens by its time. */
export type TokenUsers = ReadonlyMap<string, Identity>;

/** What a token is kept as. */
export const digestOf = (token: string): string => createHash("sha256").update(token).digest("base64");

/** The users of a file. @throws OptionError for a line without token, name and number */
export function readTokens(text: string, file: string): TokenUsers {
  const users = new Map<string, Identity>();
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === "") continue;
    const [token, user, uid, groups = ""] = cellsOf(line);
    if (!token || !user || uid === undefined) {
      throw new OptionError(
        `expected line ${at + 1} of ${file} to have a token, a user and a uid with commas between them`,
      );
    }
    users.set(digestOf(token), { user, uid, groups: [...listed(groups), "system:authenticated"] });
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
