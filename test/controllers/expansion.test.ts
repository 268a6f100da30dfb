import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type NewObject, inDomain } from "../../src/client/index.ts";
import { CoreEvent, PersistentVolume, PersistentVolumeClaim, StorageClass } from "../../src/client/kinds/index.ts";
import { volumeBinder } from "../../src/controllers/storage/binder/binder.ts";
import { volumeExpansion } from "../../src/controllers/storage/expansion.ts";
import type { Controller, Manager } from "../../src/runtime/index.ts";
import { kubernetes, neutral } from "../../src/meta/dialect.ts";
import { World } from "../runtime/world.ts";

let world: World;
let manager: Manager;
const start = async (...controllers: readonly Controller[]) => {
  manager = world.manager({ countedEvents: true }).add(...controllers);
  await manager.start();
};
beforeEach(async () => {
  world = await World.create();
  await start(volumeBinder(kubernetes), volumeExpansion(kubernetes));
});
afterEach(async () => {
  await world[Symbol.asyncDispose]();
  if (world.warnings.length > 0) throw new Error(world.warnings.join("\n"));
});

const at = { name: "a", namespace: "default" };
const claims = () => world.resource(PersistentVolumeClaim);
const volumes = () => world.resource(PersistentVolume);
const claim = () => claims().get(at);
const sizeOfVolume = async () => (await volumes().get({ name: "v" })).spec.capacity?.["storage"];
const ofNode = { flexVolume: { driver: "example.com/disk" } };
const ofDriver = { csi: { driver: "d.example.com", volumeHandle: "h" } };
const RESIZER = "volume.kubernetes.io/storage-resizer";
const MARK = "volume.alpha.kubernetes.io/pre-resize-capacity";

/** A claim of 1Gi that is bound to a volume. */
const bind = async (
  source: object,
  more: { readonly volume?: object; readonly size?: string; readonly domain?: string } = {},
) => {
  await world
    .resource(inDomain(StorageClass, more.domain ?? kubernetes.domain))
    .create({ metadata: { name: "c" }, provisioner: "p.example.com", allowVolumeExpansion: true } as never);
  const both = { accessModes: ["ReadWriteOnce"], storageClassName: "c" };
  const capacity = { storage: more.size ?? "1Gi" };
  await volumes().create({
    metadata: { name: "v" },
    spec: { ...both, capacity, ...source, ...more.volume },
  } as NewObject<PersistentVolume>);
  await claims().create({
    metadata: at,
    spec: { ...both, resources: { requests: { storage: "1Gi" } }, ...more.volume },
  } as NewObject<PersistentVolumeClaim>);
  await world.settled();
  expect((await claim()).status.phase).toBe("Bound");
};
const ask = async (storage: string) => {
  await claims().patch(at, { spec: { resources: { requests: { storage } } } });
  await world.settled();
};
const setStatus = async (status: object) => {
  await claims().status.patch(at, { status });
  await world.settled();
};
/** What a node agent writes when it is done. */
const nodeIsDone = (storage: string) =>
  setStatus({ capacity: { storage }, allocatedResourceStatuses: null, conditions: null });
const events = async () => {
  const { items } = await world.resource(CoreEvent).list();
  return items
    .filter(({ source }) => source.component === "volume_expand")
    .map(({ type, reason, count }) => [type, reason, count]);
};
const resizing = async () => {
  const { allocatedResources, allocatedResourceStatuses, conditions = [], capacity } = (await claim()).status;
  return {
    has: capacity?.["storage"],
    allocated: allocatedResources?.["storage"],
    state: allocatedResourceStatuses?.["storage"],
    conditions: conditions.map(({ type, status }) => `${type} ${status}`),
  };
};
const AT_NODE = ["Resizing True", "FileSystemResizePending True"];

