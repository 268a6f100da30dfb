/**
 * The page of attacks: what is sent, what it may do to a server, what it did.
 *
 * @module
 */
import type { RowResult, TableResult } from "../../test/attacks/results.ts";
import { Sections } from "../clients/sections.ts";
import { ELSEWHERE } from "./elsewhere.ts";

const INTRODUCTION = `# Attacks

The effects of attackers, and of clients that send too much, on a server. A test in \`test/attacks/\` plays each row of the tables against
the executable. It measures the server from inside. A healthy client creates, reads and deletes an object again and again, and must get
the right response each time. A row fails when a figure reaches its bound; \`npm run attacks:page\` writes the page from the results.

- **turn**: the longest slice of the server's event loop, in ms of CPU, in which no other client is served. It does not depend on other work of the machine.
- **memory**: the largest increase of the server's resident memory, in MiB.
- **kept**: the increase of the memory in use after the end and a garbage collection, in MiB.
- **healthy**: the longest time of 99 of 100 requests of the healthy client, in ms of wall time, on 2 cores that
  attackers, client and tests share: it depends on the machine as much as on the server. It has a bound where the long form
  opens ten times ten thousand connections, while nothing else runs.

\`npm test\` plays the short form, \`npm run attacks\` the long one: 10,000 connections, and ten times as much of most of
the rest. A [fuzzer](../contributing/testing.md#fuzzing) searches for unknown attacks.
`;

const OTHERS = "## Held by other tests";
const HEAD = "| what is sent | turn, bound | memory, bound | kept, bound | healthy, bound |\n|---|--:|--:|--:|--:|\n";

/** The page from new results; a table without one stays as it was `before`. */
export function attacksPage(results: readonly TableResult[], before: string): string {
  const sections = new Map(new Sections(before).starting("## "));
  sections.delete(OTHERS);
  for (const result of results) sections.set(`## ${result.title}`, section(result));
  const sorted = [...sections].toSorted(([a], [b]) => a.localeCompare(b, "en", { numeric: true }));
  return [INTRODUCTION, ...sorted.map(([, text]) => text), others()].join("");
}

function section({ title, file, long, day, rows }: TableResult): string {
  const form = long ? "long" : "short";
  return `\n## ${title}\n\n\`${file}\`, in the ${form} form, on ${day}.\n\n${HEAD}${rows.map(line).join("")}`;
}

function line({ name, bounds, turnMillis, peakMiB, keptMiB, healthyMillis }: RowResult): string {
  const cells = [
    name.replaceAll("|", String.raw`\|`).replaceAll("[", String.raw`\[`),
    `${turnMillis.toFixed(0)}, ${bounds.turnMillis}`,
    `${peakMiB.toFixed(0)}, ${bounds.peakMiB}`,
    `${Math.max(0, keptMiB).toFixed(0)}, ${bounds.keptMiB}`,
    healthyMillis.toFixed(0) + (bounds.healthyMillis === undefined ? "" : `, ${bounds.healthyMillis}`),
  ];
  return `| ${cells.join(" | ")} |\n`;
}

function others(): string {
  const lines = ELSEWHERE.map(([what, file, test]) => `| ${what} | \`${file}\` | ${test.replaceAll("%s", "…")} |\n`);
  return `\n${OTHERS}\n\n| what is sent or done | file | test |\n|---|---|---|\n${lines.join("")}`;
}
