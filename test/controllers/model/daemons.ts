/**
 * A DaemonSet under random histories, against what must never be so: each write of the controller is judged before it is done.
 *
 * @module
 */
import { ControllerRevision, DaemonSet, Node, Pod } from "../../../src/client/kinds/index.ts";
import { type SeededRandom, seededRandom } from "../../../src/util/clock.ts";
import { shareOf } from "../../../src/workloads/common/share.ts";
import { FailureMemory } from "../../../src/workloads/daemonset/backoff.ts";
import { fitOf } from "../../../src/workloads/daemonset/fit.ts";
import { targetOf } from "../../../src/workloads/daemonset/pod.ts";
import { planDaemonSet } from "../../../src/workloads/daemonset/plan.ts";
import { Killed, type SeenWrite, TinyStore } from "./tiny-store.ts";

const NAME = "t";
const NODES = ["a", "b", "c", "d", "e"];

type Spec = Readonly<Record<string, unknown>>;

const template = (version: number): object => ({
  metadata: { labels: { app: "a", v: String(version) } },
  spec: { nodeSelector: { on: "y" }, containers: [{ name: "c", image: `i${version}` }] },
});

const rolling = (maxUnavailable: number | string, maxSurge: number | string): Spec => ({
  updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable, maxSurge } },
});

const BASE: Spec = {
  selector: { matchLabels: { app: "a" } },
  template: template(0),
  revisionHistoryLimit: 2,
  ...rolling(1, 0),
};

/** A DaemonSet in a tiny store. */
export class Daemons {
  readonly store: TinyStore;
  /** What was wrong. */
  readonly faults: string[] = [];
  #memory = new FailureMemory();

  constructor(spec: Spec = {}) {
    this.store = new TinyStore((write) => this.#judge(write));
    const status = { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 };
    this.store.put(DaemonSet, { metadata: { name: NAME }, spec: { ...BASE, ...spec }, status });
    for (const name of NODES) this.store.put(Node, { metadata: { name, labels: { on: "y" } }, spec: {} });
  }

  get set(): DaemonSet {
    return this.store.get(DaemonSet, NAME)!;
  }

  change(spec: Spec): void {
    this.store.set(DaemonSet, NAME, (set) => {
      const generation = (set.metadata.generation ?? 0) + 1;
      return { ...set, metadata: { ...set.metadata, generation }, spec: { ...set.spec, ...spec } } as DaemonSet;
    });
  }

  changeNode(name: string, labels: object, taints: readonly object[]): void {
    this.store.set(
      Node,
      name,
      (node) => ({ ...node, metadata: { ...node.metadata, labels }, spec: { taints } }) as Node,
    );
  }

  /** One sync, or a part of it where the controller is killed; returns whether it was. */
  async sync(): Promise<boolean> {
    const { store } = this;
    const { failedOn, ...plan } = planDaemonSet({
      set: this.set,
      nodes: store.list(Node),
      pods: store.candidates(Pod, this.set),
      revisions: store.candidates(ControllerRevision, this.set),
      revisionNamed: (name) => store.get(ControllerRevision, name),
      waitOf: (node) => this.#memory.wait(node, store.now),
      now: store.now,
    });
    for (const node of failedOn) this.#memory.add(node, store.now);
    try {
      await store.perform(plan);
      return false;
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
      store.writesLeft = Infinity;
      // What was in memory is lost.
      this.#memory = new FailureMemory();
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

  /** Ends Pods that are going, binds others and makes them ready; returns whether there were any. */
  #heal(): boolean {
    let isChanged = false;
    this.store.now += 20 * 60_000;
    for (const pod of this.store.list(Pod)) {
      const { metadata, spec, status } = pod;
      if (metadata.deletionTimestamp) this.store.remove(Pod, metadata.name, true);
      else if (status.phase === "Pending" || status.conditions?.[0]?.status === "False") {
        if (!spec.nodeName) this.store.bind(metadata.name, targetOf(pod)!);
        this.store.ready(metadata.name, true);
      } else continue;
      isChanged = true;
    }
    return isChanged;
  }

  /** The end of a history, without uids, random names and times. */
  end(): object {
    const { store } = this;
    return {
      pods: store.lines(Pod, ({ metadata: { labels }, spec }: Pod) => [spec.nodeName, labels]),
      revisions: store.lines(ControllerRevision, ({ metadata: { name }, revision }: ControllerRevision) => [
        name,
        revision,
      ]),
      status: this.set.status,
    };
  }

  #isAvailable(pod: Pod): boolean {
    if (pod.metadata.deletionTimestamp) return false;
    const ready = pod.status.conditions?.find(({ type, status }) => type === "Ready" && status === "True");
    const { minReadySeconds = 0 } = this.set.spec;
    return ready !== undefined && Date.parse(ready.lastTransitionTime!) + minReadySeconds * 1000 <= this.store.now;
  }

  /** The Pods on a node that are not over. */
  #on(node: string): readonly Pod[] {
    return this.store
      .list(Pod)
      .filter((pod) => targetOf(pod) === node && !(isOver(pod) && pod.metadata.deletionTimestamp));
  }

