import type { CSINode, Node } from "../../client/kinds/index.ts";
import { type Amounts, allocatable } from "./amounts.ts";
import type { PodInfo } from "./pod-info.ts";

/** A node in the scheduler: the object, and the Pods that are on it or about to be. */
export interface NodeView {
  readonly name: string;
  /** Whether the node exists; otherwise it is not evaluated. */
  readonly isThere: boolean;
  readonly node: Node;
  readonly maxPods: number;
  readonly csiNode: CSINode | undefined;
  readonly allocatable: Amounts;
  /** By uid. */
  readonly pods: ReadonlyMap<string, PodInfo>;
  /** The total requests of its Pods. */
  readonly requested: Amounts;
  /** Whether this view leaves out a Pod, to simulate its eviction. */
  isWithout(uid: string): boolean;
}

const NOTHING: Amounts = new Map();

/** A node whose state can change. */
export class NodeState implements NodeView {
  readonly name: string;
  readonly pods = new Map<string, PodInfo>();
  readonly requested = new Map<string, number>();
  csiNode: CSINode | undefined;
  allocatable: Amounts = NOTHING;
  maxPods = 0;
  /** The volumes of its Pods and attachments by driver; undefined until they are counted again. */
  volumes: ReadonlyMap<string, ReadonlySet<string>> | undefined;
  #node: Node | undefined;

  constructor(name: string) {
    this.name = name;
  }

  /** Whether the node exists; Pods may be on one that was deleted, or is not known yet. */
  get isThere(): boolean {
    return this.#node !== undefined;
  }

  get isEmpty(): boolean {
    return !this.#node && !this.csiNode && this.pods.size === 0;
  }

  /** The object. @throws Error where it does not exist, see {@link isThere} */
  get node(): Node {
    if (!this.#node) throw new Error(`expected the node ${this.name} to be there`);
    return this.#node;
  }

  setNode(node: Node | undefined): void {
    this.#node = node;
    this.allocatable = node ? allocatable(node) : NOTHING;
    this.maxPods = this.allocatable.get("pods") ?? 0;
  }

  add(info: PodInfo): void {
    this.pods.set(info.uid, info);
    for (const [name, amount] of info.requests) this.requested.set(name, (this.requested.get(name) ?? 0) + amount);
    if (info.claims.length > 0) this.volumes = undefined;
  }

  drop(info: PodInfo): void {
    if (!this.pods.delete(info.uid)) return;
    for (const [name, amount] of info.requests) this.requested.set(name, (this.requested.get(name) ?? 0) - amount);
    if (info.claims.length > 0) this.volumes = undefined;
  }

  isWithout(): boolean {
    return false;
  }
}

/** Returns a view of a node without some of its Pods. */
export function without(view: NodeView, gone: ReadonlySet<string>): NodeView {
  const pods = new Map([...view.pods].filter(([uid]) => !gone.has(uid)));
  const requested = new Map(view.requested);
  for (const uid of gone) {
    for (const [name, amount] of view.pods.get(uid)?.requests ?? []) {
      requested.set(name, (requested.get(name) ?? 0) - amount);
    }
  }
  const { name, isThere, node, csiNode, allocatable: room, maxPods } = view;
  const isWithout = (uid: string): boolean => gone.has(uid);
  return { name, isThere, node, csiNode, allocatable: room, maxPods, pods, requested, isWithout };
}
