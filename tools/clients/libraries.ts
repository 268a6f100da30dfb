/**
 * The part of docs/evidence/clients.md on libraries: a row for each, then a table of what its program tried.
 *
 * @module
 */
import type { Check, LibraryResult } from "../../test/clients/results.ts";
import type { Sections } from "./sections.ts";

const HEADING = "## Libraries";

const INTRODUCTION = `${HEADING}

A program in \`test/clients/\` uses each library as its documentation describes, against the executable; each group of checks has
a server of its own. The numbers count the checks that passed. Groups with names that only Kubernetes has
(\`storage.k8s.io\`) are tested in its dialect alone if a library supports no others.

| language | library | version | kubernetes | neutral |
|---|---|---|:-:|:-:|
`;

const DIALECTS = ["kubernetes", "neutral"] as const;

/** The sections in order; of a library without results, what the page said before. */
export function librarySections(results: readonly LibraryResult[], before: Sections): string {
  const sections = new Map(before.starting(TITLE));
  const rows = new Map(before.rows(HEADING));
  for (const result of results) {
    sections.set(titleOf(result), section(result));
    const { language, name, version } = result;
    const cells = [language, name, version, ...DIALECTS.map((dialect) => share(result.checks, dialect))];
    // Rows are identified and sorted by language and library.
    rows.set(`${language} | ${name}`, `| ${cells.join(" | ")} |\n`);
  }
  if (sections.size === 0) return "";
  const sorted = (map: ReadonlyMap<string, string>): string[] =>
    [...map].toSorted(([a], [b]) => a.localeCompare(b, "en")).map(([, text]) => text);
  return [`\n${INTRODUCTION}`, ...sorted(rows), ...sorted(sections)].join("");
}

const TITLE = "### ";

const titleOf = ({ language, name }: LibraryResult): string => `${TITLE}${language}: ${name}`;

function share(checks: readonly Check[], dialect: Check["dialect"]): string {
  const all = checks.filter((check) => check.dialect === dialect);
  const right = all.filter(({ why }) => why === undefined).length;
  return all.length === 0 ? "" : `${right} of ${all.length}`;
}

function section(result: LibraryResult): string {
  const dialects = DIALECTS.filter((dialect) => result.checks.some((check) => check.dialect === dialect));
  const rows = new Map<string, string[]>();
  for (const { part, name, dialect, why } of result.checks) {
    const cells = [part, name].map((text) => text.replaceAll("|", String.raw`\|`)).join(" | ");
    const signs = rows.get(cells) ?? dialects.map(() => "");
    signs[dialects.indexOf(dialect)] = why === undefined ? "✓" : "✗";
    rows.set(cells, signs);
  }
  const lines = [...rows].map(([cells, signs]) => `| ${cells} | ${signs.join(" | ")} |\n`);
  const head = `| group | what | ${dialects.join(" | ")} |\n|---|---|${dialects.map(() => ":-:|").join("")}\n`;
  return `\n${titleOf(result)}\n\n${head}${lines.join("")}`;
}
