/** Tokens in the volumes of Pods, renewed by an agent that runs: what makes it look at them. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { ServiceAccount } from "../../src/client/kinds/index.ts";
import { openPlugins } from "../../src/node/plugins.ts";
import type { Clock } from "../../src/util/clock.ts";
import { NodeWorld, at, textOf } from "./node-world.ts";

let world: NodeWorld;
beforeEach(async () => {
  world = await NodeWorld.create();
  await world.resource(ServiceAccount).create({ metadata: at("robot") });
});
afterEach(() => world[Symbol.asyncDispose]());

const wall = { ahead: 0 };
const clock = (): Clock => ({
  loop: world.clock.loop,
  now: () => world.clock.now() + wall.ahead,
  steady: () => world.clock.steady(),
  after: (...timer) => world.clock.after(...timer),
});

async function podWithToken() {
  const sources = [{ serviceAccountToken: { path: "token", expirationSeconds: 3600 } }];
  const pod = await world.pod("p", [{ name: "v", projected: { sources } }], { serviceAccountName: "robot" });
  return () => textOf(world.at(pod, "volumes", "kubernetes.io~projected", "v", "token"));
}

test("PROJ-57: after the machine has slept, tokens that have ended meanwhile are renewed within ten seconds", async () => {
  await world.start({ plugins: openPlugins, clock: clock() });
  const token = await podWithToken();
  const first = await token();
  await world.advance("10s");
  expect(await token()).toBe(first);
  wall.ahead += 2 * 3_600_000;
  await world.advance("10s");
  expect(await token()).not.toBe(first);
});

test("PROJ-57: tokens of an account that is deleted and made again are renewed within half a minute", async () => {
  await world.start({ plugins: openPlugins });
  const token = await podWithToken();
  const first = await token();
  await world.resource(ServiceAccount).delete(at("robot"));
  await world.advance("1m");
  expect(await token()).toBe(first);
  const { metadata } = await world.resource(ServiceAccount).create({ metadata: at("robot") });
  await world.advance("30s");
  expect(await token()).toContain(metadata.uid);
  expect(first).not.toContain(metadata.uid);
});
