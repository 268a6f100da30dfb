import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { NewObject, Transport } from "../../src/client/index.ts";
import { CoreEvent, PersistentVolume, PersistentVolumeClaim, Pod } from "../../src/client/kinds/index.ts";
import { volumeBinder } from "../../src/controllers/storage/binder/binder.ts";
import { garbageCollector } from "../../src/controllers/garbage/collector.ts";
import { kubernetes } from "../../src/meta/dialect.ts";
import { World } from "../runtime/world.ts";

let world: World;
beforeEach(async () => void (world = await World.create()));
afterEach(async () => {
  await world[Symbol.asyncDispose]();
  if (world.warnings.length > 0) throw new Error(world.warnings.join("\n"));
});

const run = async (through?: (transport: Transport) => Transport) => {
  const client = world.cluster.client("manager");
  const manager = world.manager({ countedEvents: true, client: through ? client.with({ through }) : client });
  await manager.add(volumeBinder(kubernetes)).start();
  await world.settled();
  return manager;
};
const at = (name: string) => ({ name, namespace: "default" });
const pods = () => world.resource(Pod);
const volumes = () => world.resource(PersistentVolume);
const claims = () => world.resource(PersistentVolumeClaim);
const volume = () => volumes().get({ name: "v" });
const recycler = () => pods().find(at("recycler-for-v"));

const makeVolume = (more: object = {}, name = "v") =>
  volumes().create({
    metadata: { name },
    spec: {
      capacity: { storage: "1Gi" },
      accessModes: ["ReadWriteOnce"],
      persistentVolumeReclaimPolicy: "Recycle",
      hostPath: { path: "/data/x" },
      claimRef: { ...at("a"), uid: "0a" },
      ...more,
    },
  } as NewObject<PersistentVolume>);
const makePod = (name: string, more: object = {}, metadata: object = {}) =>
  pods().create({
    metadata: { ...at(name), ...metadata },
    spec: { containers: [{ name: "c", image: "i" }], ...more },
  } as NewObject<Pod>);
const using = (claimName: string) => ({ volumes: [{ name: "v", persistentVolumeClaim: { claimName } }] });
const ends = async (phase: string, message?: string) => {
  await pods().status.patch(at("recycler-for-v"), { status: { phase, ...(message === undefined ? {} : { message }) } });
  await world.settled();
};
const tell = (reason: string, involvedObject: object, type = "Warning") =>
  world.resource(CoreEvent).create({
    metadata: at(reason.toLowerCase()),
    involvedObject: { kind: "Pod", ...involvedObject },
    type,
    reason,
    message: `${reason} it is`,
  } as NewObject<CoreEvent>);
const events = async () => {
  const { items } = await world.resource(CoreEvent).list();
  return items
    .filter(({ involvedObject }) => involvedObject.name === "v")
    .map(({ type, reason, message = "" }) => `${type} ${reason}: ${message}`);
};
/** Fails the pods of the volume as they come, for a time, and tells after how many seconds each came. */
const comings = async (seconds: number) => {
  const came: number[] = [];
  for (let second = 0; second <= seconds; second++) {
    if (await recycler()) {
      came.push(second);
      await ends("Failed", "rm: not today");
    }
    await world.advance("1s");
  }
  return came;
};

