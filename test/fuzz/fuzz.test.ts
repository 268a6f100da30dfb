/** Requests that the fuzzer has found are sent again; then it runs for a few seconds. `npm run fuzz` is the long version. */
import { readFileSync, readdirSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { LONG } from "../../src/util/testing/amount.ts";
import { Target } from "../attacks/target.ts";
import { Scratch } from "../serve/keelson.ts";
import { type Finding, Fuzzer } from "./fuzzer.ts";

const MILLIS = LONG ? 12_000 : 6_000;
const FOUND = new URL("found/", import.meta.url);

const scratch = new Scratch();
const findings: string[] = [];
let target: Target;
let fuzzer: Fuzzer;
beforeAll(async () => {
  target = await Target.start(scratch.fresh(), { args: ["--dialect", "kubernetes", "--history", "10s"] });
  fuzzer = await Fuzzer.start(target, Number(process.env["SEED"]), ({ what }) => void findings.push(what));
});
afterAll(async () => {
  await fuzzer.stop();
  await target.stop();
  scratch.remove();
});

test.each(readdirSync(FOUND))("found once: %s", async (file) => {
  const { cases } = JSON.parse(readFileSync(new URL(file, FOUND), "utf8")) as Finding;
  await fuzzer.replay(cases);
  expect(findings).toEqual([]);
});

test("frames, streams of bytes and requests that are nearly right do no harm", { timeout: 120_000 }, async () => {
  await fuzzer.settle();
  for (const end = performance.now() + MILLIS; performance.now() < end;) await fuzzer.round();
  await fuzzer.settle();
  expect(findings).toEqual([]);
  // Nearly right is right often enough.
  expect(fuzzer.codes).toMatchObject({ 200: expect.any(Number), 201: expect.any(Number), 422: expect.any(Number) });
});
