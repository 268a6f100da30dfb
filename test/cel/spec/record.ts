/**
 * Records what the packages of a real server answer to the expressions of the specification's tests, into
 * `kubernetes.jsonl`: `node test/cel/spec/record.ts`. Needs Go. Whatever differs between two runs is left out: costs of loops
 * over maps, errors told in the order of a map.
 *
 * @module
 */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { isAlone } from "./answers.ts";
import { CONFORMANCE, type SpecCase, TREES } from "./data.ts";
import { outside } from "./scope.ts";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const isAsked = (one: SpecCase): boolean => outside(one) === undefined && isAlone(one);

const questions = [...TREES, ...CONFORMANCE].flatMap(({ cases }) => cases.filter(isAsked).map(({ ask }) => ask.expr));
const input = [...new Set(questions)].map((expr) => JSON.stringify(expr)).join("\n");
const answers = (): string[] =>
  execFileSync("go", ["run", "."], { cwd: here("../oracle"), input, encoding: "utf8", maxBuffer: 1 << 28 })
    .trimEnd()
    .split("\n");

const again = new Set(answers());
const same = answers().filter((line) => again.has(line));
writeFileSync(here("kubernetes.jsonl"), `${same.join("\n")}\n`);
console.log(`${same.length} answers, ${again.size - same.length} left out`);
