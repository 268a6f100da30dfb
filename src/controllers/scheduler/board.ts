/**
 * What is known of nodes and volumes, as a scheduler needs it to decide; and what was decided but is not stored yet, which counts as if
 * it were (SCHED-35).
 *
 * It is told of every change and asks nobody: a controller fills it from informers, and who explains a Pod from what he has read.
 *
 * @module
 */
import { keyText } from "../../client/index.ts";
import type {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  StorageClass,
} from "../../client/kinds/index.ts";
import { isAvailable } from "../../claims/fit.ts";
import { isFinished } from "../../claims/usage.ts";
import { annotated } from "../../meta/annotations.ts";
import { type Guest, guestOf } from "./guest.ts";
import type { SchedulerNames } from "./names.ts";
import { NodeState, type NodeView } from "./node-state.ts";
import type { Plan } from "./plan.ts";
import { mustBeFar } from "./pod-terms.ts";
import { Reach, type Wanted } from "./reach.ts";
import type { BoardSources, Placed, View } from "./view.ts";
import { volumesOn } from "./volume-count.ts";

const NOBODY: readonly Placed[] = [];

/** See the head of this file. */
export class Board implements View {
  readonly names: SchedulerNames;
  readonly #sources: BoardSources;
  readonly #nodes = new Map<string, NodeState>();
  #list: readonly NodeView[] | undefined;
  /** Where each Pod is, by uid. */
  readonly #placed = new Map<string, Placed>();
  /** Those that do not want some others near, by uid. */
  readonly #repelling = new Map<string, Placed>();
  /** The Pods on nodes by their claims, and by uid. */
  readonly #users = new Map<string, Map<string, Placed>>();
  readonly #reach: Reach;
  /** Volumes that were given away, and claims whose node was chosen, that the store does not show yet. */
  readonly #given = new Map<string, PersistentVolume["spec"]["claimRef"]>();
  /** The volume that each claim was given. */
  readonly #givenTo = new Map<string, string>();
  readonly #chosen = new Map<string, string>();

  constructor(sources: BoardSources, names: SchedulerNames) {
    this.#sources = sources;
    this.names = names;
    this.#reach = new Reach(names.binder);
  }

  get nodes(): readonly NodeView[] {
    this.#list ??= [...this.#nodes.values()].filter((state) => state.isThere);
    return this.#list;
  }

  node(name: string): NodeView | undefined {
    const state = this.#nodes.get(name);
    return state?.isThere ? state : undefined;
  }

  claim(key: string): PersistentVolumeClaim | undefined {
    const claim = this.#sources.claim(key);
    const node = this.#chosen.get(key);
    const { selectedNode } = this.names.binder;
    return claim && node !== undefined ? annotated(claim, { [selectedNode]: node }) : claim;
  }

  volume(name: string): PersistentVolume | undefined {
    const volume = this.#sources.volume(name);
    const claimRef = this.#given.get(name);
    return volume && claimRef && !volume.spec.claimRef ? { ...volume, spec: { ...volume.spec, claimRef } } : volume;
  }

  volumesNaming(claim: string): readonly PersistentVolume[] {
    const stored = this.#sources.volumesNaming(claim);
    const name = this.#givenTo.get(claim);
    if (name === undefined || stored.some(({ metadata }) => metadata.name === name)) return stored;
    const given = this.volume(name);
    return given ? [...stored, given] : stored;
  }

  storageClass(name: string): StorageClass | undefined {
    return this.#sources.storageClass(name);
  }

  driver(name: string): CSIDriver | undefined {
    return this.#sources.driver(name);
  }

  capacities(className: string): readonly CSIStorageCapacity[] {
    return this.#sources.capacities(className);
  }

