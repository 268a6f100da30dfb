/** What `keelson why` tells of a claim that is bound and asks for more, and how much it reads for what it tells. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  ConfigMap,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  StorageClass,
  VolumeAttributesClass,
} from "../../src/client/kinds/index.ts";
import { volumeBinder } from "../../src/controllers/storage/binder/binder.ts";
import { volumeExpansion } from "../../src/controllers/storage/expansion.ts";
import { kubernetes } from "../../src/meta/dialect.ts";
import { explain } from "../../src/why/index.ts";
import { World } from "../runtime/world.ts";

let world: World;
beforeEach(async () => {
  world = await World.create();
  await world.run(volumeBinder(kubernetes), volumeExpansion(kubernetes));
});
afterEach(() => world[Symbol.asyncDispose]());

const DATA = { name: "data", namespace: "default" };
const claims = () => world.resource(PersistentVolumeClaim);

/** A claim of 1Gi with its volume. */
async function bind(source: object = { csi: { driver: "d.example.com", volumeHandle: "h" } }): Promise<void> {
  await world
    .resource(StorageClass)
    .create({ metadata: { name: "c" }, provisioner: "d.example.com", allowVolumeExpansion: true } as never);
  const common = { accessModes: ["ReadWriteOnce"], storageClassName: "c" };
  await world
    .resource(PersistentVolume)
    .create({ metadata: { name: "v" }, spec: { ...common, capacity: { storage: "1Gi" }, ...source } } as never);
  await claims().create({
    metadata: DATA,
    spec: { ...common, resources: { requests: { storage: "1Gi" } } },
  } as never);
  await world.settled();
}
const ask = (spec: object) => claims().patch(DATA, { spec });
const report = async (status: object) => {
  await claims().status.patch(DATA, { status });
  await world.settled();
};
const why = async () => (await claims().why(DATA)).reasons.map(({ says, who }) => [says, who]);

describe("a claim that asks for more than it has", () => {
  const more = { resources: { requests: { storage: "2Gi" } } };
  const state = (storage: string) =>
    report({ allocatedResources: { storage: "2Gi" }, allocatedResourceStatuses: { storage } });

  test("waits for the resizer of its driver", async () => {
    await bind();
    expect(await why()).toEqual([]);
    await ask(more);
    await world.settled();
    expect(await why()).toEqual([
      ["it has 1Gi and requests 2Gi, and waits for its volume to be enlarged", "the resizer of d.example.com"],
    ]);
  });

  test("of a plugin without a resizer waits for ever", async () => {
    await bind({ hostPath: { path: "/x" } });
    await ask(more);
    expect(await why()).toEqual([
      ["it has 1Gi and requests 2Gi, and a volume of its kind cannot be enlarged", "a user who creates another claim"],
    ]);
  });

  test("waits for its node, once there is one", async () => {
    await bind();
    await ask(more);
    await state("NodeResizePending");
    const says = "it has 1Gi and requests 2Gi; its volume has been enlarged, its file system has not";
    expect(await why()).toEqual([[says, "a user who creates a Pod that uses it, and the agent of its node"]]);
    await world.resource(Pod).create({
      metadata: { name: "web", namespace: "default" },
      spec: {
        nodeName: "n",
        containers: [{ name: "c", image: "i" }],
        volumes: [{ name: "v", persistentVolumeClaim: { claimName: "data" } }],
      },
    } as never);
    expect(await why()).toEqual([[says, "the agent of the node n"]]);
  });

  test("cannot grow while its only Pod reads: that Pod is named", async () => {
    await bind();
    await ask(more);
    await state("NodeResizePending");
    const make = (name: string, readOnly: boolean) =>
      world.resource(Pod).create({
        metadata: { name, namespace: "default" },
        spec: {
          nodeName: "n",
          containers: [{ name: "c", image: "i" }],
          volumes: [{ name: "v", persistentVolumeClaim: { claimName: "data", readOnly } }],
        },
      } as never);
    await make("reads", true);
    expect((await claims().why(DATA)).reasons).toMatchObject([
      {
        says: "it has 1Gi and requests 2Gi; its volume has been enlarged, and its file system cannot grow while Pod default/reads mounts it read-only",
        who: "a user who creates a Pod that mounts it without readOnly",
        about: { kind: "Pod", name: "reads" },
      },
    ]);
    await make("writes", false);
    expect(await why()).toEqual([
      ["it has 1Gi and requests 2Gi; its volume has been enlarged, its file system has not", "the agent of the node n"],
    ]);
  });

  test.each([
    ["ControllerResizeInfeasible", "ControllerResizeError", "d.example.com cannot enlarge its volume to 2Gi: no room"],
    ["NodeResizeInfeasible", "NodeResizeError", "its node could not enlarge the file system to 2Gi: no room"],
  ])("is told that it ended with %s, and what was said", async (storage, type, says) => {
    await bind();
    await ask(more);
    await state(storage);
    await report({ conditions: [{ type, status: "True", message: "no room" }] });
    expect(await why()).toEqual([[`it has 1Gi and requests 2Gi, and ${says}`, "a user who requests another size"]]);
  });
});

