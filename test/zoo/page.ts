/**
 * What a run of the zoo has measured, and the page of it.
 *
 * @module
 */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import type { Entry } from "./entry.ts";
import { type EntryResult, SHARE_SHOWN } from "./explore-entry.ts";

/** What was measured with one seed. */
export interface Measured {
  readonly seed: number;
  readonly results: readonly EntryResult[];
  /** How long all in TypeScript took, side by side. */
  readonly typescriptSeconds: number;
  readonly seconds: number;
}

/** How it was measured. */
export interface PageFacts {
  /** How often findings were played again over HTTP. */
  readonly times: number;
  readonly loadBefore: number;
  /** The arguments of the command. */
  readonly command: string;
}

/** How much more often findings in this process are played again: it takes little time there. */
const IN_PROCESS = 10;

export const loadNow = (): number => loadavg()[0]!;

/** Whether a language is requested: `TypeScript`, `ts`, `go`. */
export const isLanguage = (language: Entry["language"], asked: string): boolean =>
  language.toLowerCase() === asked.toLowerCase() || (language === "TypeScript" && asked === "ts");

const inProcess = ({ language }: Entry): boolean => language === "TypeScript";

/** How often a finding is played again, where those over HTTP are a number of times. */
export const replaysOf = (entry: Entry, times: number): number => times * (inProcess(entry) ? IN_PROCESS : 1);

/** Whether a twin is not accused, or a fault was found and shows again: each time in this process, and nine times of ten over HTTP. */
export function isRight({ entry, mended, findings, found, shown }: EntryResult, times: number): boolean {
  if (mended) return findings.length === 0;
  if (!found) return false;
  return shown === undefined || shown >= replaysOf(entry, times) * (inProcess(entry) ? 1 : SHARE_SHOWN);
}

/** Writes the page of a run. */
export function writePage(measured: readonly Measured[], facts: PageFacts): void {
  const path = fileURLToPath(new URL("../../docs/evidence/zoo.md", import.meta.url));
  writeFileSync(path, pageOf(measured, facts));
  const oxfmt = fileURLToPath(new URL("../../node_modules/oxfmt/bin/oxfmt", import.meta.url));
  const { status, stderr } = spawnSync(process.execPath, [oxfmt, path], { encoding: "utf8" });
  if (status !== 0) throw new Error(`expected oxfmt to format ${path}, but it ended with ${status}: ${stderr}`);
}

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");

/** One value where all are the same. */
const each = (values: readonly string[]): string => (new Set(values).size === 1 ? values[0]! : values.join(", "));

/** Returns the text of the page. */
export function pageOf(measured: readonly Measured[], { times, loadBefore, command }: PageFacts): string {
  const seeds = table(
    ["seed", "faults found", "twins accused", "seconds for TypeScript", "seconds for all"],
    measured.map(({ seed, results, typescriptSeconds, seconds }) => {
      const [faulty, twins] = [false, true].map((side) => results.filter(({ mended }) => mended === side));
      const found = faulty!.filter((one) => one.found).length;
      const accused = twins!.filter(({ findings }) => findings.length > 0).length;
      return [
        String(seed),
        `${found} of ${faulty!.length}`,
        `${accused} of ${twins!.length}`,
        typescriptSeconds.toFixed(0),
        seconds.toFixed(0),
      ];
    }),
  );
  const all = measured.flatMap(({ results }) => results);
  const rows = [...new Set(all.map(({ entry }) => entry))].map((entry) => {
    const own = all.filter((one) => one.entry === entry);
    const [faulty, twins] = [own.filter(({ mended }) => !mended), own.filter(({ mended }) => mended)];
    const shown = faulty.flatMap((one) => one.shown ?? []);
    return [
      `\`${entry.name}\`, ${entry.language}`,
      entry.fault,
      each(faulty.map(({ found }) => (found ? `\`${found.fault.kind}\`` : "not found"))),
      each(faulty.map(({ plans }) => String(plans))),
      each(faulty.map(({ seconds }) => seconds.toFixed(1))),
      shown.length === 0 ? "" : `${sum(shown)} of ${replaysOf(entry, times) * shown.length}`,
      each(twins.map(({ findings, plans }) => `${findings.length === 0 ? "no" : "yes"}, ${plans} plans`)),
    ];
  });
  const replays = `Findings were played again in a cluster of their own: ${times * IN_PROCESS} times in this process, ${times} over HTTP.`;
  return `# The zoo

Small controllers with one fault each, and twins in which only that is repaired: what \`keelson explore\` finds in the first, and
whether it accuses the second. [Testing](../contributing/testing.md#the-zoo) explains them. This command writes the page:

    npm run zoo -- ${command}

with Node ${process.version} on a machine of ${availableParallelism()} CPUs, whose load was ${loadBefore.toFixed(1)} at the start and ${loadNow().toFixed(1)} at the end.

${seeds}

Below, a cell has one value for each seed, or one value if all are the same. Plans are those until the fault was
found, or all that were tried; 0 means that runs without any perturbation show it. Over HTTP other plans run while a finding is
confirmed and shrunk, and count as well. Seconds are those from the first clean run until the finding could not be
shrunk further. Controllers in TypeScript run in one thread each, under a virtual clock; the others run over HTTP, and
most of their seconds are waits. ${times > 0 ? `${replays} ` : ""}A twin is tried with all its plans.

${table(["controller", "fault", "found as", "plans", "seconds", "shown again", "twin accused"], rows)}
`;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);
