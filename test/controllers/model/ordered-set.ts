/**
 * A StatefulSet under random histories, against what must never be so: each write of the controller is judged before it is done.
 *
 * @module
 */
import { ControllerRevision, PersistentVolumeClaim, Pod, StatefulSet } from "../../../src/client/kinds/index.ts";
import { type SeededRandom, seededRandom } from "../../../src/util/clock.ts";
import { shareOf } from "../../../src/workloads/common/share.ts";
import { ordinalOf } from "../../../src/workloads/statefulset/names.ts";
import { planStatefulSet } from "../../../src/workloads/statefulset/plan.ts";
import { Killed, type SeenWrite, TinyStore } from "./tiny-store.ts";

const NAME = "t";

type Spec = Readonly<Record<string, unknown>>;

const template = (version: number): object => ({
  metadata: { labels: { app: "a", v: String(version) } },
  spec: { containers: [{ name: "c", image: `i${version}` }] },
});

const BASE: Spec = {
  serviceName: "s",
  selector: { matchLabels: { app: "a" } },
  template: template(0),
  replicas: 3,
  podManagementPolicy: "OrderedReady",
  updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0, maxUnavailable: 1 } },
  revisionHistoryLimit: 2,
  persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain", whenScaled: "Retain" },
};

/** A StatefulSet in a tiny store. */
export class OrderedSet {
  readonly store: TinyStore;
  /** What was wrong. */
  readonly faults: string[] = [];

  constructor(spec: Spec = {}) {
    this.store = new TinyStore((write) => this.#judge(write));
    this.store.put(StatefulSet, {
      metadata: { name: NAME },
      spec: { ...BASE, ...spec },
      status: { replicas: 0, availableReplicas: 0 },
    });
  }

  get set(): StatefulSet {
    return this.store.get(StatefulSet, NAME)!;
  }

  change(spec: Spec): void {
    this.store.set(StatefulSet, NAME, (set) => {
      const generation = (set.metadata.generation ?? 0) + 1;
      return { ...set, metadata: { ...set.metadata, generation }, spec: { ...set.spec, ...spec } } as StatefulSet;
    });
  }

  /** One sync, or a part of it where the controller is killed; returns whether it was. */
  async sync(): Promise<boolean> {
    const { store } = this;
    const plan = planStatefulSet({
      set: this.set,
      pods: store.candidates(Pod, this.set),
      revisions: store.candidates(ControllerRevision, this.set),
      revisionNamed: (name) => store.get(ControllerRevision, name),
      claimNamed: (name) => store.get(PersistentVolumeClaim, name),
      now: store.now,
    });
    try {
      await store.perform(plan);
      return false;
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
      store.writesLeft = Infinity;
      return true;
    }
  }

  /** Lets nodes and controller work until nothing more happens. */
  async settle(): Promise<void> {
    // Time alone may change something once.
    for (let turn = 0, quiet = 0; turn < 300; turn++) {
      const { writes } = this.store;
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const isKilled = await this.sync();
      const isStill = this.store.writes === writes && !isKilled;
      quiet = !this.#heal() && isStill ? quiet + 1 : 0;
      if (quiet === 2) return;
    }
    this.faults.push("it does not come to rest");
  }

  /** Ends Pods that are going, and makes others ready; returns whether there were any. */
  #heal(): boolean {
    let isChanged = false;
    this.store.now += 60_000;
    for (const { metadata, spec, status } of this.store.list(Pod)) {
      // Of several finished Pods that are excess, the lower ones block the higher ones: a client has to delete them.
      const isOver = status.phase === "Failed" || status.phase === "Succeeded";
      if (metadata.deletionTimestamp || isOver) this.store.remove(Pod, metadata.name, true);
      else if (status.phase === "Pending" || status.conditions?.[0]?.status === "False") {
        if (!spec.nodeName) this.store.bind(metadata.name, "n");
        this.store.ready(metadata.name, true);
      } else continue;
      isChanged = true;
    }
    return isChanged;
  }

