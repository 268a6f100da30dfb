/**
 * Controllers that are killed before or after one of their writes, and started again: whatever write it was, the end must be the same.
 *
 * @module
 */
import type { Client, Transport } from "../../../src/client/index.ts";
import type { Controller, Manager } from "../../../src/runtime/index.ts";
import { World } from "../../runtime/world.ts";

/** What controllers are made to do. */
export interface Story {
  /** Created again for each process. */
  readonly controllers: (world: World) => readonly Controller[];
  /** What users and nodes do, one after the other; the clock moves on by `pause` after each. */
  readonly steps: readonly ((world: World) => Promise<unknown>)[];
  readonly pause: string;
  /** What there is in the end, without uids, versions and times. */
  readonly end: (world: World) => Promise<unknown>;
}

/** When a process is killed: before or after its n-th write, counted from 1. */
export interface Kill {
  readonly when: "before" | "after";
  readonly write: number;
}

/** Plays a story; returns its end and how many writes there were. */
export async function playKilled(
  { controllers, steps, pause, end }: Story,
  kill?: Kill,
): Promise<{ readonly end: unknown; readonly writes: number }> {
  await using world = await World.create();
  let writes = 0;
  let stopping: Promise<void> | undefined;
  let manager: Manager;
  const mortal =
    (transport: Transport): Transport =>
    async (request) => {
      // Events are recorded, not compared in each step.
      const isWrite = request.method !== "GET" && !request.path.includes("/events");
      const isLast = isWrite && ++writes === kill?.write;
      if (!isLast || kill.when === "after") {
        const answer = await transport(request);
        if (!isLast) return answer;
        for await (const _ of answer.body) continue;
      }
      stopping = manager.stop({ grace: 0 });
      throw new Error("killed");
    };
  const start = async (): Promise<void> => {
    const client: Client = world.cluster.client("manager").with({ through: mortal });
    manager = world.manager({ client, seed: 1 + world.managers.length }).add(...controllers(world));
    await manager.start();
  };
  await start();
  for (const step of steps) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await step(world);
    for (let round = 0; round < 2; round++) {
      // oxlint-disable-next-line no-await-in-loop
      await world.advance(pause as "1s");
      if (!stopping) continue;
      // oxlint-disable-next-line no-await-in-loop
      await stopping;
      stopping = undefined;
      // oxlint-disable-next-line no-await-in-loop
      await start();
    }
  }
  return { end: await end(world), writes };
}
