/**
 * Random clients over sockets: the responses on each connection are compared with a model of its protocol.
 *
 * `STEPS=1000000 SEED=random npm run unit -- test/wire` plays more of them.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Scratch } from "../serve/keelson.ts";
import { FOUND } from "./found.ts";
import { type Script, drawScript, explained, playScript } from "./play.ts";
import { Site } from "./site.ts";
import { amount } from "../../src/util/testing/amount.ts";

/** Steps in the normal run, and in the long form of the attacks. */
const STEPS = amount("STEPS", Number(process.env["ATTACKERS"] ?? 0) > 1000 ? 1_000_000 : 2000, 8000);
/** Runs of one seed have seeds of their own, far from those of the next. */
const FIRST = Number(process.env["SEED"]) * 1_000_000;
/** Connections at a time, and steps after which a server is looked at. */
const AT_ONCE = 16;
const BATCH = 5000;

/** Servers, the first seed of each, and how much of all steps is played in which protocol. */
const SITES = [
  {
    name: "neutral",
    first: FIRST + 500_000,
    args: ["--dialect", "neutral"],
    shares: [
      ["h2", 0.24],
      ["h1", 0.16],
      ["tls", 0.02],
    ],
  },
  {
    name: "kubernetes",
    first: FIRST,
    args: ["--dialect", "kubernetes"],
    shares: [
      ["h2", 0.24],
      ["h1", 0.16],
      ["tls", 0.02],
    ],
  },
  {
    name: "plain HTTP",
    first: FIRST + 250_000,
    args: ["--dialect", "kubernetes", "--insecure-http", "true"],
    shares: [["h1", 0.16]],
  },
] as const satisfies readonly {
  readonly name: string;
  readonly first: number;
  readonly args: readonly string[];
  readonly shares: readonly (readonly [as: Script["as"], share: number])[];
}[];

const scratch = new Scratch();
afterAll(() => scratch.remove());

describe.each(SITES)("a server, $name", ({ first, args, shares }) => {
  let site: Site;
  beforeAll(async () => {
    site = await Site.start(scratch, args);
  });
  afterAll(() => site.stop());

  test.each(FOUND)("$name", async ({ script }) => {
    if (shares.every(([as]) => as !== script.as)) return;
    expect(await playScript(script, site.place)).toBeUndefined();
  });

  test.each(shares)("clients of %s, %d of all steps", { timeout: 3_600_000 }, async (as, share) => {
    const steps = await new Run(site, as, first).play(Math.ceil(STEPS * share));
    console.log(`${steps} steps of ${as}`);
    expect(steps).toBeGreaterThanOrEqual(STEPS * share);
    expect(await site.troubles()).toEqual([]);
  });
});

/** Scripts of one kind, one seed after the other. */
class Run {
  readonly #site: Site;
  readonly #as: Script["as"];
  #seed: number;
  #steps = 0;
  #failed = false;

  constructor(site: Site, as: Script["as"], first: number) {
    this.#site = site;
    this.#seed = first;
    this.#as = as;
  }

  /** Plays so many steps, and tells how many it has played. */
  async play(steps: number): Promise<number> {
    while (this.#steps < steps) {
      const most = Math.min(steps, this.#steps + BATCH);
      await Promise.all(Array.from({ length: AT_ONCE }, () => this.#some(most)));
      await this.#site.clear();
    }
    return this.#steps;
  }

  async #some(most: number): Promise<void> {
    while (this.#steps < most && !this.#failed) {
      const seed = this.#seed++;
      const script = await drawScript(this.#as, seed);
      this.#steps += script.steps.length;
      const wrong = await playScript(script, this.#site.place);
      if (wrong === undefined || this.#failed) continue;
      this.#failed = true;
      expect.unreachable(`seed ${seed}: ${await explained(script, wrong, this.#site.place, () => performance.now())}`);
    }
  }
}
