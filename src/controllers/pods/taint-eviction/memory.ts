import { keyOf, keyText, parseKey } from "../../../client/index.ts";
import { Node, Pod } from "../../../client/kinds/index.ts";
import { type SourceParts, type Informer, type ObjectEvent, sharedInformer } from "../../../runtime/index.ts";
import { nodeOfPod } from "../../common/nodes.ts";
import { evictingTaints } from "./plan.ts";

/** The informers of taint eviction. */
export const evictionSpecs = {
  pods: sharedInformer(Pod, { indexes: { node: nodeOfPod } }),
  nodes: sharedInformer(Node),
};

/** A Pod and its eviction time on the steady clock. */
export interface Waiting {
  readonly pod: Pod;
  readonly until: number;
}

/** The memory of taint eviction: Pods, nodes, and the eviction times of Pods. Keys are those of Pods. */
export class EvictionMemory implements Disposable {
  /** By the keys of Pods; deleted Pods are removed. */
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
    return this.#pods.get(parseKey(key));
  }

  node(name: string): Node | undefined {
    return this.#nodes.get({ name });
  }

  /** Adds a Pod only where it waits for eviction, or is on a node with NoExecute taints. */
  #podChanged(event: ObjectEvent<Pod>): void {
    const { object: pod } = event;
    const key = keyText(keyOf(pod));
    if (this.waiting.has(key)) {
      if (event.type !== "changed" || relevantFieldsOf(event.old) !== relevantFieldsOf(pod)) this.#add(key);
      return;
    }
    if (event.type === "deleted") return;
    const node = this.node(pod.spec.nodeName ?? "");
    if (!node || evictingTaints(node).length === 0) return;
    if (event.type !== "changed" || relevantFieldsOf(event.old) !== relevantFieldsOf(pod)) this.#add(key);
  }

  #nodeChanged(event: ObjectEvent<Node>): void {
    if (event.type === "deleted") return;
    const taints = evictingTaints(event.object);
    const isSame = event.type === "changed" && JSON.stringify(evictingTaints(event.old)) === JSON.stringify(taints);
    if (isSame || (taints.length === 0 && this.waiting.size === 0)) return;
    for (const pod of this.#pods.by("node", event.object.metadata.name)) this.#add(keyText(keyOf(pod)));
  }
}

/** The fields of a Pod that matter here. */
const relevantFieldsOf = ({ metadata, spec }: Pod): string =>
  JSON.stringify([metadata.uid, spec.nodeName, spec.tolerations]);