  /** The end of a history, without uids and times. */
  end(): object {
    const { store } = this;
    return {
      pods: store.lines(Pod, ({ metadata: { name, labels } }: Pod) => [name, labels]),
      revisions: store.lines(ControllerRevision, ({ metadata: { name }, revision }: ControllerRevision) => [
        name,
        revision,
      ]),
      claims: store.lines(PersistentVolumeClaim, ({ metadata }: PersistentVolumeClaim) => [
        metadata.name,
        metadata.ownerReferences?.map(({ kind, name }) => [kind, name]),
      ]),
      status: this.set.status,
    };
  }

  #isSettled(pod: Pod | undefined): boolean {
    if (!pod || pod.metadata.deletionTimestamp || pod.status.phase !== "Running") return false;
    const ready = pod.status.conditions?.find(({ type, status }) => type === "Ready" && status === "True");
    const { minReadySeconds = 0 } = this.set.spec;
    return ready !== undefined && Date.parse(ready.lastTransitionTime!) + minReadySeconds * 1000 <= this.store.now;
  }

  #wanted(): (Pod | undefined)[] {
    const { spec } = this.set;
    const first = spec.ordinals?.start ?? 0;
    return Array.from({ length: spec.replicas ?? 1 }, (_, i) => this.store.get(Pod, `${NAME}-${first + i}`));
  }

  #judge({ verb, kind, object }: SeenWrite): void {
    if (kind !== "Pod") return;
    const { spec } = this.set;
    const first = spec.ordinals?.start ?? 0;
    const ordinal = ordinalOf(this.set, object)!;
    const index = ordinal - first;
    const isWanted = index >= 0 && index < (spec.replicas ?? 1);
    const wanted = this.#wanted();
    const isOrdered = spec.podManagementPolicy === "OrderedReady";
    const { partition = 0, maxUnavailable = 1 } = spec.updateStrategy.rollingUpdate ?? {};
    if (verb === "create") {
      if (!isWanted) this.faults.push(`${ordinal} was made, which nobody wants`);
      if (isOrdered && !wanted.slice(0, index).every((pod) => this.#isSettled(pod))) {
        this.faults.push(`${ordinal} was made before the ones below were ready`);
      }
      const isOld = object.metadata.labels?.["controller-revision-hash"] !== this.#updateRevision();
      if (index >= partition && isOld) this.faults.push(`${ordinal} was made of an old revision above the partition`);
      return;
    }
    if (verb !== "delete") return;
    const pod = object as Pod;
    if (!isWanted) {
      if (!isOrdered) return;
      const others = this.store.list(Pod).filter((one) => one.metadata.name !== pod.metadata.name);
      const higher = others.filter((one) => {
        const at = ordinalOf(this.set, one)!;
        return at > ordinal && (at >= first + (spec.replicas ?? 1) || at < first);
      });
      if (higher.some((one) => this.#isSettled(one))) this.faults.push(`${ordinal} went before a higher one`);
      if (!wanted.every((one) => this.#isSettled(one)))
        this.faults.push(`${ordinal} went while wanted ones were not ready`);
      return;
    }
    const claims = this.store.list(PersistentVolumeClaim);
    if (claims.some(({ metadata }) => metadata.ownerReferences?.some(({ uid }) => uid === pod.metadata.uid))) {
      this.faults.push(`${ordinal} went and takes its claim along, though it is wanted`);
    }
    if (pod.status.phase === "Failed" || pod.status.phase === "Succeeded") return;
    if (index < partition) this.faults.push(`${ordinal} went below the partition ${partition}`);
    if (spec.updateStrategy.type === "OnDelete") this.faults.push(`${ordinal} went, though OnDelete`);
    const most = Math.max(1, shareOf(maxUnavailable, wanted.length, "down"));
    const missing = wanted.filter((one) => !this.#isSettled(one)).length;
    if (missing >= most) this.faults.push(`${ordinal} went while ${missing} of at most ${most} were unavailable`);
  }

  /** The revision with the highest number: it is written before any Pod of it. */
  #updateRevision(): string | undefined {
    return this.store.list(ControllerRevision).toSorted((a, b) => b.revision - a.revision)[0]?.metadata.name;
  }
}

const pick = <T>(random: SeededRandom, all: readonly T[]): T | undefined => all[Math.floor(random.next() * all.length)];

/** Plays a random history, kills included; returns what was wrong. */
export async function playOrderedSet(seed: number): Promise<string[]> {
  const random = seededRandom(seed);
  const any = (most: number): number => Math.floor(random.next() * most);
  const model = new OrderedSet({
    podManagementPolicy: any(2) === 0 ? "OrderedReady" : "Parallel",
    minReadySeconds: any(2) * 30,
    ordinals: { start: any(2) * 5 },
    volumeClaimTemplates: any(2) === 0 ? [] : [{ metadata: { name: "data" }, spec: {} }],
  });
  const { store } = model;
  const actions: readonly (() => void)[] = [
    () => model.change({ replicas: any(6) }),
    () => model.change({ template: template(any(4)) }),
    () => {
      const rollingUpdate = { partition: any(3), maxUnavailable: pick(random, [1, 2, "40%", "10%"]) };
      model.change({ updateStrategy: any(5) === 0 ? { type: "OnDelete" } : { type: "RollingUpdate", rollingUpdate } });
    },
    () => model.change({ ordinals: { start: any(3) } }),
    () => {
      const policy = (): string => pick(random, ["Retain", "Delete"])!;
      model.change({ persistentVolumeClaimRetentionPolicy: { whenDeleted: policy(), whenScaled: policy() } });
    },
    () => void (store.writesLeft = any(4)),
    () => void (store.now += 31_000),
    ...Array.from({ length: 8 }, () => () => {
      const pod = pick(random, store.list(Pod));
      if (!pod) return;
      const { name, deletionTimestamp } = pod.metadata;
      if (deletionTimestamp) return store.remove(Pod, name, true);
      if (!pod.spec.nodeName && any(2) === 0) return store.bind(name, "n");
      const chance = any(12);
      if (chance === 0) store.phase(name, pick(random, ["Failed", "Succeeded"])!);
      else if (chance === 1) store.remove(Pod, name);
      else store.ready(name, chance > 3);
    }),
  ];
  for (let step = 0; step < 60; step++) {
    pick(random, actions)!();
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await model.sync();
  }
  store.writesLeft = Infinity;
  await model.settle();
  const names = store.list(Pod).map(({ metadata }) => metadata.name);
  const { replicas = 0, ordinals } = model.set.spec;
  const expected = Array.from({ length: replicas }, (_, i) => `${NAME}-${(ordinals?.start ?? 0) + i}`);
  if (names.toSorted().join(" ") !== expected.toSorted().join(" "))
    model.faults.push(`in the end there are ${names.join(", ")}`);
  const { readyReplicas = 0, observedGeneration } = model.set.status;
  if (readyReplicas !== replicas || observedGeneration !== model.set.metadata.generation)
    model.faults.push("the status is wrong");
  return model.faults.map((fault) => `seed ${seed}: ${fault}`);
}

/** The result of a StatefulSet in a fixed story, in which the controller is killed after a number of writes. */
export async function killOrderedSet(
  policy: string,
  killedAfter: number,
): Promise<{ end: object; writes: number; faults: string[] }> {
  const model = new OrderedSet({
    podManagementPolicy: policy,
    volumeClaimTemplates: [{ metadata: { name: "data" }, spec: {} }],
    persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete", whenScaled: "Delete" },
  });
  model.store.writesLeft = killedAfter;
  const partly = { type: "RollingUpdate", rollingUpdate: { partition: 2, maxUnavailable: 2 } };
  const wholly = { type: "RollingUpdate", rollingUpdate: { partition: 0, maxUnavailable: 2 } };
  const story: readonly Spec[] = [
    {},
    { template: template(1), updateStrategy: partly },
    { updateStrategy: wholly },
    { replicas: 5 },
    { template: template(0) },
    { template: template(2) },
    { template: template(3), replicas: 2 },
    { ordinals: { start: 1 } },
  ];
  for (const change of story) {
    model.change(change);
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await model.settle();
  }
  return { end: model.end(), writes: model.store.writes, faults: model.faults };
}
