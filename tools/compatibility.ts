/**
 * Writes `docs/evidence/compatibility.md` from the results of the last complete test run; with `--check` it fails when the page
 * claims more than they show, and says when it claims less.
 *
 *     npm test                                 runs all tests, then this with --check
 *     npm run compatibility                    writes the page again
 *     npm run rules                            prints which numbered rules are proven, and why others are not
 */
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { builtInDefinitions } from "../src/kinds/index.ts";
import { kubernetes } from "../src/meta/dialect.ts";
import { gatesOf } from "../src/meta/gates.ts";
import { systemClock, systemRandom } from "../src/util/clock.ts";
import type { Outcome } from "../test/conformance/player.ts";
import { loadScenarios } from "../test/conformance/scenario.ts";
import { CONFORMANCE_GATES } from "../test/conformance/server.ts";
import { countAnswers } from "./compatibility/answers.ts";
import { page } from "./compatibility/page.ts";
import { type Section, type TestResult, sortRules } from "./compatibility/rules.ts";

interface TestRun {
  readonly testResults: readonly { readonly name: string; readonly assertionResults: readonly TestResult[] }[];
}

/** Tests that are skipped where kubectl, etcd or Go is missing; they prove nothing here, so the page is the same everywhere. */
const NEED_PROGRAMS = ["test/clients/", "test/kubectl/", "test/etcd/", "test/oracle/"];

/** A row of the summary: what is counted, how many there are, how many of them are as they should be. */
const SUMMARY = /^\| ([a-z ]+) \| \d+ \| (\d+) (?:equal|proven) \|/gm;

const { values } = parseArgs({
  options: { check: { type: "boolean", default: false }, rules: { type: "boolean", default: false } },
});
const root = fileURLToPath(new URL("..", import.meta.url));
const file = join(root, "docs/evidence/compatibility.md");

const wanted = compose();
const there = readOrNothing(file);
if (values.rules) {
  console.log(wanted.slice(wanted.indexOf("## Numbered rules")));
} else if (!values.check) {
  writeFileSync(file, wanted);
} else if (claimsMore(there, wanted)) {
  console.error(
    `expected docs/evidence/compatibility.md to claim no more than the last test run shows; ${firstDifference(there, wanted)}`,
  );
  console.error("run: npm run compatibility");
  process.exitCode = 1;
} else if (there !== wanted) {
  console.log(
    "docs/evidence/compatibility.md says less than the last test run shows; npm run compatibility writes it anew",
  );
}

function compose(): string {
  const gates = gatesOf(kubernetes, CONFORMANCE_GATES);
  const api = { dialect: kubernetes, gates, clock: systemClock, random: systemRandom };
  const served = builtInDefinitions(api).filter((definition) => definition.served !== false);
  const scenarios = loadScenarios(join(root, "test/conformance")).map(({ scenario }) => scenario);
  const known = readJson<Record<string, string>>("test/conformance/known.json");
  const answers = countAnswers(scenarios, readJson<Outcome[]>(".results/conformance.json"), served, known);
  const notObservable = readJson<Record<string, string>>("test/rules/not-observable.json");
  const sections = sortRules(readJson<Section[]>("test/rules/rules.json"), testResults(), notObservable);
  return page(answers, sections, notObservable);
}

/** What became of all tests; results of some files only are refused, because they would make rules look open. */
function testResults(): TestResult[] {
  const { testResults: files } = readJson<TestRun>(".results/tests.json");
  const ran = new Set(files.map(({ name }) => name));
  const all = globSync("{src,test}/**/*.test.ts", { cwd: root }).map((name) => join(root, name));
  const missing = all.filter((name) => !ran.has(name));
  if (missing.length > 0) {
    throw new Error(
      `expected the results of all tests, got none of ${missing.length} files (${missing[0]}); run npm test`,
    );
  }
  const everywhere = files.filter(({ name }) => !NEED_PROGRAMS.some((folder) => name.startsWith(join(root, folder))));
  return everywhere.flatMap(({ assertionResults }) => assertionResults);
}

function readJson<T>(name: string): T {
  const text = readOrNothing(join(root, name));
  if (text === "") throw new Error(`expected ${name} to be there; run npm test`);
  return JSON.parse(text) as T;
}

function readOrNothing(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** Whether a page counts more than another as equal or proven, in any row of its summary. */
function claimsMore(claimed: string, shown: string): boolean {
  const counts = [...claimed.matchAll(SUMMARY)];
  const now = new Map([...shown.matchAll(SUMMARY)].map(([, what, count]) => [what, Number(count)]));
  return counts.length === 0 || counts.some(([, what, count]) => Number(count) > (now.get(what) ?? 0));
}

function firstDifference(a: string, b: string): string {
  const [was, is] = [a.split("\n"), b.split("\n")];
  const line = is.findIndex((text, i) => text !== was[i]);
  return `line ${line + 1} should be ${JSON.stringify(is[line] ?? "nothing")}, it is ${JSON.stringify(was[line] ?? "nothing")}`;
}
