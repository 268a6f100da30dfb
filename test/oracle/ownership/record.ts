/** Writes `fixtures.jsonl`: what the original makes of the first stories. Needs Go. */
import { writeFileSync } from "node:fs";
import { playOriginal } from "./original.ts";
import { makeStory } from "./stories.ts";

const COUNT = 300;
const results = playOriginal(Array.from({ length: COUNT }, (_, seed) => makeStory(seed)));
const lines = results.map((result, seed) => JSON.stringify({ seed, result }) + "\n");
writeFileSync(new URL("fixtures.jsonl", import.meta.url), lines.join(""));
