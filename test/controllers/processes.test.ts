/** Controllers share nothing but the objects: in one process or in many, alone or side by side, a story ends the same. */
import { expect, test } from "vitest";
import type { NewObject } from "../../src/client/index.ts";
import { Namespace, PersistentVolume, PersistentVolumeClaim, Pod } from "../../src/client/kinds/index.ts";
import { builtInControllers } from "../../src/controllers/index.ts";
import { kubernetes } from "../../src/meta/dialect.ts";
import { type Controller, defineKeyController, sharedInformer } from "../../src/runtime/index.ts";
import { World } from "../runtime/world.ts";

const FOLLOWED = [Pod, PersistentVolumeClaim, PersistentVolume] as const;

/** Takes down which objects go, by their kinds, with the resourceVersion at which they did. */
function listener(gone: Map<number, string>): Controller {
  const specs = FOLLOWED.map((kind) => sharedInformer(kind as typeof Pod));
  return defineKeyController({
    name: "listener",
    uses: specs,
    begin({ own }) {
      const heard = new DisposableStack();
      for (const spec of specs) {
        heard.use(
          own(spec).on(({ type, object: { kind, metadata } }) => {
            if (type === "deleted") gone.set(Number(metadata.resourceVersion), `${kind} ${metadata.name}`);
          }),
        );
      }
      return heard;
    },
    reconcile: () => undefined,
  });
}

const at = (name: string) => ({ name, namespace: "team" });

/** A pod uses a claim, all of it is deleted; then the namespace with another claim is. */
async function play(world: World): Promise<object> {
  const gone = new Map<number, string>();
  await world.run(listener(gone));
  await world.resource(Namespace).create({ metadata: { name: "team" } });
  for (const name of ["a", "b"]) {
    await world.resource(PersistentVolume).create({
      metadata: { name: `v-${name}` },
      spec: {
        capacity: { storage: "1Gi" },
        accessModes: ["ReadWriteOnce"],
        storageClassName: name,
        hostPath: { path: "/data" },
      },
    } as NewObject<PersistentVolume>);
    await world.resource(PersistentVolumeClaim).create({
      metadata: at(name),
      spec: {
        accessModes: ["ReadWriteOnce"],
        storageClassName: name,
        resources: { requests: { storage: "1Gi" } },
      },
    } as NewObject<PersistentVolumeClaim>);
  }
  await world.resource(Pod).create({
    metadata: { ...at("web"), finalizers: ["a.example/b"] },
    spec: {
      nodeName: "n",
      containers: [{ name: "c", image: "i" }],
      volumes: [{ name: "v", persistentVolumeClaim: { claimName: "a" } }],
    },
  } as NewObject<Pod>);
  await world.advance("10s");
  const bound = (await world.resource(PersistentVolumeClaim).list()).items.map(({ status }) => status.phase);
  await world.resource(PersistentVolume).delete({ name: "v-a" });
  await world.resource(PersistentVolumeClaim).delete(at("a"));
  await world.resource(Pod).delete(at("web"), { gracePeriodSeconds: 0 });
  await world.advance("10s");
  const held = { ...(await world.resource(PersistentVolume).get({ name: "v-a" })).status };
  const goneTooEarly = gone.size;
  await world.resource(Pod).patch(at("web"), { metadata: { finalizers: null } });
  await world.advance("10s");
  const order = [...gone].toSorted(([x], [y]) => x - y).map(([, what]) => what);
  await world.resource(Namespace).delete({ name: "team" });
  await world.advance("30s");
  const left = await world.resource(Namespace).find({ name: "team" });
  const { status, spec } = await world.resource(PersistentVolume).get({ name: "v-b" });
  return { bound, held: held.phase, goneTooEarly, order, left, reserved: spec.claimRef?.name, phase: status.phase };
}

const { usual } = builtInControllers({ dialect: kubernetes, eventTtlMillis: 3_600_000, caCertificate: "" });

test.each<[string, readonly (readonly Controller[])[]]>([
  ["in one process", [usual]],
  ["in a process each", usual.map((one) => [one])],
  ["in two processes, both at work", [usual, usual]],
])(
  "CTL-GEN-5, CTL-PVP-3, CTL-RECLAIM-20, 22, CTL-BIND-44: %s the controllers let pod, claim and volume go in this order",
  async (_, processes) => {
    await using world = await World.create();
    for (const [seed, controllers] of processes.entries()) {
      await world
        .manager({ seed })
        .add(...controllers)
        .start();
    }
    expect(await play(world)).toEqual({
      bound: ["Bound", "Bound"],
      held: "Bound",
      goneTooEarly: 0,
      order: ["Pod web", "PersistentVolumeClaim a", "PersistentVolume v-a"],
      left: undefined,
      reserved: "b",
      phase: "Released",
    });
    expect(world.warnings).toEqual([]);
  },
);
