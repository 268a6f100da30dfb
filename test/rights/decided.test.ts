import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type Answers, ask, build } from "./answers.ts";
import { differences } from "./compare.ts";
import { openOurs } from "./ours.ts";
import type { World } from "./world.ts";

// Recorded by `npm run soak:rights -- --record`, which compares any number of others with a real server.
const FILE = new URL("decided.json", import.meta.url);
const recorded = JSON.parse(readFileSync(FILE, "utf8")) as readonly { world: World; answers: Answers }[];

describe("RBAC-24..37, RBAC-39..47: random clusters are decided as a real server decided them", () => {
  test.each(recorded.map(({ world, answers }, i) => [i, world, answers] as const))("cluster %i", async (...args) => {
    const [, world, answers] = args;
    await using server = await openOurs();
    await build(server, world);
    expect(await differences(world, answers, await ask(server, world))).toEqual([]);
  });

  test("of what was recorded some is allowed, some is not, and some roles are missing", () => {
    const said = recorded.flatMap(({ answers }) => answers.asked);
    const gifts = recorded.flatMap(({ answers }) => answers.gifts);
    expect(said.length + gifts.length).toBeGreaterThan(400);
    expect(said.filter(({ allowed }) => allowed).length).toBeGreaterThan(50);
    expect(said.filter(({ allowed, reason }) => !allowed && reason !== "").length).toBeGreaterThan(20);
    for (const code of [201, 403, 404]) expect(gifts).toContain(code);
  });
});

test("a wrong decision, a wrong reason and a wrong answer to a gift are found", async () => {
  const [{ world, answers }] = recorded as [(typeof recorded)[number]];
  const at = answers.asked.findIndex(({ allowed }) => allowed);
  const wrong = (said: object): Answers => ({
    ...answers,
    asked: answers.asked.with(at, { ...answers.asked[at]!, ...said }),
  });
  expect(await differences(world, answers, wrong({ allowed: false, reason: "" }))).toHaveLength(1);
  expect(await differences(world, answers, wrong({ reason: 'RBAC: allowed by RoleBinding "x"' }))).toHaveLength(1);
  const gifts = answers.gifts.with(0, 500);
  expect(await differences(world, answers, { ...answers, gifts })).toHaveLength(1);
});
