/**
 * Every code at every call, before the work and after it; and sidecars that are killed at calls and writes. Whatever happens, in
 * the end there is exactly one of everything that is wanted, and nothing of what is not.
 */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Duration } from "../../src/util/duration.ts";
import type { DriverCalls } from "../../src/sidecars/contract.ts";
import { snapshotKinds } from "../../src/sidecars/snapshot/kinds.ts";
import { LONG, sampled } from "../../src/util/testing/amount.ts";
import { DiskWorld } from "./disk-world.ts";
import { DRIVER } from "./made-up-driver.ts";

const kinds = snapshotKinds("snapshot.storage.k8s.io");
/** The codes of gRPC; the usual run plays every second one, chosen by `SEED`. */
const CODES = sampled(
  Array.from({ length: 16 }, (_, i) => i + 1),
  2,
);
/** Codes that leave open whether something was done. All others say that nothing was; who says so falsely is believed the second time. */
const OPEN: ReadonlySet<number> = new Set([1, 2, 4, 10, 13, 14, 15]);

/** They are killed at every eighth call or write, in the long form at every one. */
const EVERY = LONG ? 1 : 8;

let disks: DiskWorld;

/** Starts again: sidecars for a node, a class of volumes and one of snapshots. */
async function begin(): Promise<void> {
  disks = await DiskWorld.create();
  await disks.makeNodes("one");
  await disks.installSnapshots();
  await disks.start();
  await disks.makeClass("fast");
  await disks.makeAttributes("silver");
  await disks.makeAttributes("gold");
  await disks.create(kinds.class, { metadata: { name: "pictures" }, driver: DRIVER, deletionPolicy: "Delete" });
}
beforeEach(begin);
afterEach(() => disks[Symbol.asyncDispose]());

const snapshots = () => disks.world.resource(kinds.snapshot);
const takeSnapshot = (claim: string) =>
  disks.create(kinds.snapshot, {
    metadata: { namespace: "default", name: claim },
    spec: { volumeSnapshotClassName: "pictures", source: { persistentVolumeClaimName: claim } },
  });
/** What there is of a claim, of its volume and of a snapshot when all has come to rest. */
const rest = async (time: Duration = "11m") => {
  await disks.world.advance(time);
};
const expectNothing = async () => {
  expect([...disks.driver.disks.keys(), ...disks.driver.pictures.keys()]).toEqual([]);
  expect(await disks.volumes()).toEqual([]);
  expect((await disks.world.resource(kinds.content).list()).items).toEqual([]);
};

/** The steps of a life, each with the call that it needs. */
const STEPS: readonly (readonly [keyof DriverCalls, string, () => Promise<unknown>, () => Promise<unknown>])[] = [
  [
    "createVolume",
    "a claim is made",
    () => disks.makeClaim("a", { volumeAttributesClassName: "silver" }),
    async () => (await disks.claim("a")).status.phase,
  ],
  [
    "controllerPublishVolume",
    "it is attached",
    async () => disks.attach("x", (await disks.claim("a")).spec.volumeName!, "one"),
    async () => (await disks.attachment("x"))!.status.attached,
  ],
  [
    "controllerExpandVolume",
    "it grows",
    () => disks.patchClaim("a", { spec: { resources: { requests: { storage: "2Gi" } } } }),
    async () => (await disks.claim("a")).status.capacity,
  ],
  [
    "controllerModifyVolume",
    "it is modified",
    () => disks.patchClaim("a", { spec: { volumeAttributesClassName: "gold" } }),
    async () => (await disks.claim("a")).status.currentVolumeAttributesClassName,
  ],
  [
    "createSnapshot",
    "a snapshot is taken",
    () => takeSnapshot("a"),
    async () => (await snapshots().get({ namespace: "default", name: "a" })).status?.readyToUse,
  ],
  [
    "deleteSnapshot",
    "the snapshot goes",
    async () => {
      await snapshots().delete({ namespace: "default", name: "a" });
      await disks.settled();
    },
    async () => snapshots().find({ namespace: "default", name: "a" }),
  ],
  ["controllerUnpublishVolume", "it is taken off", () => disks.detach("x"), () => disks.attachment("x")],
  ["deleteVolume", "the claim goes", () => disks.deleteClaim("a"), () => disks.findClaim("a")],
];
const ENDS = ["Bound", true, { storage: "2Gi" }, "gold", true, undefined, undefined, undefined];

describe.each(CODES)("code %i", (code) => {
  test.each([
    ["before", false],
    ["after", true],
  ])(
    "at every call, %s the work: ends as it should, with one of everything, and then with nothing",
    async (_, isAfter) => {
      for (const [i, [method, , step, state]] of STEPS.entries()) {
        disks.driver.fail(method, { code, isAfter, times: 2 });
        await step();
        await rest();
        expect([method, await state()]).toEqual([method, ENDS[i]]);
        expect(disks.driver.disks.size).toBe(i < STEPS.length - 1 ? 1 : 0);
        expect(disks.driver.pictures.size).toBe(method === "createSnapshot" ? 1 : 0);
      }
      await expectNothing();
    },
  );

  test.each([
    ["before", false],
    ["after", true],
  ])("of a volume or a snapshot that nobody wants any more, %s the work: nothing is left", async (_, isAfter) => {
    const times = OPEN.has(code) ? 2 : 1;
    disks.driver.fail("createVolume", { code, isAfter, times });
    await disks.makeClaim("a");
    await disks.deleteClaim("a");
    await rest();
    expect(await disks.findClaim("a")).toBeUndefined();
    await expectNothing();
    await disks.makeClaim("b");
    disks.driver.fail("createSnapshot", { code, isAfter, times });
    await takeSnapshot("b");
    await snapshots().delete({ namespace: "default", name: "b" });
    await rest();
    expect(disks.driver.pictures.size).toBe(0);
    await disks.deleteClaim("b");
    await rest();
    await expectNothing();
  });
});

describe("who is killed", () => {
  /** Kills the sidecars at the nth of their writes and calls, and starts others. */
  const killAt = async (nth: number, when: "before" | "after"): Promise<boolean> => {
    let count = 0;
    let isKilled = false;
    const strike = (moment: "before" | "after"): void => {
      if (isKilled || moment !== when || ++count !== nth) return;
      isKilled = true;
      disks.manager.crash();
    };
    disks.driver.before = () => strike("before");
    disks.driver.after = () => strike("after");
    disks.wrote = strike;
    for (const [, , step] of STEPS) {
      await step();
      if (isKilled) {
        await disks.start();
        disks.driver.before = () => {};
        disks.driver.after = () => {};
        disks.wrote = () => {};
      }
      await rest("1m");
    }
    return isKilled;
  };

  test.each(["before", "after"] as const)(
    "NODE-70: %s any call or write: what follows ends as it should",
    { timeout: 300_000 },
    async (when) => {
      let kills = 0;
      for (let nth = when === "before" ? 1 : 2; await killAt(nth, when); nth += EVERY) {
        kills++;
        expect([nth, await disks.findClaim("a")]).toEqual([nth, undefined]);
        await expectNothing();
        await disks[Symbol.asyncDispose]();
        await begin();
      }
      expect(kills).toBeGreaterThan(30 / EVERY);
    },
  );
});
