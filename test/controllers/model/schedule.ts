/**
 * Random schedules of everything that a binder has to do with: claims, volumes, classes and pods come, change and go,
 * binders stop and start in the middle, or run two at a time. After every quiet the {@link troublesOf} the cluster are told.
 *
 * @module
 */
import { type Client, attempt } from "../../../src/client/index.ts";
import { PersistentVolume, PersistentVolumeClaim, Pod, StorageClass } from "../../../src/client/kinds/index.ts";
import { volumeBinder } from "../../../src/controllers/storage/binder/binder.ts";
import { claimProtection, volumeProtection } from "../../../src/controllers/storage/protection.ts";
import { kubernetes } from "../../../src/meta/dialect.ts";
import type { Manager } from "../../../src/runtime/index.ts";
import { type Random, seededRandom } from "../../../src/util/clock.ts";
import { World } from "../../runtime/world.ts";
import { type Seen, WAITING, look, troublesOf } from "./judge.ts";

const ROUNDS = 8;
const MOST_ACTIONS = 10;
const NAMES = 5;
const CLASSES = ["", "a", WAITING];
const MODES = [
  ["ReadWriteOnce"],
  ["ReadOnlyMany"],
  ["ReadWriteOnce", "ReadOnlyMany"],
  ["ReadWriteOnce", "ReadWriteMany"],
];
/** Longer than any wait of a controller between two tries. */
const LONG = "30m";

/** Chance in the words of a schedule. */
class Draw {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  below(most: number): number {
    return Math.floor(this.#random.next() * most);
  }

