import { afterEach, beforeEach, expect, test } from "vitest";
import { openAgent } from "../../src/app/node/node.ts";
import { kubernetes } from "../../src/meta/dialect.ts";
import type { RunningAgent } from "../../src/node/agent.ts";
import { seededRandom } from "../../src/util/clock.ts";
import { silentLog } from "../../src/util/log.ts";
import { AGENT, NODE, NodeWorld } from "./node-world.ts";

let world: NodeWorld;
beforeEach(async () => {
  world = await NodeWorld.create();
});
afterEach(() => world[Symbol.asyncDispose]());

const open = (): Promise<RunningAgent> =>
  openAgent({
    name: NODE,
    directory: world.root,
    client: world.cluster.client("agent", AGENT),
    dialect: kubernetes,
    clock: world.clock,
    random: seededRandom(1),
    activity: world.activity,
    log: silentLog,
  });

test("NODE-5: a directory is that of one agent at a time, and free again when that has ended or died", async () => {
  const first = await open();
  await expect(open()).rejects.toThrow(
    `${world.root} is in use by the agent in process ${process.pid}: use another directory for each node`,
  );
  first.crash();
  const second = await open();
  const stopping = second.stop();
  await world.advance("20s");
  await stopping;
  world.agent = await open();
});
