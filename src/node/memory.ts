/**
 * What the agent sees and remembers: the Pods of its node, its Node, what of them is attached and in use, and whom it asks to look
 * at what.
 *
 * Keys are the uids of Pods, `UID/NAME` for their volumes, and `node`, `csinode` and `lease`.
 *
 * @module
 */
import { sharedInformer } from "../runtime/index.ts";
import type { HeldInformer, InformerSpec, Manager, ObjectEvent } from "../runtime/index.ts";
import { Node, Pod } from "../client/kinds/index.ts";
import { type FoundVolume, type NeededVolume, VolumeError, type VolumePlugin } from "./contract.ts";
import { foundPods, foundVolumes } from "./found.ts";
import { directoryOfKind } from "./paths.ts";
import { PodRecord } from "./record.ts";

/** The lines of work that keys are added to. */
export type Line = "pods" | "volumes" | "node" | "usage";

/** The informers of an agent: what its node may see (RBAC-38). */
export interface AgentSpecs {
  readonly pods: InformerSpec<Pod, "Namespaced", "uid">;
  readonly node: InformerSpec<Node, "Cluster", never>;
}

/** The informers of the agent of a node. */
export const agentSpecs = (node: string): AgentSpecs => ({
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
  readonly specs: AgentSpecs;
  /** Undefined until they are opened, which is when the Node is there. */
  opened: readonly VolumePlugin[] | undefined;
  readonly #registered = Promise.withResolvers<void>();
  readonly #pods: HeldInformer<Pod, "Namespaced", "uid">;
  readonly #node: HeldInformer<Node, "Cluster", never>;
  readonly #records = new Map<string, PodRecord>();
  readonly #lines = new Map<Line, (key: string) => void>();
  /** Keys that were asked for before their line had begun. */
  readonly #early = new Map<Line, Set<string>>();
  /** Entries of `status.volumesInUse`, and the Pods that need them. */
  readonly #inUse = new Map<string, Set<string>>();
  /** The Pods that have a volume of a claim, by the kind and name of its directory (NODE-67). */
  readonly #holders = new Map<string, Set<string>>();
  readonly #heard = new DisposableStack();

  constructor(node: string, root: string, manager: Manager) {
    this.node = node;
    this.root = root;
    this.specs = agentSpecs(node);
    this.#pods = this.#heard.use(manager.informer(this.specs.pods));
    this.#node = this.#heard.use(manager.informer(this.specs.node));
  }

  [Symbol.dispose](): void {
    this.#heard.dispose();
  }

  /** Begins to hear of the Node, once it was looked for. */
  beginNode(): void {
    this.add("node", "node");
    this.#heard.use(this.#node.on((event) => this.#nodeChanged(event)));
  }

  /** Resolves when the Node and its CSINode are there. */
  get registered(): Promise<void> {
    return this.#registered.promise;
  }

  /** The Node and its CSINode are there. */
  tellRegistered(): void {
    this.#registered.resolve();
  }

  /** Who makes volumes. */
  get plugins(): readonly VolumePlugin[] {
    return this.opened ?? [];
  }

  /** Begins to hear of Pods, once they were listed: what lies on disk is looked at, too (NODE-72). */
  async beginPods(): Promise<void> {
    for (const uid of await foundPods(this.root)) {
      for (const found of await foundVolumes(this.root, uid)) this.#holdersOf(found).add(uid);
      this.add("pods", uid);
    }
    this.add("node", "node");
    this.#heard.use(this.#pods.on((event) => this.#podChanged(event)));
  }

  /** Says who takes the keys of a line from now on; those that came before are handed over. */
  take(line: Line, add: (key: string) => void): Disposable {
    this.#lines.set(line, add);
    for (const key of this.#early.get(line) ?? []) add(key);
    this.#early.delete(line);
    return { [Symbol.dispose]: () => void this.#lines.delete(line) };
  }

  /** Has a key looked at. */
  add(line: Line, key: string): void {
    const add = this.#lines.get(line);
    if (add) return add(key);
    const early = this.#early.get(line) ?? new Set();
    this.#early.set(line, early.add(key));
  }

  /** The Node of the agent, as memory has it. */
  get own(): Node | undefined {
    return this.#node.get({ name: this.node });
  }

  /** The Pods of the node, as memory has them. */
  pods(): readonly Pod[] {
    return this.#pods.list();
  }

  /** What is remembered of a Pod, with the Pod as it is now. */
  record(uid: string): PodRecord {
    let record = this.#records.get(uid);
    if (!record) this.#records.set(uid, (record = new PodRecord(uid)));
    const [pod] = this.#pods.by("uid", uid);
    if (pod) record.pod = pod;
    record.isGone = pod === undefined;
    return record;
  }

  /** The records that there are. */
  get records(): ReadonlyMap<string, PodRecord> {
    return this.#records;
  }

  /** Has the volumes of a Pod looked at. */
  lookAt(uid: string): void {
    const record = this.#records.get(uid);
    if (!record || record.isEnding) return;
    for (const name of record.uses.keys()) this.add("volumes", `${uid}/${name}`);
  }

  /** Who makes a volume, and the kind of its directory. @throws VolumeError where nobody does */
  pluginFor(needed: NeededVolume): VolumePlugin {
    const plugin = this.plugins.find((one) => one.makes(needed));
    if (plugin) return plugin;
    const sources = sourcesIn(needed.persistent?.volume.spec ?? needed.volume);
    throw new VolumeError(`this node makes no volumes of type ${sources.join(", ") || "unknown"}`);
  }

  /** Who takes a volume down that was found; undefined where nobody knows its kind. */
  pluginOf({ kind }: Pick<FoundVolume, "kind">): VolumePlugin | undefined {
    return this.plugins.find((one) =>
      [one.kind, ...(one.kinds ?? [])].some((known) => directoryOfKind(known) === kind),
    );
  }

  /** Another Pod of the node that has the same volume of a claim, or a part of it on disk. */
  otherHolder(volume: Pick<FoundVolume, "kind" | "name">, uid: string): string | undefined {
    return [...(this.#holders.get(holderKey(volume)) ?? [])].find((one) => one !== uid);
  }

  /** A Pod begins to have a volume of a claim. */
  hold(volume: Pick<FoundVolume, "kind" | "name">, uid: string): void {
    this.#holdersOf(volume).add(uid);
  }

  /** How many volumes of claims Pods of the node have. */
  get claimsHeld(): number {
    return this.#holders.size;
  }

  /** A Pod is going to use what is attached: its entry has to be stored before (NODE-11). */
  use(entry: string, uid: string): void {
    const users = this.#inUse.get(entry) ?? new Set();
    this.#inUse.set(entry, users);
    if (users.has(uid)) return;
    users.add(uid);
    this.add("node", "node");
  }

  /** The entries that Pods need, mounted or not. */
  get inUse(): readonly string[] {
    return [...this.#inUse.keys()];
  }

  /** Whether the stored Node says that something is in use. */
  isInUse(entry: string): boolean {
    return this.own?.status.volumesInUse?.includes(entry) === true;
  }

  /** Whether the stored Node says that something is attached. */
  isAttached(entry: string): boolean {
    return this.own?.status.volumesAttached?.some(({ name }) => name === entry) === true;
  }

  /** A Pod has no volumes on the node any more, after these were taken down. */
  drop(uid: string, volumes: readonly FoundVolume[]): void {
    this.#records.delete(uid);
    const isFreed = release(this.#inUse, uid);
    // What an agent of before has mounted is in use by what the disk says alone.
    if (isFreed || volumes.some((volume) => "inUse" in (this.pluginOf(volume) ?? {}))) this.add("node", "node");
    // Who waited for a volume that one Pod may have at a time goes on.
    if (release(this.#holders, uid)) for (const other of this.#records.keys()) this.#lookAtWaiting(other);
    for (const plugin of this.plugins) plugin.forget?.(uid);
  }

  #lookAtWaiting(uid: string): void {
    for (const [name, { made }] of this.#records.get(uid)!.volumes) if (!made) this.add("volumes", `${uid}/${name}`);
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
    // What is written of the Pod itself, and containers that were put into it.
    if (said(event.old) !== said(object)) this.lookAt(uid);
  }

  #nodeChanged(event: ObjectEvent<Node>): void {
    this.add("node", "node");
    // What belonged to a Node before belongs to this one.
    if (event.type === "added") for (const key of ["csinode", "lease"]) this.add("node", key);
    if (event.type === "changed" && told(event.old) === told(event.object)) return;
    for (const [uid, record] of this.#records) if (!record.isEnding) this.#lookAtWaiting(uid);
  }
}

/** What volumes are made of that a Pod says itself. */
const said = ({ metadata, spec }: Pod): string =>
  JSON.stringify([metadata.labels, metadata.annotations, spec.ephemeralContainers?.length]);

/** What a Node is told, and says, of attached volumes. */
const told = ({ status }: Node): string =>
  JSON.stringify([status.volumesAttached?.map(({ name }) => name), status.volumesInUse]);

const holderKey = ({ kind, name }: Pick<FoundVolume, "kind" | "name">): string => `${directoryOfKind(kind)}/${name}`;

/** Takes a Pod out of all sets; answers whether one of them is empty now, and gone. */
function release(sets: Map<string, Set<string>>, uid: string): boolean {
  let isFreed = false;
  for (const [key, users] of sets) {
    if (!users.delete(uid) || users.size > 0) continue;
    sets.delete(key);
    isFreed = true;
  }
  return isFreed;
}

/** The members of a volume that say where it is. */
const sourcesIn = (volume: object): readonly string[] =>
  Object.entries(volume).flatMap(([name, value]) => (typeof value === "object" && !COMMON.has(name) ? [name] : []));

const COMMON = new Set(["capacity", "accessModes", "claimRef", "mountOptions", "nodeAffinity"]);