describe("left to others", () => {
  test.each([
    ["a volume of a driver", ofDriver],
    ["a volume that nothing here can enlarge", { hostPath: { path: "/tmp/x" } }],
  ])("CTL-EXP-1: %s: an Event says that somebody else has to act, nothing else changes", async (_, source) => {
    await bind(source);
    await ask("3Gi");
    expect(await events()).toEqual([["Normal", "ExternalExpanding", 1]]);
    const { metadata, status } = await claim();
    expect(status).toEqual({ phase: "Bound", accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" } });
    expect(Object.keys(metadata.annotations!)).not.toContain(RESIZER);
    expect(await sizeOfVolume()).toBe("1Gi");
  });

  test("CTL-EXP-1: what the resizer writes is left as it is", async () => {
    await bind(ofDriver);
    await ask("3Gi");
    const states = { allocatedResourceStatuses: { storage: "ControllerResizeInProgress" } };
    await setStatus({ allocatedResources: { storage: "3Gi" }, ...states });
    await volumes().patch({ name: "v" }, { spec: { capacity: { storage: "3Gi" } } });
    await nodeIsDone("3Gi");
    expect(await resizing()).toEqual({ has: "3Gi", allocated: "3Gi", state: undefined, conditions: [] });
    expect(await events()).toEqual([["Normal", "ExternalExpanding", 1]]);
  });

  test("CTL-EXP-2: for a migrated plugin the claim names the driver", async () => {
    await bind({ cinder: { volumeID: "x" } });
    await ask("3Gi");
    expect((await claim()).metadata.annotations?.[RESIZER]).toBe("cinder.csi.openstack.org");
    expect(await events()).toEqual([["Normal", "ExternalExpanding", 1]]);
  });

  test("CTL-EXP-3: a claim that requests no more than its capacity waits for no resizer, and a volume alone changes no claim", async () => {
    await bind(ofNode, { size: "5Gi" });
    await ask("4Gi");
    await volumes().patch({ name: "v" }, { spec: { capacity: { storage: "9Gi" } } });
    await world.settled();
    expect(await resizing()).toEqual({ has: "5Gi", allocated: undefined, state: undefined, conditions: [] });
    expect(await events()).toEqual([]);
  });

  test("CTL-MOD-1, CTL-MOD-2: another attributes class is left to the resizer, and the claim stays bound", async () => {
    await bind(ofDriver, { volume: { volumeAttributesClassName: "silver" } });
    const before = (await claim()).status;
    await claims().patch(at, { spec: { volumeAttributesClassName: "gold" } });
    await world.settled();
    expect((await claim()).status).toEqual(before);
    expect((await volumes().get({ name: "v" })).spec.volumeAttributesClassName).toBe("silver");
  });
});

describe("enlarged here", () => {
  beforeEach(() => bind(ofNode));

  test("CTL-EXP-5, CTL-EXP-6, CTL-EXP-8, PVC-33, PVC-43, RSZ-2, RSZ-4: the volume grows, the rest is left to the node", async () => {
    const { resourceVersion } = (await claims().list({ namespace: "default" })).metadata;
    await ask("3Gi");
    expect(await resizing()).toEqual({ has: "1Gi", allocated: "3Gi", state: "NodeResizePending", conditions: AT_NODE });
    expect((await claim()).metadata.annotations?.[RESIZER]).toBe("example.com/disk");
    expect(await sizeOfVolume()).toBe("3Gi");
    const seen: (string | undefined)[] = [];
    for await (const event of claims().watch({ namespace: "default", resourceVersion })) {
      if (event.type === "MODIFIED") seen.push(event.object.status.allocatedResourceStatuses?.["storage"]);
      if (seen.at(-1) === "NodeResizePending") break;
    }
    expect(seen).toEqual([undefined, "ControllerResizeInProgress", "NodeResizePending"]);
    await nodeIsDone("3Gi");
    expect(await resizing()).toEqual({ has: "3Gi", allocated: "3Gi", state: undefined, conditions: [] });
    expect(await events()).toEqual([]);
  });

  test("CTL-EXP-9, PVC-35: a larger request waits for the node, and is done after it like the first", async () => {
    await ask("3Gi");
    for (const size of ["2Gi", "5Gi"]) {
      await ask(size);
      expect(await resizing()).toMatchObject({ allocated: "3Gi", state: "NodeResizePending" });
    }
    expect(await sizeOfVolume()).toBe("3Gi");
    await nodeIsDone("3Gi");
    expect(await resizing()).toEqual({ has: "3Gi", allocated: "5Gi", state: "NodeResizePending", conditions: AT_NODE });
    expect(await sizeOfVolume()).toBe("5Gi");
  });

  test("CTL-EXP-10: what the node has given up is begun again when more is asked for, not before, by whomever", async () => {
    await ask("5Gi");
    await setStatus({ allocatedResourceStatuses: { storage: "NodeResizeInfeasible" } });
    await ask("4Gi");
    expect(await resizing()).toMatchObject({ allocated: "5Gi", state: "NodeResizeInfeasible" });
    await manager.stop();
    await start(volumeExpansion(kubernetes));
    await world.settled();
    expect(await resizing()).toMatchObject({ allocated: "5Gi", state: "NodeResizeInfeasible" });
    await ask("6Gi");
    expect(await resizing()).toEqual({ has: "1Gi", allocated: "5Gi", state: "NodeResizePending", conditions: AT_NODE });
    expect(await sizeOfVolume()).toBe("5Gi");
    await nodeIsDone("5Gi");
    expect(await resizing()).toMatchObject({ has: "5Gi", allocated: "6Gi", state: "NodeResizePending" });
  });

  test("CTL-EXP-11, PVC-38, PVC-41: resources of others stay beside storage as they are", async () => {
    const others = { "example.com/x": "NodeResizePending" };
    await setStatus({ allocatedResources: { "example.com/x": "2" }, allocatedResourceStatuses: others });
    await ask("3Gi");
    const { allocatedResources, allocatedResourceStatuses } = (await claim()).status;
    expect(allocatedResources).toEqual({ "example.com/x": "2", storage: "3Gi" });
    expect(allocatedResourceStatuses).toEqual({ ...others, storage: "NodeResizePending" });
  });

  test("CTL-EXP-12, CTL-EXP-14, PVC-35: what has failed starts from a new request, a smaller one, too", async () => {
    await manager.stop();
    await ask("9Gi");
    const states = { allocatedResourceStatuses: { storage: "ControllerResizeInfeasible" } };
    await setStatus({ allocatedResources: { storage: "9Gi" }, ...states });
    await ask("3Gi");
    await manager.stop();
    await start(volumeExpansion(kubernetes));
    await world.settled();
    expect(await resizing()).toEqual({ has: "1Gi", allocated: "3Gi", state: "NodeResizePending", conditions: AT_NODE });
    expect(await sizeOfVolume()).toBe("3Gi");
  });

  test("CTL-EXP-13: a volume says what its claim had until the node is done, and a new binding heeds that", async () => {
    await ask("3Gi");
    const markOf = async () => (await volumes().get({ name: "v" })).metadata.annotations?.[MARK];
    expect(await markOf()).toBe("1Gi");
    await setStatus({ phase: "Pending", capacity: null });
    expect((await claim()).status).toMatchObject({ phase: "Bound", capacity: { storage: "1Gi" } });
    await nodeIsDone("3Gi");
    expect(await markOf()).toBeUndefined();
  });

  test("CTL-GEN-2: one that was stopped between two steps is ended by the next, at the size that was begun", async () => {
    await manager.stop();
    await ask("3Gi");
    const states = { allocatedResourceStatuses: { storage: "ControllerResizeInProgress" } };
    await setStatus({ allocatedResources: { storage: "2Gi" }, ...states });
    await start(volumeExpansion(kubernetes));
    await world.settled();
    expect(await resizing()).toMatchObject({ has: "1Gi", allocated: "2Gi", state: "NodeResizePending" });
    expect(await sizeOfVolume()).toBe("2Gi");
    await nodeIsDone("2Gi");
    expect(await resizing()).toMatchObject({ has: "2Gi", allocated: "3Gi", state: "NodeResizePending" });
  });

  test("CTL-GEN-1: two of this controller enlarge it once", async () => {
    await world.manager({ name: "other" }).add(volumeExpansion(kubernetes)).start();
    await ask("3Gi");
    await world.advance("1s");
    expect(await resizing()).toEqual({ has: "1Gi", allocated: "3Gi", state: "NodeResizePending", conditions: AT_NODE });
  });

  test("a volume that is larger already is not made smaller", async () => {
    await volumes().patch({ name: "v" }, { spec: { capacity: { storage: "9Gi" } } });
    await ask("3Gi");
    expect(await sizeOfVolume()).toBe("9Gi");
    expect(await resizing()).toMatchObject({ allocated: "3Gi", state: "NodeResizePending" });
  });
});

test("CTL-EXP-7: a volume without a file system is done at once", async () => {
  await bind(ofNode, { volume: { volumeMode: "Block" } });
  await ask("3Gi");
  expect(await resizing()).toEqual({ has: "3Gi", allocated: "3Gi", state: undefined, conditions: [] });
  expect(await sizeOfVolume()).toBe("3Gi");
  expect(await events()).toEqual([["Normal", "VolumeResizeSuccessful", 1]]);
});

test("CTL-EXP-10, AMB-47: in the neutral dialect what cannot be done has the name of the documents", async () => {
  await world[Symbol.asyncDispose]();
  world = await World.create("neutral");
  await start(volumeBinder(neutral), volumeExpansion(neutral));
  await bind(ofNode, { domain: neutral.domain });
  await ask("5Gi");
  await setStatus({ allocatedResourceStatuses: { storage: "NodeResizeFailed" } });
  expect(await resizing()).toMatchObject({ state: "NodeResizeFailed" });
  await ask("6Gi");
  expect(await resizing()).toMatchObject({ allocated: "5Gi", state: "NodeResizePending" });
});
