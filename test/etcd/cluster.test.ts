import { setTimeout as wait } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Store } from "../../src/storage/contract.ts";
import { openEtcdStore } from "../../src/storage/etcd/store.ts";
import { WatchLog } from "../../src/storage/testing/watch-log.ts";
import { seededRandom, systemClock } from "../../src/util/clock.ts";
import { LONG, amount } from "../../src/util/testing/amount.ts";
import { Load, checkLog, longestGap } from "./load.ts";
import { type EtcdCluster, type EtcdMember, hasEtcd, startEtcd } from "./start.ts";

/** Runs: in every second one members are killed, in the others they are paused. */
const ROUNDS = amount("ROUNDS", 2, 4);
/** Writes must go on within this time after a member is lost. */
const RECOVERY_MS = 10_000;

describe.skipIf(!(await hasEtcd()))("a cluster of three, under load from two stores", { timeout: 120_000 }, () => {
  let etcd: EtcdCluster;
  let stores: Store[];
  beforeEach(async () => {
    etcd = await startEtcd({ members: 3 });
    // Seeds that make the stores begin at different members.
    stores = await Promise.all(
      [1, 7].map((seed) =>
        openEtcdStore({ endpoints: etcd.endpoints, clock: systemClock, random: seededRandom(seed) }),
      ),
    );
  });
  afterEach(async () => {
    for (const member of etcd?.members ?? []) member.resume();
    await Promise.all((stores ?? []).map((store) => store.close()));
    await etcd?.close();
  });

  /** Does something to each member in turn while both stores write, then compares what was acknowledged with the log. */
  async function survives(harm: (member: EtcdMember) => Promise<void>): Promise<boolean> {
    const start = await stores[0]!.currentRevision();
    const logs = stores.map((store) => WatchLog.start(store, "", start));
    const load = new Load(stores, 16, "k", LONG ? 0 : 60);
    const gaps: number[] = [];
    for (const member of etcd.members) {
      await wait(500);
      const from = performance.now();
      const before = load.outcomes.length;
      await harm(member);
      for (const odd of [0, 1]) {
        // The writers of one store: it may have been connected to just this member.
        const mine = load.outcomes.filter(({ key }) => Number(key.slice(1)) % 2 === odd);
        gaps.push(longestGap(mine, from, performance.now()));
      }
      expect(load.outcomes.length).toBeGreaterThan(before);
    }
    const outcomes = await load.stop();
    const last = await stores[0]!.write({ type: "create", key: "last", value: Buffer.from("last") });
    for (const log of logs) while (log.all.at(-1)?.revision !== last) await wait(20);
    for (const log of logs) {
      expect(log.error).toBeUndefined();
      checkLog(log.all.slice(0, -1), outcomes);
    }
    expect(logs[1]!.all).toEqual(logs[0]!.all);
    process.stderr.write(`longest time without an acknowledged write: ${Math.max(...gaps).toFixed(0)} ms\n`);
    return Math.max(...gaps) < RECOVERY_MS;
  }

  async function kill(member: EtcdMember): Promise<void> {
    await member.kill();
    await wait(LONG ? 4000 : 2500);
    await member.start();
    await wait(1000);
  }

  async function pause(member: EtcdMember): Promise<void> {
    member.pause();
    await wait(LONG ? 8000 : 6000);
    member.resume();
    await wait(1000);
  }

  test.for(Array.from({ length: ROUNDS }, (_, i) => [i % 2 === 0 ? "killed" : "paused", i + 1] as const))(
    "each member is %s once: nothing that was acknowledged is lost, all see the same, writes go on in time (run %i)",
    async ([harm]) => {
      expect(await survives(harm === "killed" ? kill : pause)).toBe(true);
    },
  );
});
