/**
 * What eviction sees and remembers: Pods, nodes with their taints, and which Pods are to go at what time. Keys are those of Pods.
 *
 * @module
 */
import { keyOf, keyText } from "../../../client/index.ts";
import { Node, Pod } from "../../../client/kinds/index.ts";
import { type SourceParts, type Informer, type ObjectEvent, sharedInformer } from "../../../runtime/index.ts";
import { nodeOfPod } from "../../common/nodes.ts";
import { evictingTaints } from "./plan.ts";

/** What eviction follows. */
export const evictionSpecs = {
  pods: sharedInformer(Pod, { indexes: { node: nodeOfPod } }),
  nodes: sharedInformer(Node),
};

/** A Pod that is to go at a time of the steady clock. */
export interface Waiting {
  readonly pod: Pod;
  readonly until: number;
}

/** See the head of this file. */
export class EvictionMemory implements Disposable {
  /** By the keys of Pods; of those that are gone none is kept. */
  readonly waiting = new Map<string, Waiting>();
  readonly #pods: Informer<Pod, "Namespaced", "node">;
  readonly #nodes: Informer<Node, "Cluster", never>;
  readonly #add: (key: string) => void;
  readonly #subscriptions = new DisposableStack();

  constructor({ own }: SourceParts, add: (key: string) => void) {
    this.#add = add;
    this.#pods = own(evictionSpecs.pods);
    this.#nodes = own(evictionSpecs.nodes);
    this.#subscriptions.use(this.#pods.on((event) => this.#podChanged(event)));
    this.#subscriptions.use(this.#nodes.on((event) => this.#nodeChanged(event)));
  }

  [Symbol.dispose](): void {
    this.#subscriptions.dispose();
  }

  pod(key: string): Pod | undefined {
    const at = key.indexOf("/");
    return this.#pods.get({ namespace: key.slice(0, at), name: key.slice(at + 1) });
  }

  node(name: string): Node | undefined {
    return this.#nodes.get({ name });
  }

  /** Most of what is written of Pods concerns nobody here: only Pods that wait, or are on a node with taints that evict. */
  #podChanged(event: ObjectEvent<Pod>): void {
    const { object: pod } = event;
    const key = keyText(keyOf(pod));
    if (this.waiting.has(key)) {
      if (event.type !== "changed" || relevantFieldsOf(event.old) !== relevantFieldsOf(pod)) this.#add(key);
      return;
    }
    const node = event.type === "deleted" ? undefined : this.node(pod.spec.nodeName ?? "");
    if (!node || evictingTaints(node).length === 0) return;
    if (event.type === "added" || relevantFieldsOf((event as { old: Pod }).old) !== relevantFieldsOf(pod))
      this.#add(key);
  }

  #nodeChanged(event: ObjectEvent<Node>): void {
    if (event.type === "deleted") return;
    const taints = evictingTaints(event.object);
    const isSame = event.type === "changed" && JSON.stringify(evictingTaints(event.old)) === JSON.stringify(taints);
    if (isSame || (taints.length === 0 && this.waiting.size === 0)) return;
    for (const pod of this.#pods.by("node", event.object.metadata.name)) this.#add(keyText(keyOf(pod)));
  }
}

/** What of a Pod matters here. */
const relevantFieldsOf = ({ metadata, spec }: Pod): string =>
  JSON.stringify([metadata.uid, spec.nodeName, spec.tolerations]);
