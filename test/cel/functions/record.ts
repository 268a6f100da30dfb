/**
 * Records what the packages of a real server answer to the drawn questions, into `answers.json`:
 * `node test/cel/functions/record.ts`. Needs Go; `GOTOOLCHAIN=go1.25.7` is what Kubernetes 1.35.3 is built with, and the library
 * of Go reads some texts otherwise in other versions.
 *
 * @module
 */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Want } from "../spec/answers.ts";
import { type Answered, keptOf } from "./answers.ts";
import { askedOf, drawn } from "./draw.ts";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const all = drawn();

const questions = all.flatMap((area) => [
  ...area.expressions.flatMap((expression) => area.pairs.map((pair) => askedOf(expression, area, pair))),
  ...area.formats.flatMap((format) => area.pairs.map(([s]) => ({ format, s }))),
]);
const input = questions.map((question) => JSON.stringify(question)).join("\n");
const lines = execFileSync(process.env["ORACLE"] ?? "go", process.env["ORACLE"] ? [] : ["run", "."], {
  cwd: here("../oracle"),
  input,
  encoding: "utf8",
  maxBuffer: 1 << 28,
})
  .trimEnd()
  .split("\n");

/** Answers by their texts, the most frequent ones first: their places are short. */
const texts = lines.map((line) => {
  const answer = JSON.parse(line) as Want | boolean | null;
  return JSON.stringify(typeof answer === "object" && answer !== null ? keptOf(answer) : answer);
});
const counts = new Map<string, number>();
for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
const sorted = [...counts].toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).map(([text]) => text);
const places = new Map(sorted.map((text, place) => [text, place]));

let at = 0;
const next = (): number => places.get(texts[at++]!)!;

const areas = all.map(({ area, isValue, pairs, expressions, formats }) => ({
  area,
  isValue,
  pairs,
  expressions: expressions.map((expression) => [expression, pairs.map(() => next())] as const),
  formats: formats.map((format) => [format, pairs.map(() => next())] as const),
}));
const answered: Answered = { answers: [...places.keys()].map((text) => JSON.parse(text) as Want), areas };
const rows = (list: readonly unknown[]): string => list.map((one) => JSON.stringify(one)).join(",\n");
writeFileSync(
  here("answers.json"),
  `{"answers":[\n${rows(answered.answers)}\n],"areas":[\n${answered.areas
    .map(
      (one) =>
        `${JSON.stringify({ ...one, expressions: undefined, formats: undefined }).slice(0, -1)},"expressions":[\n${rows(one.expressions)}\n],"formats":[\n${rows(one.formats)}\n]}`,
    )
    .join(",\n")}\n]}\n`,
);
console.log(`${questions.length} answers, ${places.size} different`);