  #judge({ verb, kind, object }: SeenWrite): void {
    if (kind !== "Pod" || verb === "update") return;
    const pod = object as Pod;
    const target = targetOf(pod)!;
    const fit = fitOf(this.set.spec.template);
    const desired = this.store.list(Node).filter((node) => fit(node) === "runs");
    const { type, rollingUpdate = {} } = this.set.spec.updateStrategy;
    const isRolling = type === "RollingUpdate";
    const surge = isRolling ? shareOf(rollingUpdate.maxSurge ?? 0, desired.length, "up") : 0;
    if (verb === "create") {
      if (!desired.some(({ metadata }) => metadata.name === target))
        this.faults.push(`a Pod was made on ${target}, which does not fit`);
      const staying = this.#on(target).filter(({ metadata }) => !metadata.deletionTimestamp);
      if (surge === 0 && this.#on(target).length > 0) this.faults.push(`a second Pod was made on ${target}`);
      if (staying.length > 1) this.faults.push(`a third Pod was made on ${target}`);
      const [old] = staying;
      if (old && this.#isAvailable(old) && this.#surging() >= surge)
        this.faults.push(`more than ${surge} nodes have two Pods`);
      return;
    }
    const isPlaced = desired.some(({ metadata }) => metadata.name === target);
    if (!isPlaced || !this.#isAvailable(pod) || isOver(pod)) return;
    const others = this.#on(target).filter((one) => one.metadata.uid !== pod.metadata.uid);
    const isSpare = others.some((one) => !one.metadata.deletionTimestamp);
    if (isSpare && (surge === 0 || others.some((one) => this.#isAvailable(one)))) return;
    if (!isRolling) return void this.faults.push(`the Pod on ${target} went, though OnDelete`);
    if (surge > 0) return void this.faults.push(`an available Pod on ${target} went before another was available`);
    const most = Math.max(1, shareOf(rollingUpdate.maxUnavailable ?? 1, desired.length, "up"));
    const missing = desired.filter(
      ({ metadata }) => !this.#on(metadata.name).some((one) => this.#isAvailable(one)),
    ).length;
    if (missing >= most)
      this.faults.push(`the Pod on ${target} went while ${missing} of at most ${most} were unavailable`);
  }

  /** The number of nodes that have a Pod beside an available one. */
  #surging(): number {
    return NODES.filter((name) => {
      const staying = this.#on(name).filter(({ metadata }) => !metadata.deletionTimestamp);
      return staying.length > 1 && staying.some((one) => this.#isAvailable(one));
    }).length;
  }
}

const isOver = ({ status }: Pod): boolean => status.phase === "Failed" || status.phase === "Succeeded";

const pick = <T>(random: SeededRandom, all: readonly T[]): T | undefined => all[Math.floor(random.next() * all.length)];

/** Plays a random history, kills included; returns what was wrong. */
export async function playDaemons(seed: number): Promise<string[]> {
  const random = seededRandom(seed);
  const any = (most: number): number => Math.floor(random.next() * most);
  const model = new Daemons({ minReadySeconds: any(2) * 30 });
  const { store } = model;
  const actions: readonly (() => void)[] = [
    () => model.change({ template: template(any(4)) }),
    () => {
      const strategies = [rolling(1, 0), rolling(2, 0), rolling("30%", 0), rolling(0, 1), rolling(0, "40%")];
      model.change(any(6) === 0 ? { updateStrategy: { type: "OnDelete" } } : pick(random, strategies)!);
    },
    () => {
      const effect = pick(random, ["NoSchedule", "NoExecute"])!;
      const taints = any(4) === 0 ? [{ key: "k", effect }] : [];
      model.changeNode(pick(random, NODES)!, any(5) === 0 ? {} : { on: "y" }, taints);
    },
    () => void (store.writesLeft = any(4)),
    () => void (store.now += 31_000),
    ...Array.from({ length: 10 }, () => () => {
      const pod = pick(random, store.list(Pod));
      if (!pod) return;
      const { name, deletionTimestamp } = pod.metadata;
      if (deletionTimestamp) return store.remove(Pod, name, true);
      if (!pod.spec.nodeName && any(2) === 0) return store.bind(name, targetOf(pod)!);
      const chance = any(14);
      if (chance === 0 && pod.spec.nodeName) {
        store.ready(name, false);
        store.phase(name, pick(random, ["Failed", "Succeeded"])!);
      } else if (chance === 1) store.remove(Pod, name);
      else if (pod.spec.nodeName && !isOver(pod)) store.ready(name, chance > 3);
    }),
  ];
  for (let step = 0; step < 80; step++) {
    pick(random, actions)!();
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await model.sync();
  }
  store.writesLeft = Infinity;
  await model.settle();
  const fit = fitOf(model.set.spec.template);
  for (const node of store.list(Node)) {
    const { name } = node.metadata;
    const count = store.list(Pod).filter((pod) => targetOf(pod) === name).length;
    const found = fit(node);
    if (found === "runs" ? count !== 1 : found === "none" && count > 0)
      model.faults.push(`in the end ${name} has ${count}`);
  }
  const { status, metadata } = model.set;
  const desired = store.list(Node).filter((node) => fit(node) === "runs").length;
  if (status.numberReady !== desired || status.desiredNumberScheduled !== desired)
    model.faults.push("the status is wrong");
  if (status.observedGeneration !== metadata.generation) model.faults.push("the status is old");
  return model.faults.map((fault) => `seed ${seed}: ${fault}`);
}

/** The result of a DaemonSet in a fixed story, in which the controller is killed after a number of writes. */
export async function killDaemons(
  maxSurge: number,
  killedAfter: number,
): Promise<{ end: object; writes: number; faults: string[] }> {
  const model = new Daemons(rolling(maxSurge === 0 ? 2 : 0, maxSurge));
  model.store.writesLeft = killedAfter;
  const story: readonly (() => void)[] = [
    () => {},
    () => model.change({ template: template(1) }),
    () => model.changeNode("b", {}, []),
    () => model.change({ template: template(0) }),
    () => model.changeNode("b", { on: "y" }, []),
    () => model.change({ template: template(2) }),
    () => model.change({ template: template(3) }),
  ];
  for (const change of story) {
    change();
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await model.settle();
  }
  return { end: model.end(), writes: model.store.writes, faults: model.faults };
}