describe("a claim that names another attributes class", () => {
  const makeClass = () =>
    world
      .resource(VolumeAttributesClass)
      .create({ metadata: { name: "gold" }, driverName: "d.example.com", parameters: { a: "b" } } as never);

  test("waits for the class, then for the resizer; a refusal is reported", async () => {
    await bind();
    await ask({ volumeAttributesClassName: "gold" });
    expect(await why()).toEqual([
      ['volumeattributesclass.storage.k8s.io "gold" not found', "a user who creates the VolumeAttributesClass gold"],
    ]);
    await makeClass();
    expect(await why()).toEqual([
      ["it waits for its volume to get the attributes of gold", "the resizer of d.example.com"],
    ]);
    await report({
      modifyVolumeStatus: { status: "Infeasible", targetVolumeAttributesClassName: "gold" },
      conditions: [{ type: "ModifyVolumeError", status: "True", message: "too fast" }],
    });
    expect(await why()).toEqual([
      ["d.example.com refuses the attributes of gold: too fast", "a user who names another class"],
    ]);
    await report({ currentVolumeAttributesClassName: "gold", modifyVolumeStatus: null, conditions: null });
    expect(await why()).toEqual([]);
  });

  test("and requests more gets both reasons", async () => {
    await bind();
    await makeClass();
    await ask({ volumeAttributesClassName: "gold", resources: { requests: { storage: "2Gi" } } });
    expect((await why()).map(([, who]) => who)).toEqual([
      "the resizer of d.example.com",
      "the resizer of d.example.com",
    ]);
  });
});

describe("what is read for a report", () => {
  const subject = { kind: ConfigMap, key: { name: "owner", namespace: "default" } };
  beforeEach(async () => {
    const owner = await world.resource(ConfigMap).create({ metadata: { name: "owner", namespace: "default" } });
    for (let i = 0; i < 30; i++)
      await world.resource(ConfigMap).create({ metadata: { name: `other-${i}`, namespace: "default" } });
    await world.resource(ConfigMap).delete(owner, { propagationPolicy: "Foreground" });
  });
  const told = async (maxRead?: number) => {
    const { reasons } = await explain(world.cluster.client("asks"), kubernetes, subject, { maxRead });
    return reasons.map(({ says }) => says);
  };

  test("has an end, and what was not looked at is not spoken of", async () => {
    expect(await told()).toEqual(["no dependent holds it, and the finalizer foregroundDeletion is still there"]);
    expect(await told(10)).toEqual([
      "no dependent that was read holds it (finalizer foregroundDeletion)",
      "there are more than the 10 objects that were read",
    ]);
  });

  test("where only a part of the objects was read, no object is reported as missing", async () => {
    const common = { accessModes: ["ReadWriteOnce"], storageClassName: "c" };
    for (const name of ["a", "b"]) {
      const spec = { ...common, volumeName: "other", resources: { requests: { storage: "1Gi" } } };
      await claims().create({ metadata: { name, namespace: "default" }, spec } as never);
    }
    const hostPath = { path: "/x" };
    await world
      .resource(PersistentVolume)
      .create({ metadata: { name: "v" }, spec: { ...common, hostPath, capacity: { storage: "1Gi" } } } as never);
    await world.settled();
    const volume = { kind: PersistentVolume, key: { name: "v" } };
    const says = async (maxRead: number) =>
      (await explain(world.cluster.client("asks"), kubernetes, volume, { maxRead })).reasons[0]?.says;
    expect(await says(10)).toBe("no claim waits for a volume");
    expect(await says(1)).toBe("no claim that was read waits for a volume");
  });

  test("is aborted when the client has left", async () => {
    const over = new AbortController();
    let lists = 0;
    const client = world.cluster.client("asks").with({
      through: (transport) => (request) => {
        if (request.path.includes("limit=") && ++lists === 2) over.abort();
        return transport(request);
      },
    });
    await expect(explain(client, kubernetes, subject, { signal: over.signal })).rejects.toThrow(/abort/i);
    expect(lists).toBe(2);
  });
});
