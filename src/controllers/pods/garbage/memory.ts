import { Node, Pod } from "../../../client/kinds/index.ts";
import { type SourceParts, type Informer, type ObjectEvent, sharedInformer } from "../../../runtime/index.ts";
import type { AttachNames } from "../../../claims/attachment.ts";
import { nodeOfPod } from "../../common/nodes.ts";
import { isLeaving, isTerminated, isRemoved, isSwitchedOff } from "./plan.ts";

/** The time between two rounds, in milliseconds. */
export const ROUND_MS = 20_000;
/** The key of terminating Pods without a node. */
export const UNPLACED = "unplaced";
/** The key of terminal Pods. */
export const TERMINATED = "ended";

const isUnplaced = (pod: Pod): boolean => isLeaving(pod) && !pod.spec.nodeName;

/** The informers of the collector. */
export const podGarbageSpecs = {
  pods: sharedInformer(Pod, {
    indexes: {
      node: nodeOfPod,
      group: (pod: Pod) => [...(isUnplaced(pod) ? [UNPLACED] : []), ...(isTerminated(pod) ? [TERMINATED] : [])],
    },
  }),
  nodes: sharedInformer(Node),
};

/**
 * The memory of the Pod garbage collector: Pods, nodes, and since when nodes are missing.
 *
 * Keys are `node/NAME` for the Pods of a node, {@link UNPLACED} for terminating Pods without a node, and {@link
 * TERMINATED} for terminal Pods.
 */
export class PodGarbageMemory implements Disposable {
  readonly names: AttachNames;
  readonly pods: Informer<Pod, "Namespaced", "node" | "group">;
  readonly nodes: Informer<Node, "Cluster", never>;
  /** Missing nodes that have Pods; times of the steady clock. */
  readonly missingSince = new Map<string, number>();
  countedAt = -Infinity;
  /** When its rounds began, in milliseconds of the steady clock. */
  readonly #begunAt: number;
  /** The rounds that keys wait for. */
  readonly #rounds = new Map<string, number>();
  readonly #add: (key: string) => void;
  readonly #subscriptions = new DisposableStack();

  constructor(names: AttachNames, { own, clock }: SourceParts, add: (key: string) => void) {
    this.names = names;
    this.#add = add;
    this.#begunAt = clock.steady();
    this.pods = own(podGarbageSpecs.pods);
    this.nodes = own(podGarbageSpecs.nodes);
    this.#subscriptions.use(this.pods.on((event) => this.#podChanged(event)));
    this.#subscriptions.use(this.nodes.on((event) => this.#nodeChanged(event)));
  }

  /**
   * Returns how long a key has to wait for its round, in milliseconds. Rounds are at fixed times, so terminating Pods are seen for a
   * while.
   */
  untilRound(key: string, now: number): number {
    const round = this.#rounds.get(key) ?? this.#begunAt + Math.ceil((now - this.#begunAt) / ROUND_MS) * ROUND_MS;
    if (now < round) this.#rounds.set(key, round);
    else this.#rounds.delete(key);
    return round - now;
  }

  [Symbol.dispose](): void {
    this.#subscriptions.dispose();
  }

  #podChanged(event: ObjectEvent<Pod>): void {
    const { object: pod } = event;
    const { nodeName = "" } = pod.spec;
    if (event.type === "deleted" || isRemoved(pod)) {
      if (this.missingSince.has(nodeName)) this.#add(`node/${nodeName}`);
      return;
    }
    if (isTerminated(pod) && !(event.type === "changed" && isTerminated(event.old))) this.#add(TERMINATED);
    if (isUnplaced(pod)) this.#add(UNPLACED);
    if (nodeName === "") return;
    const node = this.nodes.get({ name: nodeName });
    if (!node || (isLeaving(pod) && isSwitchedOff(node, this.names))) this.#add(`node/${nodeName}`);
  }

  #nodeChanged({ type, object }: ObjectEvent<Node>): void {
    const { name } = object.metadata;
    const concerns = type === "deleted" || this.missingSince.has(name) || isSwitchedOff(object, this.names);
    if (concerns && this.pods.by("node", name).length > 0) this.#add(`node/${name}`);
  }
}
