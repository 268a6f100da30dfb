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
import { type PodInfo, podInfoOf } from "./pod-info.ts";
import type { SchedulerNames } from "./names.ts";
import { NodeState, type NodeView } from "./node-state.ts";
import type { Plan } from "./plan.ts";
import { requiredAntiAffinity } from "./pod-terms.ts";
import { ReachableVolumes, type VolumeRequest } from "./reachable-volumes.ts";
import type { StateSources, PlacedPod, View } from "./view.ts";
import { volumesOn } from "./volume-count.ts";

const NO_PODS: readonly PlacedPod[] = [];

/**
 * The state of nodes and volumes for the scheduler, with the decisions that are not stored yet (SCHED-35).
 *
 * It makes no requests: the controller fills it from informers, and `keelson why` from what it has read.
 */
export class SchedulerState implements View {
  readonly names: SchedulerNames;
  readonly #sources: StateSources;
  readonly #nodes = new Map<string, NodeState>();
  #list: readonly NodeView[] | undefined;
  /** The node of each Pod, by uid. */
  readonly #placed = new Map<string, PlacedPod>();
  /** Pods with required anti-affinity, by uid. */
  readonly #withAntiAffinity = new Map<string, PlacedPod>();
  /** The Pods on nodes, by claim and by uid. */
  readonly #users = new Map<string, Map<string, PlacedPod>>();
  readonly #reachable: ReachableVolumes;
  /** Reserved volumes and selected nodes that are not stored yet. */
  readonly #reserved = new Map<string, PersistentVolume["spec"]["claimRef"]>();
  readonly #reservedFor = new Map<string, string>();
  readonly #chosen = new Map<string, string>();

  constructor(sources: StateSources, names: SchedulerNames) {
    this.#sources = sources;
    this.names = names;
    this.#reachable = new ReachableVolumes(names.binder);
  }

  get nodes(): readonly NodeView[] {
    this.#list ??= this.#sorted().filter((state) => state.isThere);
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
    const claimRef = this.#reserved.get(name);
    return volume && claimRef && !volume.spec.claimRef ? { ...volume, spec: { ...volume.spec, claimRef } } : volume;
  }

  volumesNaming(claim: string): readonly PersistentVolume[] {
    const stored = this.#sources.volumesNaming(claim);
    const name = this.#reservedFor.get(claim);
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

  get placed(): readonly PlacedPod[] {
    return [...this.#placed.values()];
  }

  get withAntiAffinity(): readonly PlacedPod[] {
    return this.#withAntiAffinity.size === 0 ? NO_PODS : [...this.#withAntiAffinity.values()];
  }

  usersOf(claim: string): readonly PlacedPod[] {
    return [...(this.#users.get(claim)?.values() ?? [])];
  }

  smallest(node: Node, request: VolumeRequest, taken: ReadonlySet<string>): PersistentVolume | undefined {
    return this.#reachable.smallest(node, request, taken);
  }

  volumesOn(node: NodeView): ReadonlyMap<string, ReadonlySet<string>> {
    const state = this.#nodes.get(node.name);
    if (!state || node !== state) return this.#countOn(node);
    state.volumes ??= this.#countOn(node);
    return state.volumes;
  }

  setNode(node: Node): void {
    const state = this.#stateOf(node.metadata.name);
    const wasThere = state.isThere;
    state.setNode(node);
    if (!wasThere) this.#list = undefined;
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

  /** Adds a Pod to its node, unless it is terminal (SCHED-11). */
  setPod(pod: Pod): void {
    const { nodeName } = pod.spec;
    if (nodeName && !isFinished(pod)) this.#addPod(podInfoOf(pod, this.names), nodeName);
  }

  /** Removes a Pod. */
  dropPod(uid: string): void {
    const placed = this.#placed.get(uid);
    if (!placed) return;
    this.#placed.delete(uid);
    this.#withAntiAffinity.delete(uid);
    for (const claim of placed.info.claims) {
      const users = this.#users.get(claim);
      users?.delete(uid);
      if (users?.size === 0) this.#users.delete(claim);
    }
    this.#stateOf(placed.node).drop(placed.info);
    this.#tidy(placed.node);
  }

  /** Returns the node of a Pod. */
  nodeOf(uid: string): string | undefined {
    return this.#placed.get(uid)?.node;
  }

  setVolume(volume: PersistentVolume): void {
    const { name } = volume.metadata;
    if (isAvailable(volume) && !this.#reserved.has(name)) this.#reachable.put(volume);
    else this.#reachable.take(name);
  }

  dropVolume(name: string): void {
    this.#reachable.take(name);
  }

  /** Counts the volumes again on all nodes that use a claim. */
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

  /** Adds a Pod to its chosen node, with the plan for its claims. */
  assume(info: PodInfo, node: string, plan: Plan): void {
    for (const { claim, volume } of plan.matched) {
      const { apiVersion, kind, metadata } = claim;
      const { namespace = "", name, uid } = metadata;
      this.#reserved.set(volume.metadata.name, { apiVersion, kind, namespace, name, uid });
      this.#reservedFor.set(keyText(metadata), volume.metadata.name);
      this.#reachable.take(volume.metadata.name);
    }
    for (const claim of plan.provisioned) this.#chosen.set(keyText(claim.metadata), node);
    this.#addPod(info, node);
  }

  /** Drops a plan that is stored or has failed: only the store counts from now on. */
  forgetPlan(plan: Plan): void {
    for (const { claim, volume } of plan.matched) {
      const { name } = volume.metadata;
      this.#reserved.delete(name);
      this.#reservedFor.delete(keyText(claim.metadata));
      const stored = this.#sources.volume(name);
      if (stored) this.setVolume(stored);
    }
    for (const claim of plan.provisioned) this.#chosen.delete(keyText(claim.metadata));
  }

  #addPod(info: PodInfo, node: string): void {
    this.dropPod(info.uid);
    const placed = { info, node };
    this.#placed.set(info.uid, placed);
    if (requiredAntiAffinity(info.pod).length > 0) this.#withAntiAffinity.set(info.uid, placed);
    for (const claim of info.claims) {
      const users = this.#users.get(claim) ?? new Map<string, PlacedPod>();
      this.#users.set(claim, users.set(info.uid, placed));
    }
    this.#stateOf(node).add(info);
  }

  #countOn(node: NodeView): ReadonlyMap<string, ReadonlySet<string>> {
    return volumesOn(node, this.#sources.attachmentsOn(node.name), this);
  }

  #stateOf(name: string): NodeState {
    let state = this.#nodes.get(name);
    if (!state) this.#nodes.set(name, (state = new NodeState(name)));
    return state;
  }

  /** By name, so that the order in which Pods and nodes were first seen decides nothing. */
  #sorted(): readonly NodeState[] {
    return [...this.#nodes.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Removes a node without any state. */
  #tidy(name: string): void {
    if (this.#nodes.get(name)?.isEmpty) this.#nodes.delete(name);
  }
}
