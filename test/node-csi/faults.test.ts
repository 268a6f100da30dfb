/**
 * Every code of gRPC at every call of the node service, before or after the work was done: the volume ends mounted exactly once, or
 * cleanly gone.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CODES, type CodeName } from "../../src/csi/driver-error.ts";
import { sampled } from "../../src/util/testing/amount.ts";
import type { NeededVolume } from "../../src/node/contract.ts";
import type { Fault, ModelDriver, NodeMethod } from "./model-driver.ts";
import { NodeWorld } from "./node-world.ts";

let node: NodeWorld;
let driver: ModelDriver;
beforeAll(async () => {
  node = await NodeWorld.create();
  await node.start();
  driver = await node.fresh();
});
afterAll(() => node[Symbol.asyncDispose]());

/** The usual run plays a third of the codes at each call, others at the next one. */
const casesOf = (row: number) =>
  sampled(Object.keys(CODES) as CodeName[], 3, row).flatMap((code) =>
    (["before", "after"] as const).map((when) => ({ code, when })),
  );

/** The next call of a method fails. */
function failOnce(method: NodeMethod, fault: Fault): () => boolean {
  let isDone = false;
  driver.fault = (called) => {
    if (called !== method || isDone) return undefined;
    isDone = true;
    return fault;
  };
  return () => isDone;
}

/** Does something until it succeeds, as the agent does; how often it failed. */
async function again(work: () => Promise<unknown>): Promise<number> {
  for (let failures = 0; ; failures++) {
    try {
      await work();
      return failures;
    } catch (error) {
      if (failures > 3) throw error;
      await node.pass(1000);
    }
  }
}

function expectMounted(...all: readonly NeededVolume[]): void {
  const handle = all[0]!.persistent!.volume.spec.csi!.volumeHandle;
  expect([...driver.published.get(handle)!.keys()].toSorted()).toEqual(all.map(({ path }) => path).toSorted());
  expect(driver.staged.has(handle)).toBe(true);
  expect(driver.broken).toEqual([]);
}

function expectGone(): void {
  expect([driver.published.size, driver.staged.size, driver.mounted.size]).toEqual([0, 0, 0]);
  expect([node.left(), driver.broken]).toEqual([[], []]);
}

const pair = (): readonly [NeededVolume, NeededVolume] => {
  const first = node.persistent(node.pod(), { csi: { driver: driver.name } });
  const { name } = first.persistent!.volume.metadata;
  return [first, node.persistent(node.pod(), { name, csi: { driver: driver.name } })];
};

describe.each(
  (["NodeStageVolume", "NodePublishVolume", "NodeUnpublishVolume", "NodeUnstageVolume"] as const).map(
    (method, row) => [method, casesOf(row)] as const,
  ),
)("%s", (method, cases) => {
  test("NODE-16, NODE-17, NODE-28: whatever it fails with, two Pods get the volume once each, and nothing is left when they are gone", async () => {
    for (const fault of cases) {
      const [first, second] = pair();
      const isDone = failOnce(method, fault);
      await again(() => node.setUp(first));
      await again(() => node.setUp(second));
      expectMounted(first, second);
      await again(() => node.tearDown(first));
      expectMounted(second);
      await again(() => node.tearDown(second));
      expect(isDone()).toBe(true);
      expectGone();
    }
  });

  test("NODE-17, NODE-28: a Pod that is deleted right after the failure leaves nothing, also when the agent restarts in between", async () => {
    for (const [at, fault] of cases.entries()) {
      const [needed] = pair();
      const isDone = failOnce(method, fault);
      await node.setUp(needed).catch(() => {});
      if (at % 8 === 0) {
        const answers = driver.answers.length;
        await node.restart();
        await node.until(() => driver.answers.length > answers);
      }
      await again(() => node.tearDown(needed));
      expect(isDone()).toBe(true);
      expectGone();
    }
  });
});

test("NODE-49, NODE-50: whatever NodeExpandVolume fails with, the volume is mounted once, and has grown or is given up", async () => {
  for (const [at, fault] of casesOf(0).entries()) {
    const name = `grows-${at}`;
    const claim = await node.storedClaim(name, { phase: "Bound", capacity: { storage: "1Gi" } });
    const pod = await node.storedPod(claim);
    const needed = node.persistent(pod, {
      name,
      claim,
      csi: { driver: driver.name },
      spec: { capacity: { storage: "2Gi" } },
    });
    const isDone = failOnce("NodeExpandVolume", fault);
    const failures = await again(() => node.setUp(needed));
    expectMounted(needed);
    expect(isDone()).toBe(true);
    const isOver = ["InvalidArgument", "OutOfRange", "NotFound", "Unimplemented", "FailedPrecondition"].includes(
      fault.code,
    );
    expect([fault.code, failures]).toEqual([fault.code, isOver ? 0 : 1]);
    await again(() => node.tearDown(needed));
    expectGone();
  }
});

test("NODE-53: whatever NodeGetVolumeStats fails with is thrown, and changes nothing", async () => {
  const [needed] = pair();
  await node.setUp(needed);
  for (const fault of casesOf(1)) {
    failOnce("NodeGetVolumeStats", fault);
    await expect(node.plugin.usage!(needed, new AbortController().signal)).rejects.toThrow(fault.code);
    expectMounted(needed);
  }
  await node.tearDown(needed);
  expectGone();
});

test("NODE-16: whatever NodeGetCapabilities fails with, the volume waits until it is known what the driver can do", async () => {
  for (const fault of casesOf(2)) {
    const answers = driver.answers.length;
    await node.restart();
    await node.until(() => driver.answers.length > answers);
    const [needed] = pair();
    const isDone = failOnce("NodeGetCapabilities", fault);
    const failures = await again(() => node.setUp(needed));
    expect(isDone()).toBe(true);
    // A driver without the call supports nothing; its capabilities are requested again with its next connection.
    const isKnown = fault.code === "Unimplemented";
    expect(failures).toBe(isKnown ? 0 : 1);
    expect(driver.published.get(needed.persistent!.volume.spec.csi!.volumeHandle)!.size).toBe(1);
    await node.tearDown(needed);
    expectGone();
  }
});

test("CSIN-24, CSIN-25: whatever NodeGetInfo fails with, the driver is registered when it answers", async () => {
  for (const fault of casesOf(0)) {
    const isDone = failOnce("NodeGetInfo", fault);
    const answers = driver.answers.length;
    await node.restart();
    await node.until(() => driver.answers.length > answers);
    expect(isDone()).toBe(true);
    expect(driver.answers.at(-1)).toMatchObject({ registered: false, error: expect.stringContaining(fault.code) });
    await node.pass(5000);
    expect(driver.answers.at(-1)).toMatchObject({ registered: true });
  }
});
