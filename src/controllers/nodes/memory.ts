import { keyOf, keyText, parseKey } from "../../client/index.ts";
import { Lease, Node, Pod } from "../../client/kinds/index.ts";
import { parseTime } from "../../meta/time.ts";
import { type Informer, type ObjectEvent, type SourceParts, sharedInformer } from "../../runtime/index.ts";
import type { Clock } from "../../util/clock.ts";
import {
  HEARTBEATS_STOPPED,
  type Heartbeats,
  conditionOfNode,
  heartbeatsOf,
  isSimulatedNode,
} from "../../workloads/node-health/health.ts";
import {
  type TaintRate,
  type ZoneCount,
  type ZoneState,
  USUAL_INTERVAL_MS,
  countsInZone,
  zoneOf,
} from "../../workloads/node-health/zones.ts";
import { isReady as isPodReady } from "../../workloads/common/pods.ts";
import { isReady, nodeOfPod } from "../common/nodes.ts";
import { isOurEvicting } from "./taints.ts";

/** The informers of the lifecycle of nodes. */
export const lifecycleSpecs = {
  pods: sharedInformer(Pod, { indexes: { node: nodeOfPod } }),
  nodes: sharedInformer(Node),
  leases: sharedInformer(Lease, { namespace: "kube-node-lease" }),
};

/** The key for an evaluation of all zones. */
export const ZONES = "zones";
/** Prefixes of keys. */
export const NODE = "node/";
export const ZONE = "zone/";
export const POD = "pod/";

/** After a change the zones are evaluated together, after this time. */
const TOGETHER_MS = 100;

/** A zone: its nodes, and those that wait for a taint NoExecute, in their order. */
export class Zone implements ZoneCount {
  ready = 0;
  notReady = 0;
  state: ZoneState = "none";
  /** Names of nodes. */
  readonly waiting = new Set<string>();
  rate: TaintRate = { interval: USUAL_INTERVAL_MS, next: -Infinity };
}

/**
 * The memory of the lifecycle of nodes: when heartbeats were seen, and how many nodes of each zone are ready.
 *
 * Keys are `node/NAME`, `zone/ZONE`, {@link ZONES}, and `pod/NAMESPACE/NAME` for a Pod that was bound to a node which is not ready.
 */
export class LifecycleMemory implements Disposable {
  readonly zones = new Map<string, Zone>();
  /** Whether no zone has a ready node. */
  hasStopped = false;
  /** When the zones are evaluated next, on the steady clock. */
  lookAt: number | undefined;
  readonly #domain: string;
  readonly #clock: Clock;
  readonly #add: (key: string) => void;
  readonly #pods: Informer<Pod, "Namespaced", "node">;
  readonly #nodes: Informer<Node, "Cluster", never>;
  readonly #leases: Informer<Lease, "Namespaced", never>;
  readonly #heartbeats = new Map<string, Heartbeats>();
  /** Names of nodes that were not reconciled yet. */
  readonly #new = new Set<string>();
  /** Deleted nodes, by name, until they are reported. */
  readonly #removed = new Map<string, Node>();
  readonly #subscriptions = new DisposableStack();

  /** @param domain of taints, `node.kubernetes.io/` */
  constructor(domain: string, { own, clock }: SourceParts, add: (key: string) => void) {
    this.#domain = domain;
    this.#clock = clock;
    this.#add = add;
    this.#pods = own(lifecycleSpecs.pods);
    this.#nodes = own(lifecycleSpecs.nodes);
    this.#leases = own(lifecycleSpecs.leases);
    this.#subscriptions.use(this.#leases.on((event) => this.#leaseChanged(event)));
    this.#subscriptions.use(this.#nodes.on((event) => this.#nodeChanged(event)));
    this.#subscriptions.use(this.#pods.on((event) => this.#podChanged(event)));
  }

  [Symbol.dispose](): void {
    this.#subscriptions.dispose();
  }

  node(name: string): Node | undefined {
    return this.#nodes.get({ name });
  }

  nodes(): readonly Node[] {
    return this.#nodes.list();
  }

  pod(key: string): Pod | undefined {
    return this.#pods.get(parseKey(key));
  }

  /** By their names: a new leader acts in the same order as one that has seen the Pods arrive. */
  podsOn(node: string): readonly Pod[] {
    return this.#pods.by("node", node).toSorted((a, b) => (keyText(keyOf(a)) < keyText(keyOf(b)) ? -1 : 1));
  }

  /** Returns a node that was deleted since the last reconcile. */
  takeRemoved(name: string): Node | undefined {
    const node = this.#removed.get(name);
    this.#removed.delete(name);
    return node;
  }

  /** Whether a node is reconciled for the first time. */
  isNew({ metadata }: Node): boolean {
    return this.#new.delete(metadata.name);
  }

  zone(key: string): Zone {
    const known = this.zones.get(key);
    if (known) return known;
    const zone = new Zone();
    this.zones.set(key, zone);
    return zone;
  }

