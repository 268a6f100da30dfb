import { type ApiObject, type Kind, type Scope, inDomain, keyText } from "../client/index.ts";
import {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  StorageClass,
  VolumeAttachment,
} from "../client/kinds/index.ts";
import { classOf } from "../claims/fit.ts";
import { claimOfVolume } from "../claims/claim-ref.ts";
import { claimsOfPod } from "../claims/pod-claims.ts";
import { SchedulerState } from "../controllers/scheduler/scheduler-state.ts";
import type { PodInfo } from "../controllers/scheduler/pod-info.ts";
import { schedulerNames } from "../controllers/scheduler/names.ts";
import type { StateSources } from "../controllers/scheduler/view.ts";
import type { Facts } from "./facts.ts";

/** Reads the scheduler state that a Pod depends on, with the permissions of the user. */
export interface PodState {
  readonly state: SchedulerState;
  /** Reads the nodes with their Pods and volumes. */
  readonly readNodes: () => Promise<void>;
}

/** Reads the claims of a Pod and their volumes. */
export async function stateFor(facts: Facts, info: PodInfo): Promise<PodState> {
  const read = new StateReader(facts);
  await read.claimsOf(info);
  const state = new SchedulerState(read, schedulerNames(facts.dialect));
  return { state, readNodes: () => read.nodes(state, info.claims.length > 0) };
}

/** The objects that were read. */
class StateReader implements StateSources {
  readonly #facts: Facts;
  readonly #claims = new Map<string, PersistentVolumeClaim>();
  readonly #volumes = new Map<string, PersistentVolume>();
  readonly #naming = new Map<string, PersistentVolume[]>();
  readonly #classes = new Map<string, StorageClass>();
  readonly #drivers = new Map<string, CSIDriver>();
  readonly #capacities = new Map<string, CSIStorageCapacity[]>();
  readonly #attachments = new Map<string, VolumeAttachment[]>();

  constructor(facts: Facts) {
    this.#facts = facts;
  }

  claim(key: string): PersistentVolumeClaim | undefined {
    return this.#claims.get(key);
  }

  volume(name: string): PersistentVolume | undefined {
    return this.#volumes.get(name);
  }

  storageClass(name: string): StorageClass | undefined {
    return this.#classes.get(name);
  }

  driver(name: string): CSIDriver | undefined {
    return this.#drivers.get(name);
  }

  capacities(className: string): readonly CSIStorageCapacity[] {
    return this.#capacities.get(className) ?? [];
  }

  volumesNaming(claim: string): readonly PersistentVolume[] {
    return this.#naming.get(claim) ?? [];
  }

  attachmentsOn(node: string): readonly VolumeAttachment[] {
    return this.#attachments.get(node) ?? [];
  }

  /** Reads the claims of a Pod with their classes and volumes one by one, so that an absent one is certain. */
  async claimsOf({ pod }: PodInfo): Promise<void> {
    const { client, signal, names } = this.#facts;
    for (const key of claimsOfPod(pod)) {
      const claim = await client.resource(PersistentVolumeClaim).find(key, { signal });
      if (!claim) continue;
      this.#claims.set(keyText(key), claim);
      const className = classOf(claim, names);
      const storageClass = await client.resource(this.#kind(StorageClass)).find({ name: className }, { signal });
      if (storageClass) this.#classes.set(className, storageClass);
      const volume = await client.resource(PersistentVolume).find({ name: claim.spec.volumeName ?? "" }, { signal });
      if (volume) this.#volumes.set(volume.metadata.name, volume);
    }
  }

  /** Reads all nodes and Pods, and with claims also volumes and drivers. */
  async nodes(state: SchedulerState, hasClaims: boolean): Promise<void> {
    if (hasClaims) await this.#storage(state);
    for await (const node of this.#facts.each(Node)) state.setNode(node);
    for await (const pod of this.#facts.each(Pod)) state.setPod(pod);
  }

  async #storage(state: SchedulerState): Promise<void> {
    const facts = this.#facts;
    for await (const one of facts.each(this.#kind(StorageClass))) this.#classes.set(one.metadata.name, one);
    for await (const one of facts.each(this.#kind(CSIDriver))) this.#drivers.set(one.metadata.name, one);
    for await (const one of facts.each(this.#kind(CSINode))) state.setCsiNode(one);
    for await (const one of facts.each(this.#kind(VolumeAttachment))) push(this.#attachments, one.spec.nodeName, one);
    for await (const one of facts.each(this.#kind(CSIStorageCapacity)))
      push(this.#capacities, one.storageClassName, one);
    for await (const volume of facts.each(PersistentVolume)) {
      this.#volumes.set(volume.metadata.name, volume);
      const claim = claimOfVolume(volume);
      if (claim !== undefined) push(this.#naming, claim, volume);
      state.setVolume(volume);
    }
    // Claims of other Pods count for volume limits.
    for await (const claim of facts.each(PersistentVolumeClaim)) this.#claims.set(keyText(claim.metadata), claim);
  }

  /** Returns a kind in the domain of the dialect. */
  #kind<T extends ApiObject, S extends Scope>(kind: Kind<T, S>): Kind<T, S> {
    return inDomain(kind, this.#facts.dialect.domain);
  }
}

function push<T>(lists: Map<string, T[]>, key: string, item: T): void {
  const list = lists.get(key);
  if (list) list.push(item);
  else lists.set(key, [item]);
}
