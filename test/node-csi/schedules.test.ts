/**
 * Random schedules of Pods, faults and kills over the plugin of drivers; see `play.ts`.
 *
 *     SCHEDULES=2000 SEED=random npm run unit -- test/node-csi/schedules
 */
import { expect, test } from "vitest";
import { NodeWorld } from "./node-world.ts";
import { Play } from "./play.ts";

const SCHEDULES = Number(process.env["SCHEDULES"] ?? 8);
const SEED = Number(process.env["SEED"] ?? 1);

test(
  "NODE-5, NODE-9, NODE-12, NODE-16, NODE-17, NODE-20, NODE-28, NODE-70, NODE-72: whatever fails, and whenever the agent is killed, volumes end mounted exactly once, or cleanly gone",
  { timeout: 60_000 + SCHEDULES * 20_000 },
  async () => {
    await using node = await NodeWorld.create();
    await node.start();
    const driver = await node.fresh({
      attachRequired: true,
      fsGroupPolicy: "File",
      requiresRepublish: true,
      volumeLifecycleModes: ["Persistent", "Ephemeral"],
    });
    const total = { kills: 0, faults: 0, operations: 0 };
    for (let seed = SEED; seed < SEED + SCHEDULES; seed++) {
      const { kills, faults, operations } = await new Play(node, driver, seed).run();
      total.kills += kills;
      total.faults += faults;
      total.operations += operations;
      driver.calls.length = 0;
    }
    // A schedule in which nothing happens proves nothing.
    expect(total.kills).toBeGreaterThan(SCHEDULES);
    expect(total.faults).toBeGreaterThan(3 * SCHEDULES);
  },
);