describe("a pod that empties a volume", () => {
  test.each([
    [{ hostPath: { path: "/data/x" } }, "1Gi", 60],
    [{ hostPath: { path: "/data/x" } }, "2900Mi", 60],
    [{ hostPath: { path: "/data/x" } }, "10Gi", 300],
    [{ hostPath: undefined, nfs: { server: "s", path: "/p", readOnly: true } }, "1Gi", 300],
    [{ hostPath: { path: "/data/x" } }, "9000Pi", 2 ** 31 - 1],
  ] as [{ hostPath?: object | undefined; nfs?: object }, string, number][])(
    "CTL-RECLAIM-14: mounts %j of %s at /scrub and has %i seconds",
    async (source, storage, seconds) => {
      await run();
      await makeVolume({ ...source, capacity: { storage } });
      await world.settled();
      const { spec, metadata } = (await recycler())!;
      expect([spec.restartPolicy, spec.activeDeadlineSeconds]).toEqual(["Never", seconds]);
      expect(spec.containers[0]!.volumeMounts).toMatchObject([{ mountPath: "/scrub" }]);
      const [mounted] = spec.volumes!;
      expect([mounted!.hostPath?.path, mounted!.nfs]).toEqual(
        source.nfs ? [undefined, { server: "s", path: "/p" }] : ["/data/x", undefined],
      );
      expect(metadata.ownerReferences).toMatchObject([{ kind: "PersistentVolume", name: "v" }]);
    },
  );

  test("CTL-RECLAIM-15: what a user reserved stays reserved, what the binder gave is given to anybody", async () => {
    await run();
    await makeVolume();
    await world.settled();
    await ends("Succeeded");
    expect((await volume()).spec.claimRef).toEqual(at("a"));
    expect((await volume()).status.phase).toBe("Available");
    expect(await recycler()).toBeUndefined();
    expect(await events()).toEqual(["Normal VolumeRecycled: Volume recycled"]);
  });

  test("CTL-RECLAIM-16, CTL-GEN-3: whenever it fails the next comes later, and the first that succeeds frees the volume", async () => {
    await run();
    await makeVolume();
    await world.settled();
    for (const wait of [500, 1000, 2000]) {
      await ends("Failed", "rm: not today");
      expect((await volume()).status).toMatchObject({ phase: "Failed", message: "rm: not today" });
      await world.advance(wait - 1);
      expect(await recycler()).toBeUndefined();
      await world.advance(1);
      expect(await recycler()).toBeDefined();
    }
    await ends("Succeeded");
    expect((await volume()).status.phase).toBe("Available");
    expect(await events()).toEqual([
      "Warning VolumeFailedRecycle: rm: not today",
      "Normal VolumeRecycled: Volume recycled",
    ]);
  });

  test("CTL-RECLAIM-16, CTL-GEN-3: after many failures it is tried every two minutes", async () => {
    await run();
    await makeVolume();
    await world.settled();
    const came = await comings(600);
    expect(came.slice(0, 8)).toEqual([0, 1, 2, 4, 8, 16, 32, 64]);
    const between = came.slice(9).map((second, i) => second - came[i + 8]!);
    expect(between.length).toBeGreaterThan(2);
    expect(new Set(between)).toEqual(new Set([120]));
  });

  test("CTL-RECLAIM-16: one that is deleted before it has ended has failed, one that runs on while it is deleted has not", async () => {
    await run();
    await makeVolume();
    await world.settled();
    await pods().patch(at("recycler-for-v"), { metadata: { finalizers: ["a.example/b"] } });
    await pods().delete(at("recycler-for-v"));
    await world.settled();
    expect((await volume()).status.phase).toBe("Released");
    await pods().patch(at("recycler-for-v"), { metadata: { finalizers: null } });
    await world.settled();
    expect((await volume()).status).toMatchObject({ phase: "Failed", message: expect.stringContaining("deleted") });
    expect(await events()).toEqual([expect.stringMatching(/^Warning VolumeFailedRecycle: .*deleted/)]);
    expect(await recycler()).toBeUndefined();
    await world.advance("1s");
    await ends("Succeeded");
    expect((await volume()).status.phase).toBe("Available");
  });

  test("CTL-RECLAIM-16: Events of it are recorded on the volume, with their types, each once; of earlier Pods none are", async () => {
    await run();
    await makeVolume();
    await world.settled();
    const { metadata } = (await recycler())!;
    await tell("Pulled", { ...at("recycler-for-v"), uid: metadata.uid }, "Normal");
    await tell("Failed", { ...at("recycler-for-v") });
    await tell("Old", { ...at("recycler-for-v"), uid: "0f" });
    await tell("Other", at("other"));
    await world.settled();
    await volumes().patch({ name: "v" }, { metadata: { labels: { a: "b" } } });
    await world.settled();
    expect(await events()).toEqual(["Normal RecyclerPod: Pulled it is", "Warning RecyclerPod: Failed it is"]);
    const { items } = await world.resource(CoreEvent).list();
    expect(items.filter(({ reason }) => reason === "RecyclerPod").map(({ count }) => count)).toEqual([1, 1]);
  });

  test("CTL-RECLAIM-16: waits for pods that use the claim yet, and says so; for those that have ended, or use another, it does not", async () => {
    await run();
    await makePod("web", using("a"));
    await makePod("done", using("a"));
    await pods().status.patch(at("done"), { status: { phase: "Succeeded" } });
    await makePod("other", using("b"));
    await makeVolume();
    await world.settled();
    expect(await recycler()).toBeUndefined();
    expect((await volume()).status.phase).toBe("Released");
    expect(await events()).toEqual([expect.stringMatching(/^Normal VolumeFailedRecycle: .*: web$/)]);
    await pods().delete(at("web"));
    await world.settled();
    expect(await recycler()).toBeDefined();
  });

  test("CTL-RECLAIM-16: does not wait for pods that use a new claim of the name", async () => {
    await run();
    const resources = { requests: { storage: "1Gi" } };
    const spec = { accessModes: ["ReadWriteOnce"], storageClassName: "c", resources };
    await claims().create({ metadata: at("a"), spec } as NewObject<PersistentVolumeClaim>);
    await makePod("web", using("a"));
    await makeVolume();
    await world.settled();
    expect(await recycler()).toBeDefined();
  });

  test("CTL-RECLAIM-16, CTL-GEN-2: a recycler Pod that ended while no controller ran is seen by the next controller", async () => {
    const manager = await run();
    await makeVolume();
    await world.settled();
    await manager.stop({ grace: 0 });
    await ends("Succeeded");
    await run();
    expect((await volume()).status.phase).toBe("Available");
    expect(await recycler()).toBeUndefined();
  });

  test("CTL-RECLAIM-15, CTL-GEN-2: one that was made after another claim empties nothing, whatever it says", async () => {
    await run();
    await makeVolume();
    await world.settled();
    await pods().patch(at("recycler-for-v"), { metadata: { finalizers: ["a.example/b"] } });
    await ends("Succeeded");
    await volumes().patch({ name: "v" }, { spec: { claimRef: { ...at("b"), uid: "0b" } } });
    await world.settled();
    expect((await volume()).status.phase).toBe("Released");
    const before = (await recycler())!.metadata;
    expect(before.deletionTimestamp).toBeDefined();
    await pods().patch(at("recycler-for-v"), { metadata: { finalizers: null } });
    await world.settled();
    expect((await recycler())!.metadata.uid).not.toBe(before.uid);
    expect((await volume()).status.phase).toBe("Released");
  });

  test("CTL-RECLAIM-3, 16: is taken away when the volume is to be kept, or goes to another claim", async () => {
    await run();
    await makeVolume();
    await world.settled();
    await volumes().patch({ name: "v" }, { spec: { persistentVolumeReclaimPolicy: "Retain" } });
    await world.settled();
    expect(await recycler()).toBeUndefined();
    expect((await volume()).status.phase).toBe("Released");
    await volumes().patch({ name: "v" }, { spec: { persistentVolumeReclaimPolicy: "Recycle" } });
    await world.settled();
    expect(await recycler()).toBeDefined();
    await volumes().patch({ name: "v" }, { spec: { claimRef: null } });
    await world.settled();
    expect(await recycler()).toBeUndefined();
    expect(await events()).toEqual([]);
  });

  test("CTL-RECLAIM-14, CTL-GC-22: goes with its volume", async () => {
    const manager = world.manager({ countedEvents: true });
    await manager.add(volumeBinder(kubernetes), garbageCollector).start();
    await makeVolume();
    await world.settled();
    await volumes().patch({ name: "v" }, { metadata: { finalizers: null } });
    await volumes().delete({ name: "v" });
    await world.advance("1m");
    expect(await recycler()).toBeUndefined();
  });

  test("CTL-RECLAIM-16: one that cannot be made fails the volume, and is tried again", async () => {
    await run();
    const name = "v".repeat(250);
    await makeVolume({}, name);
    await world.advance("1m");
    expect((await volumes().get({ name })).status).toMatchObject({
      phase: "Failed",
      message: expect.stringMatching(/recycler-for-v/),
    });
    expect(world.failures).toEqual([]);
  });

  test("CTL-RECLAIM-15: who is behind another does not empty what has been given away since", async () => {
    await makeVolume();
    let isBehind = false;
    const behind =
      (transport: Transport): Transport =>
      async (request) => {
        // Another frees the volume, and memory does not show it yet.
        if (isBehind && request.method === "GET" && request.path.endsWith("/persistentvolumes/v")) {
          isBehind = false;
          await volumes().patch({ name: "v" }, { spec: { claimRef: null } });
        }
        return transport(request);
      };
    isBehind = true;
    await run(behind);
    await world.advance("10s");
    expect(isBehind).toBe(false);
    expect(await recycler()).toBeUndefined();
    expect((await volume()).status.phase).toBe("Available");
  });
});
