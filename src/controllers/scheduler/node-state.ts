/**
 * A node as a scheduler sees it: the object, and the Pods that are on it or about to be.
 *
 * @module
 */
import type { CSINode, Node } from "../../client/kinds/index.ts";
import { type Amounts, allocatable } from "./amounts.ts";
import type { Guest } from "./guest.ts";

/** See the head of this file. */
export interface NodeView {
  readonly name: string;
  /** Whether it still exists: nobody asks one that does not. */
  readonly isThere: boolean;
  readonly node: Node;
  /** How many Pods it takes. */
  readonly mostGuests: number;
  readonly csiNode: CSINode | undefined;
  readonly allocatable: Amounts;
  /** By uid. */
  readonly guests: ReadonlyMap<string, Guest>;
  /** What its Pods request in all. */
  readonly requested: Amounts;
  /** Whether a Pod is thought away, so as to see what would be without it. */
  isWithout(uid: string): boolean;
}

const NOTHING: Amounts = new Map();

/** A node that changes as it is told. */
export class NodeState implements NodeView {
  readonly name: string;
  readonly guests = new Map<string, Guest>();
  readonly requested = new Map<string, number>();
  csiNode: CSINode | undefined;
  allocatable: Amounts = NOTHING;
  mostGuests = 0;
  /** The volumes of its Pods and attachments by driver, as long as they are known. */
  volumes: ReadonlyMap<string, ReadonlySet<string>> | undefined;
  #node: Node | undefined;

  constructor(name: string) {
    this.name = name;
  }

  /** Whether there is such a node; Pods may be on one that is gone, or not there yet. */
  get isThere(): boolean {
    return this.#node !== undefined;
  }

  get isEmpty(): boolean {
    return !this.#node && !this.csiNode && this.guests.size === 0;
  }

  /** The object. @throws Error where there is none, see {@link isThere} */
  get node(): Node {
    if (!this.#node) throw new Error(`expected the node ${this.name} to be there`);
    return this.#node;
  }

  setNode(node: Node | undefined): void {
    this.#node = node;
    this.allocatable = node ? allocatable(node) : NOTHING;
    this.mostGuests = this.allocatable.get("pods") ?? 0;
  }

  add(guest: Guest): void {
    this.guests.set(guest.uid, guest);
    for (const [name, amount] of guest.requests) this.requested.set(name, (this.requested.get(name) ?? 0) + amount);
    if (guest.claims.length > 0) this.volumes = undefined;
  }

  drop(guest: Guest): void {
    if (!this.guests.delete(guest.uid)) return;
    for (const [name, amount] of guest.requests) this.requested.set(name, (this.requested.get(name) ?? 0) - amount);
    if (guest.claims.length > 0) this.volumes = undefined;
  }

  isWithout(): boolean {
    return false;
  }
}

/** A node without some of its Pods. */
export function without(view: NodeView, gone: ReadonlySet<string>): NodeView {
  const guests = new Map([...view.guests].filter(([uid]) => !gone.has(uid)));
  const requested = new Map(view.requested);
  for (const uid of gone) {
    for (const [name, amount] of view.guests.get(uid)?.requests ?? []) {
      requested.set(name, (requested.get(name) ?? 0) - amount);
    }
  }
  const { name, isThere, node, csiNode, allocatable: room, mostGuests } = view;
  const isWithout = (uid: string): boolean => gone.has(uid);
  return { name, isThere, node, csiNode, allocatable: room, mostGuests, guests, requested, isWithout };
}