  chance(share: number): boolean {
    return this.#random.next() < share;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }

  name(kind: string): string {
    return `${kind}-${this.below(NAMES)}`;
  }
}

const at = (name: string) => ({ name, namespace: "default" });
type Action = (client: Client, draw: Draw, freed: Set<string>) => Promise<unknown>;

const makeClaim: Action = (client, draw) => {
  const className = draw.pick([...CLASSES, undefined]);
  return client.resource(PersistentVolumeClaim).create({
    metadata: at(draw.name("claim")),
    spec: {
      accessModes: draw.chance(0.3) ? draw.pick(MODES) : ["ReadWriteOnce"],
      resources: { requests: { storage: `${1 + draw.below(4)}Gi` } },
      ...(className === undefined ? {} : { storageClassName: className }),
      ...(draw.chance(0.2) ? { selector: { matchLabels: { tier: "gold" } } } : {}),
      ...(draw.chance(0.15) ? { volumeName: draw.name("volume") } : {}),
    },
  } as never);
};

const makeVolume: Action = (client, draw) => {
  const name = draw.name("volume");
  const [policy, source] = draw.pick([
    ["Retain", { csi: { driver: "d.example.com", volumeHandle: name } }],
    ["Delete", { csi: { driver: "d.example.com", volumeHandle: name } }],
    ["Delete", { hostPath: { path: `/tmp/${name}` } }],
    ["Delete", { hostPath: { path: `/data/${name}` } }],
  ] as const);
  return client.resource(PersistentVolume).create({
    metadata: { name, labels: draw.chance(0.4) ? { tier: "gold" } : {} },
    spec: {
      capacity: { storage: `${1 + draw.below(5)}Gi` },
      accessModes: draw.pick(MODES),
      storageClassName: draw.pick(CLASSES),
      persistentVolumeReclaimPolicy: policy,
      ...source,
      ...(draw.chance(0.15) ? { claimRef: at(draw.name("claim")) } : {}),
    },
  } as never);
};

/** What a provisioner does for a claim that is handed to it. */
const provision: Action = async (client, draw) => {
  const claim = await client.resource(PersistentVolumeClaim).get(at(draw.name("claim")));
  const provisioner = claim.metadata.annotations?.["volume.kubernetes.io/storage-provisioner"];
  if (provisioner === undefined || claim.spec.volumeName) return;
  await client.resource(PersistentVolume).create({
    metadata: {
      name: `pvc-${claim.metadata.uid}`,
      annotations: { "pv.kubernetes.io/provisioned-by": provisioner },
    },
    spec: {
      capacity: { storage: claim.spec.resources!.requests!["storage"] },
      accessModes: claim.spec.accessModes,
      storageClassName: claim.spec.storageClassName,
      persistentVolumeReclaimPolicy: "Delete",
      csi: { driver: provisioner, volumeHandle: claim.metadata.uid },
      claimRef: { ...at(claim.metadata.name), uid: claim.metadata.uid },
    },
  } as never);
};

const makePod: Action = (client, draw) =>
  client.resource(Pod).create({
    metadata: at(draw.name("pod")),
    spec: {
      ...(draw.chance(0.8) ? { nodeName: "node" } : {}),
      terminationGracePeriodSeconds: 0,
      containers: [{ name: "c", image: "i" }],
      volumes: [{ name: "v", persistentVolumeClaim: { claimName: draw.name("claim") } }],
    },
  } as never);

const ACTIONS: readonly (readonly [number, Action])[] = [
  [6, makeClaim],
  [6, makeVolume],
  [3, provision],
  [3, makePod],
  [3, (client, draw) => client.resource(PersistentVolumeClaim).delete(at(draw.name("claim")))],
  [2, (client, draw) => client.resource(PersistentVolume).delete({ name: draw.name("volume") })],
  [3, (client, draw) => client.resource(Pod).delete(at(draw.name("pod")))],
  [1, (client, draw) => client.resource(StorageClass).delete({ name: draw.pick(["a", WAITING]) })],
  [
    2,
    (client, draw) => {
      const [name, volumeBindingMode] = draw.pick([
        ["a", "Immediate"],
        [WAITING, "WaitForFirstConsumer"],
      ]);
      const annotations = { "storageclass.kubernetes.io/is-default-class": String(draw.chance(0.3)) };
      const storageClass = { metadata: { name, annotations }, provisioner: "p.example.com", volumeBindingMode };
      return client.resource(StorageClass).create(storageClass as never);
    },
  ],
  [
    2,
    (client, draw) => {
      const labels = { tier: draw.pick(["gold", null]) };
      return client.resource(PersistentVolume).patch({ name: draw.name("volume") }, { metadata: { labels } });
    },
  ],
  [
    1,
    async (client, draw, freed) => {
      // Only an administrator frees a volume, and only one that was released.
      const volume = await client.resource(PersistentVolume).get({ name: draw.name("volume") });
      if (volume.status.phase !== "Released") return;
      const { uid, resourceVersion } = volume.metadata;
      freed.add(uid);
      await client
        .resource(PersistentVolume)
        .patch({ name: volume.metadata.name }, { metadata: { uid, resourceVersion }, spec: { claimRef: null } });
    },
  ],
];
const WEIGHED = ACTIONS.flatMap(([weight, action]) => Array<Action>(weight).fill(action));

/** What is not there, is there already or has changed meanwhile is part of the game. */
const EXPECTED = ["NotFound", "AlreadyExists", "Conflict", "Invalid", "Forbidden"] as const;

/** Plays what a seed says; what must not be, a line each. */
export async function playSchedule(seed: number): Promise<readonly string[]> {
  await using world = await World.create();
  const draw = new Draw(seededRandom(seed));
  const { client } = world;
  let running: Manager[] = [];
  let started = seed * 1000;
  const begin = async (): Promise<void> => {
    const controllers = [volumeBinder(kubernetes), claimProtection(kubernetes), volumeProtection(kubernetes)];
    const manager = world.manager({ countedEvents: true, seed: ++started }).add(...controllers);
    running.push(manager);
    await manager.start();
  };
  const end = async (): Promise<void> => {
    const manager = running.shift();
    await manager?.stop({ grace: 0 });
  };
  await begin();
  let before: Seen | undefined;
  for (let round = 0; round < ROUNDS; round++) {
    const underWay: Promise<unknown>[] = [];
    const freed = new Set<string>();
    for (let left = 1 + draw.below(MOST_ACTIONS); left > 0; left--) {
      if (draw.chance(0.1)) await end();
      if (draw.chance(0.1) && running.length < 2) await begin();
      const action = attempt(draw.pick(WEIGHED)(client, draw, freed), ...EXPECTED);
      if (draw.chance(0.5)) await action;
      else underWay.push(action);
    }
    await Promise.all(underWay);
    if (running.length === 0) await begin();
    await world.advance(LONG);
    const seen = await look(client, freed);
    const troubles = troublesOf(seen, before);
    if (troubles.length > 0) {
      for (const manager of running) await manager.stop({ grace: 0 });
      running = [];
      return troubles.map((trouble) => `schedule ${seed}, round ${round}: ${trouble}`);
    }
    before = seen;
  }
  return world.warnings.map((warning) => `schedule ${seed}: ${warning}`);
}
