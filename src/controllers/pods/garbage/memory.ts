/**
 * What the collector of Pods sees: Pods, nodes, and since when nodes are missed.
 *
 * Keys are `node/NAME` for the Pods of a node, {@link UNPLACED} for those that leave without ever having had one, and {@link TERMINATED}
 * for those that have ended.
 *
 * @module
 */
import { Node, Pod } from "../../../client/kinds/index.ts";
import { type SourceParts, type Informer, type ObjectEvent, sharedInformer } from "../../../runtime/index.ts";
import type { AttachNames } from "../../../claims/attachment.ts";
import { nodeOfPod } from "../../common/nodes.ts";
import { isLeaving, isTerminated, isRemoved, isSwitchedOff } from "./plan.ts";

/** The key of Pods that leave and have no node. */
export const UNPLACED = "unplaced";
/** The key of Pods that have ended. */
export const TERMINATED = "ended";

const isUnplaced = (pod: Pod): boolean => isLeaving(pod) && !pod.spec.nodeName;

/** What the collector follows. */
export const podGarbageSpecs = {
  pods: sharedInformer(Pod, {
    indexes: {
      node: nodeOfPod,
      group: (pod: Pod) => [...(isUnplaced(pod) ? [UNPLACED] : []), ...(isTerminated(pod) ? [TERMINATED] : [])],
    },
  }),
  nodes: sharedInformer(Node),
};

/** See the head of this file. */
export class PodGarbageMemory implements Disposable {
  readonly names: AttachNames;
  readonly pods: Informer<Pod, "Namespaced", "node" | "group">;
  readonly nodes: Informer<Node, "Cluster", never>;
  /** By the names of nodes that have Pods and are not there; times of the steady clock. */
  readonly missingSince = new Map<string, number>();
  /** When those that have ended were last looked at. */
  countedAt = -Infinity;
  readonly #add: (key: string) => void;
  readonly #subscriptions = new DisposableStack();

  constructor(names: AttachNames, { own }: SourceParts, add: (key: string) => void) {
    this.names = names;
    this.#add = add;
    this.pods = own(podGarbageSpecs.pods);
    this.nodes = own(podGarbageSpecs.nodes);
    this.#subscriptions.use(this.pods.on((event) => this.#podChanged(event)));
    this.#subscriptions.use(this.nodes.on((event) => this.#nodeChanged(event)));
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
