/**
 * The state of an agent: the Pods of its node, its Node, which attached volumes are in use, and the queues of its
 * controllers.
 *
 * Keys are the UIDs of Pods, `UID/NAME` for their volumes, and `node`, `csinode` and `lease`.
 *
 * @module
 */
import { sharedInformer } from "../runtime/index.ts";
import type { HeldInformer, Manager, ObjectEvent } from "../runtime/index.ts";
import { Node, Pod } from "../client/kinds/index.ts";
import { type FoundVolume, type NeededVolume, VolumeError, type VolumePlugin } from "./contract.ts";
import { foundPods, foundVolumes } from "./found.ts";
import { directoryOfKind } from "./paths.ts";
import { PodRecord } from "./record.ts";

/** The queues of work. */
export type Line = "pods" | "volumes" | "node" | "usage";

/** The informers of the agent of a node: what its node may read (RBAC-38). */
export const agentSpecs = (node: string) => ({
  pods: sharedInformer(Pod, {
    fieldSelector: `spec.nodeName=${node}`,
    indexes: { uid: ({ metadata }: Pod) => metadata.uid },
  }),
  node: sharedInformer(Node, { fieldSelector: `metadata.name=${node}` }),
});

/** See the head of this file. */
export class AgentMemory implements Disposable {
  readonly node: string;
  readonly root: string;
  readonly specs: ReturnType<typeof agentSpecs>;
  /** Undefined until the plugins are opened, when the Node exists. */
  opened: readonly VolumePlugin[] | undefined;
  readonly #registered = Promise.withResolvers<void>();
  readonly #pods: HeldInformer<Pod, "Namespaced", "uid">;
  readonly #node: HeldInformer<Node, "Cluster", never>;
  readonly #records = new Map<string, PodRecord>();
  readonly #lines = new Map<Line, (key: string) => void>();
  /** Keys that were added before their queue had begun. */
  readonly #early = new Map<Line, Set<string>>();
  /** Entries of `status.volumesInUse`, and the Pods that need them. */
  readonly #inUse = new Map<string, Set<string>>();
  /** The Pods that have a volume of a claim, by the kind and name of its directory (NODE-67). */
  readonly #holders = new Map<string, Set<string>>();
  readonly #disposables = new DisposableStack();

  constructor(node: string, root: string, manager: Manager) {
    this.node = node;
    this.root = root;
    this.specs = agentSpecs(node);
    this.#pods = this.#disposables.use(manager.informer(this.specs.pods));
    this.#node = this.#disposables.use(manager.informer(this.specs.node));
  }

  [Symbol.dispose](): void {
    this.#disposables.dispose();
  }

  /** Observes the Node, after its first list. */
  beginNode(): void {
    this.add("node", "node");
    this.#disposables.use(this.#node.on((event) => this.#nodeChanged(event)));
  }

  /** Resolves when the Node and its CSINode exist. */
  get registered(): Promise<void> {
    return this.#registered.promise;
  }

  /** Notes that the Node and its CSINode exist. */
  setRegistered(): void {
    this.#registered.resolve();
  }

  get plugins(): readonly VolumePlugin[] {
    return this.opened ?? [];
  }

  /** Observes Pods, after their first list. Volumes on disk are reconciled, too (NODE-72). */
  async beginPods(): Promise<void> {
    for (const uid of await foundPods(this.root)) {
      for (const found of await foundVolumes(this.root, uid)) this.#holdersOf(found).add(uid);
      this.add("pods", uid);
    }
    this.add("node", "node");
    this.#disposables.use(this.#pods.on((event) => this.#podChanged(event)));
  }

