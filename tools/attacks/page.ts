/**
 * The page of attacks: what is sent, what it may do to a server, what it did.
 *
 * @module
 */
import type { RowResult, TableResult } from "../../test/attacks/results.ts";
import { Sections } from "../clients/sections.ts";
import { ELSEWHERE } from "./elsewhere.ts";

const INTRODUCTION = `# Attacks

What those who attack a server, and clients without measure, can do to it. Each row of the tables is played against the executable by a
test in \`test/attacks/\`, with a meter inside the server and a healthy client beside it, which creates, reads and deletes an object
again and again and must get the right answer each time. A row fails when a figure is at its bound; the page is made by
\`npm run attacks:page\` from what was seen.

- **turn**: the longest turn of the server's event loop, in ms of CPU: for so long no other client is served. It does not depend on what else the machine does.
- **memory**: how much resident memory came to the server at most, in MiB.
- **kept**: how much of what is in use was left when all was over and garbage had been collected, in MiB.
- **healthy**: how long 99 of 100 requests of the healthy client took at most, in ms of the wall's clock, on 2 cores that
  attackers, client and tests share: it is a figure of the machine as much as of the server. It has a bound where ten times ten thousand
  connections are played in the long form, which nothing else runs beside.

The short form is played in \`npm test\`, the long one by \`npm run attacks\`: 10,000 connections, and ten times as much of most of
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