  get placed(): readonly Placed[] {
    return [...this.#placed.values()];
  }

  get repelling(): readonly Placed[] {
    return this.#repelling.size === 0 ? NOBODY : [...this.#repelling.values()];
  }

  usersOf(claim: string): readonly Placed[] {
    return [...(this.#users.get(claim)?.values() ?? [])];
  }

  smallest(node: Node, wanted: Wanted, taken: ReadonlySet<string>): PersistentVolume | undefined {
    return this.#reach.smallest(node, wanted, taken);
  }

  volumesOn(node: NodeView): ReadonlyMap<string, ReadonlySet<string>> {
    const state = this.#nodes.get(node.name);
    if (!state || node !== state) return this.#countOn(node);
    state.volumes ??= this.#countOn(node);
    return state.volumes;
  }

  setNode(node: Node): void {
    this.#stateOf(node.metadata.name).setNode(node);
    this.#list = undefined;
  }

  dropNode(name: string): void {
    this.#stateOf(name).setNode(undefined);
    this.#list = undefined;
    this.#tidy(name);
  }

  setCsiNode(csiNode: CSINode): void {
    const state = this.#stateOf(csiNode.metadata.name);
    state.csiNode = csiNode;
    state.volumes = undefined;
  }

  dropCsiNode(name: string): void {
    const state = this.#stateOf(name);
    state.csiNode = undefined;
    state.volumes = undefined;
    this.#tidy(name);
  }

  /** Counts a Pod where it is; one that has ended counts nowhere (SCHED-11). */
  setPod(pod: Pod): void {
    const { nodeName } = pod.spec;
    if (nodeName && !isFinished(pod)) this.#place(guestOf(pod, this.names), nodeName);
  }

  /** Counts a Pod no more. */
  dropPod(uid: string): void {
    const placed = this.#placed.get(uid);
    if (!placed) return;
    this.#placed.delete(uid);
    this.#repelling.delete(uid);
    for (const claim of placed.guest.claims) {
      const users = this.#users.get(claim);
      users?.delete(uid);
      if (users?.size === 0) this.#users.delete(claim);
    }
    this.#stateOf(placed.node).drop(placed.guest);
    this.#tidy(placed.node);
  }

  /** Where a Pod is counted. */
  placeOf(uid: string): string | undefined {
    return this.#placed.get(uid)?.node;
  }

  setVolume(volume: PersistentVolume): void {
    const { name } = volume.metadata;
    if (isAvailable(volume) && !this.#given.has(name)) this.#reach.put(volume);
    else this.#reach.take(name);
  }

  dropVolume(name: string): void {
    this.#reach.take(name);
  }

  /** The volumes of a claim are others now: nodes where it is used are counted anew. */
  recount(claim: string): void {
    for (const { node } of this.#users.get(claim)?.values() ?? []) this.recountNode(node);
  }

  recountNode(name: string): void {
    const state = this.#nodes.get(name);
    if (state) state.volumes = undefined;
  }

  recountAll(): void {
    for (const state of this.#nodes.values()) state.volumes = undefined;
  }

  /** A Pod is to be on a node, with what was planned for its claims there. */
  assume(guest: Guest, node: string, plan: Plan): void {
    for (const { claim, volume } of plan.matched) {
      const { apiVersion, kind, metadata } = claim;
      const { namespace, name, uid } = metadata;
      this.#given.set(volume.metadata.name, { apiVersion, kind, namespace: namespace!, name, uid });
      this.#givenTo.set(keyText(metadata), volume.metadata.name);
      this.#reach.take(volume.metadata.name);
    }
    for (const claim of plan.provisioned) this.#chosen.set(keyText(claim.metadata), node);
    this.#place(guest, node);
  }

  /** What was planned is stored, or given up: only the store counts from now on. */
  settle(plan: Plan): void {
    for (const { claim, volume } of plan.matched) {
      const { name } = volume.metadata;
      this.#given.delete(name);
      this.#givenTo.delete(keyText(claim.metadata));
      const stored = this.#sources.volume(name);
      if (stored) this.setVolume(stored);
    }
    for (const claim of plan.provisioned) this.#chosen.delete(keyText(claim.metadata));
  }

  #place(guest: Guest, node: string): void {
    this.dropPod(guest.uid);
    const placed = { guest, node };
    this.#placed.set(guest.uid, placed);
    if (mustBeFar(guest.pod).length > 0) this.#repelling.set(guest.uid, placed);
    for (const claim of guest.claims) {
      const users = this.#users.get(claim) ?? new Map<string, Placed>();
      this.#users.set(claim, users.set(guest.uid, placed));
    }
    this.#stateOf(node).add(guest);
  }

  #countOn(node: NodeView): ReadonlyMap<string, ReadonlySet<string>> {
    return volumesOn(node, this.#sources.attachmentsOn(node.name), this);
  }

  #stateOf(name: string): NodeState {
    let state = this.#nodes.get(name);
    if (!state) this.#nodes.set(name, (state = new NodeState(name)));
    return state;
  }

  /** Forgets a node of which nothing is known any more. */
  #tidy(name: string): void {
    if (this.#nodes.get(name)?.isEmpty) this.#nodes.delete(name);
  }
}