  /** Returns the heartbeats of a node that were seen. */
  heartbeats(node: Node): Heartbeats {
    const { name } = node.metadata;
    const before = this.#heartbeats.get(name);
    const lease = this.#leases.get({ namespace: "kube-node-lease", name });
    const now = heartbeatsOf(before, node, lease, this.#clock.steady());
    if (now !== before) this.#heartbeats.set(name, now);
    return now;
  }

  /** Gives all nodes their full grace period again. */
  beginAnew(): void {
    const seenAt = this.#clock.steady();
    for (const [name, beats] of this.#heartbeats) this.#heartbeats.set(name, { ...beats, seenAt });
  }

  /** Records whether a node waits for its taint. */
  wait(name: string, zone: string, waits: boolean): void {
    const { waiting } = this.zone(zone);
    if (!waits) waiting.delete(name);
    else if (!waiting.has(name)) {
      waiting.add(name);
      this.look();
    }
  }

  /** Schedules an evaluation of the zones, soon. */
  look(): void {
    if (this.lookAt !== undefined) return;
    this.lookAt = this.#clock.steady() + TOGETHER_MS;
    this.#add(ZONES);
  }

  addNodes(): void {
    for (const { metadata } of this.#nodes.list()) this.#add(NODE + metadata.name);
  }

  addZone(key: string): void {
    this.#add(ZONE + key);
  }

  #leaseChanged({ type, object }: ObjectEvent<Lease>): void {
    const node = type === "deleted" ? undefined : this.#nodes.get({ name: object.metadata.name });
    if (node) this.heartbeats(node);
    // A node that had no lease before was not reconciled again.
    if (node && type === "added") this.#add(NODE + node.metadata.name);
  }

  #nodeChanged(event: ObjectEvent<Node>): void {
    const { object: node } = event;
    const { name } = node.metadata;
    if (event.type !== "added") this.#count(event.type === "changed" ? event.old : node, -1);
    if (event.type === "deleted") {
      this.zone(zoneOf(node)).waiting.delete(name);
      this.#heartbeats.delete(name);
      this.#new.delete(name);
      this.#removed.set(name, node);
      this.#add(NODE + name);
      this.look();
      return;
    }
    this.#count(node, 1);
    this.heartbeats(node);
    if (event.type === "added") {
      this.#new.add(name);
      this.#noteTaints(node);
    }
    if (event.type === "changed") {
      if (textOf(event.old) === textOf(node)) return;
      if (zoneOf(event.old) !== zoneOf(node)) this.zone(zoneOf(event.old)).waiting.delete(name);
    }
    this.#add(NODE + name);
    if (event.type !== "changed" || countText(event.old) !== countText(node)) this.look();
  }

  #count(node: Node, by: 1 | -1): void {
    if (!countsInZone(node)) return;
    const zone = this.zone(zoneOf(node));
    if (isReady(node)) zone.ready += by;
    else zone.notReady += by;
  }

  /** Taints from before this term count for the rate of its zone. */
  #noteTaints(node: Node): void {
    for (const taint of node.spec.taints ?? []) {
      if (!isOurEvicting(taint, this.#domain)) continue;
      const ago = this.#clock.now() - (parseTime(taint.timeAdded ?? "") ?? 0);
      const zone = this.zone(zoneOf(node));
      const next = this.#clock.steady() - ago + zone.rate.interval;
      if (next > zone.rate.next) zone.rate = { ...zone.rate, next };
    }
  }

  /** A Pod that is bound to a node which is not ready is not ready either. */
  #podChanged(event: ObjectEvent<Pod>): void {
    const { object: pod } = event;
    const { nodeName } = pod.spec;
    if (event.type === "deleted" || !nodeName || !isPodReady(pod)) return;
    if (event.type === "changed" && event.old.spec.nodeName === nodeName) return;
    const node = this.node(nodeName);
    if (node && isNotReady(node)) this.#add(POD + keyText(keyOf(pod)));
  }
}

/** Whether a node reports that it is not ready; one without the condition reports nothing. */
export function isNotReady(node: Node): boolean {
  const ready = conditionOfNode(node, "Ready");
  return ready !== undefined && ready.status !== "True";
}

/** The labels that define zones. */
const countText = (node: Node): string => `${zoneOf(node)} ${isReady(node)} ${countsInZone(node)}`;

/** The fields of a node that matter; heartbeats do not. */
function textOf(node: Node): string {
  const { metadata, spec, status } = node;
  const conditions = (status?.conditions ?? []).map(({ type, status: said }) => [type, said]);
  const { labels, annotations } = metadata;
  const marks = [isSimulatedNode(node), annotations?.[HEARTBEATS_STOPPED]];
  return JSON.stringify([metadata.uid, labels, marks, spec.taints, spec.unschedulable, conditions]);
}