  /** Connects a queue, which gets earlier keys at once. */
  take(line: Line, add: (key: string) => void): Disposable {
    this.#lines.set(line, add);
    for (const key of this.#early.get(line) ?? []) add(key);
    this.#early.delete(line);
    return { [Symbol.dispose]: () => void this.#lines.delete(line) };
  }

  /** Adds a key to a queue. */
  add(line: Line, key: string): void {
    const add = this.#lines.get(line);
    if (add) return add(key);
    const early = this.#early.get(line) ?? new Set();
    this.#early.set(line, early.add(key));
  }

  /** The Node of the agent from the informer. */
  get own(): Node | undefined {
    return this.#node.get({ name: this.node });
  }

  /** The Pods of the node from the informer. */
  pods(): readonly Pod[] {
    return this.#pods.list();
  }

  /** The record of a Pod, with its current object. */
  record(uid: string): PodRecord {
    let record = this.#records.get(uid);
    if (!record) this.#records.set(uid, (record = new PodRecord(uid)));
    const [pod] = this.#pods.by("uid", uid);
    if (pod) record.pod = pod;
    record.isGone = pod === undefined;
    return record;
  }

  get records(): ReadonlyMap<string, PodRecord> {
    return this.#records;
  }

  /** Reconciles the volumes of a Pod. */
  lookAt(uid: string): void {
    const record = this.#records.get(uid);
    if (!record || record.isEnding) return;
    for (const name of record.uses.keys()) this.add("volumes", `${uid}/${name}`);
  }

  /** The plugin for a volume. @throws VolumeError where there is none */
  pluginFor(needed: NeededVolume): VolumePlugin {
    const plugin = this.plugins.find((one) => one.makes(needed));
    if (plugin) return plugin;
    const sources = sourcesIn(needed.persistent?.volume.spec ?? needed.volume);
    throw new VolumeError(`this node has no volume plugin for ${sources.join(", ") || "an unknown source"}`);
  }

  /** The plugin for a volume on disk; undefined where its kind is unknown. */
  pluginOf({ kind }: Pick<FoundVolume, "kind">): VolumePlugin | undefined {
    return this.plugins.find((one) =>
      [one.kind, ...(one.kinds ?? [])].some((known) => directoryOfKind(known) === kind),
    );
  }

  /** Another Pod of the node that has the same volume of a claim, also a part of it on disk. */
  otherHolder(volume: Pick<FoundVolume, "kind" | "name">, uid: string): string | undefined {
    return [...(this.#holders.get(holderKey(volume)) ?? [])].find((one) => one !== uid);
  }

  /** Notes that a Pod has a volume of a claim. */
  hold(volume: Pick<FoundVolume, "kind" | "name">, uid: string): void {
    this.#holdersOf(volume).add(uid);
  }

  /** How many volumes of claims the Pods of the node have. */
  get claimsHeld(): number {
    return this.#holders.size;
  }

  /** Notes that a Pod needs an attached volume, whose entry has to be stored first (NODE-11). */
  use(entry: string, uid: string): void {
    const users = this.#inUse.get(entry) ?? new Set();
    this.#inUse.set(entry, users);
    if (users.has(uid)) return;
    users.add(uid);
    this.add("node", "node");
  }

  /** The entries that Pods need. */
  get inUse(): readonly string[] {
    return [...this.#inUse.keys()];
  }

  /** Whether the stored Node has an entry in `volumesInUse`. */
  isInUse(entry: string): boolean {
    return this.own?.status.volumesInUse?.includes(entry) === true;
  }

  /** Whether the stored Node has an entry in `volumesAttached`. */
  isAttached(entry: string): boolean {
    return this.own?.status.volumesAttached?.some(({ name }) => name === entry) === true;
  }

  /** Forgets a Pod whose volumes were torn down. */
  drop(uid: string, volumes: readonly FoundVolume[]): void {
    this.#records.delete(uid);
    const isFreed = release(this.#inUse, uid);
    // Entries of an earlier agent come from the disk alone.
    if (isFreed || volumes.some((volume) => "inUse" in (this.pluginOf(volume) ?? {}))) this.add("node", "node");
    // Pods may wait for a volume that one Pod may have at a time.
    if (release(this.#holders, uid)) for (const other of this.#records.keys()) this.#reconcileWaiting(other);
    for (const plugin of this.plugins) plugin.forget?.(uid);
  }

  #reconcileWaiting(uid: string): void {
    for (const [name, { made }] of this.#records.get(uid)?.volumes ?? [])
      if (!made) this.add("volumes", `${uid}/${name}`);
  }

  #holdersOf(volume: Pick<FoundVolume, "kind" | "name">): Set<string> {
    const key = holderKey(volume);
    const holders = this.#holders.get(key) ?? new Set();
    this.#holders.set(key, holders);
    return holders;
  }

  #podChanged(event: ObjectEvent<Pod>): void {
    const { object } = event;
    const { uid } = object.metadata;
    this.add("pods", uid);
    if (event.type !== "changed") return;
    if (event.old.metadata.uid !== uid) this.add("pods", event.old.metadata.uid);
    const record = this.#records.get(uid);
    if (record) record.pod = object;
    // Volumes may have the labels and annotations of the Pod, and containers were added.
    if (volumeInputs(event.old) !== volumeInputs(object)) this.lookAt(uid);
  }

  #nodeChanged(event: ObjectEvent<Node>): void {
    this.add("node", "node");
    // A new Node needs its CSINode and its Lease again.
    if (event.type === "added") for (const key of ["csinode", "lease"]) this.add("node", key);
    if (event.type === "changed" && attachments(event.old) === attachments(event.object)) return;
    for (const [uid, record] of this.#records) if (!record.isEnding) this.#reconcileWaiting(uid);
  }
}

/** The members of a Pod that its volumes depend on. */
const volumeInputs = ({ metadata, spec }: Pod): string =>
  JSON.stringify([metadata.labels, metadata.annotations, spec.ephemeralContainers?.length]);

/** The attached volumes in the status of a Node. */
const attachments = ({ status }: Node): string =>
  JSON.stringify([status.volumesAttached?.map(({ name }) => name), status.volumesInUse]);

const holderKey = ({ kind, name }: Pick<FoundVolume, "kind" | "name">): string => `${directoryOfKind(kind)}/${name}`;

/** Removes a Pod from all sets; returns whether one of them is empty now, and removed. */
function release(sets: Map<string, Set<string>>, uid: string): boolean {
  let isFreed = false;
  for (const [key, users] of sets) {
    if (!users.delete(uid) || users.size > 0) continue;
    sets.delete(key);
    isFreed = true;
  }
  return isFreed;
}

/** The members of a volume that are its sources. */
const sourcesIn = (volume: object): readonly string[] =>
  Object.entries(volume).flatMap(([name, value]) => (typeof value === "object" && !COMMON.has(name) ? [name] : []));

const COMMON = new Set(["capacity", "accessModes", "claimRef", "mountOptions", "nodeAffinity"]);
