/**
 * The page of errors: every reason that a Status can have, its code, and when it is returned, from the catalogue.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ApiError, type StatusReason } from "../../src/meta/status.ts";
import { docOf, firstSentence } from "./docstring.ts";
import { MADE, code, table } from "./markdown.ts";

/** The page. */
export function errorsPage(root: string): [path: string, text: string] {
  const source = readFileSync(join(root, "src/meta/status.ts"), "utf8");
  const made = madeIn(source);
  const rows = reasonsIn(source).map((reason): [number, string[]] => {
    const { code: status } = new ApiError(reason, "");
    const cases = made.filter((one) => one.reason === reason).map(({ when }) => when);
    return [status, [String(status), code(reason), cases.join("; ") || "from other servers only"]];
  });
  const sorted = rows.toSorted(([a], [b]) => a - b).map(([, row]) => row);
  const causes = wordsIn(source, "CauseReason").map(code).join(", ");
  const text = ["# Errors", MADE, INTRODUCTION, table(["code", "reason", "when"], sorted), `${CAUSES}\n\n${causes}`];
  return ["docs/reference/errors.md", `${text.join("\n\n")}\n`];
}

const INTRODUCTION = `The response to a request that fails is a \`Status\`: \`code\` is the status of HTTP, \`reason\` is for programs, \`message\` for
people. For an invalid object it has all violations, one in \`details.causes\` for each field. The header \`Retry-After\` of 429, 503
and some 504 contains the time to wait before a retry. In a program, \`isStatus(error, "Conflict")\` of
[keelson/client](library/keelson-client.md) checks the reason.`;

const CAUSES = "## Faults of fields\n\nThe `reason` of a cause is one of";

const wordsIn = (source: string, type: string): string[] => {
  const body = new RegExp(`^export type ${type} =([^;]*);`, "m").exec(source)?.[1] ?? "";
  return [...body.matchAll(/"(\w+)"/g)].map(([, word]) => word!);
};

const reasonsIn = (source: string): StatusReason[] => wordsIn(source, "StatusReason") as StatusReason[];

/** For each function of the catalogue, the reason that it gives and what its docstring says of when. */
function madeIn(source: string): { readonly reason: string; readonly when: string }[] {
  const parts = source.split(/^(?=\/\*\*)/m).filter((part) => part.includes("\nexport const "));
  return parts.flatMap((part) => {
    const reason =
      /new ApiError\(\s*"(\w+)"/.exec(part)?.[1] ?? (/\bbadRequest\(/.test(part) ? "BadRequest" : undefined);
    const when = firstSentence(docOf(part), () => undefined).replace(/^\d+(?::| for| of)? /, "");
    return reason === undefined ? [] : [{ reason, when }];
  });
}
