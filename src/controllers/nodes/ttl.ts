/** Sets how long the agents of nodes may cache ConfigMaps and Secrets: in an annotation, by the number of nodes. */
import { attempt } from "../../client/index.ts";
import { Node } from "../../client/kinds/index.ts";
import {
  type Controller,
  type Informer,
  type SourceParts,
  defineKeyController,
  sharedInformer,
} from "../../runtime/index.ts";
import { REQUEUE_SOON } from "../../runtime/writes.ts";
import { TTL_ANNOTATION, type TtlStep, nextTtlStep, ttlSecondsOf } from "../../workloads/node-health/ttl.ts";

const nodes = sharedInformer(Node);

/** The controller named `ttl`; its keys are names of nodes (WL-NODE-1). */
export const nodeTtl: Controller = defineKeyController({
  name: "keelson-ttl",
  uses: [nodes],
  begin: (parts, add) => new TtlMemory(parts, add),
  async reconcile({ key: name, memory, client }) {
    const node = memory.nodes.get({ name });
    const wanted = ttlSecondsOf(memory.step).toString();
    if (!node || node.metadata.annotations?.[TTL_ANNOTATION] === wanted) return undefined;
    const patch = { metadata: { uid: node.metadata.uid, annotations: { [TTL_ANNOTATION]: wanted } } };
    const written = await attempt(client.resource(Node).patch({ name }, patch), "NotFound", "Conflict");
    return written.ok || written.reason === "NotFound" ? undefined : REQUEUE_SOON;
  },
});

/** The number of nodes, and its step. */
class TtlMemory implements Disposable {
  step: TtlStep = 0;
  readonly nodes: Informer<Node, "Cluster", never>;
  #count = 0;
  readonly #subscription: Disposable;

  constructor({ own }: SourceParts, add: (key: string) => void) {
    this.nodes = own(nodes);
    this.#subscription = this.nodes.on(({ type, object }) => {
      if (type !== "changed") this.#count += type === "added" ? 1 : -1;
      const step = nextTtlStep(this.step, this.#count);
      if (step === this.step) {
        if (type !== "deleted") add(object.metadata.name);
        return;
      }
      this.step = step;
      for (const { metadata } of this.nodes.list()) add(metadata.name);
    });
  }

  [Symbol.dispose](): void {
    this.#subscription[Symbol.dispose]();
  }
}
