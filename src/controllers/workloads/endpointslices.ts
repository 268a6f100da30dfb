/** Keeps the EndpointSlices of Services with a selector. */
import { type Key, parseKey } from "../../client/index.ts";
import type { Node } from "../../client/kinds/index.ts";
import { type Controller, type SourceParts, defineKeyController } from "../../runtime/index.ts";
import { inSlices } from "../../util/steps.ts";
import { hasPods } from "../../workloads/endpoints/pods.ts";
import { SLICES_MANAGED_BY, planSlices } from "../../workloads/endpoints/slices.ts";
import { type SeenTimes, triggerTimeOf } from "../../workloads/endpoints/trigger-time.ts";
import { performInNamespace } from "./in-namespace.ts";
import {
  followServices,
  followSlices,
  nodes,
  podsOf,
  selectedPods,
  selectingServices,
  slicesOf,
  slicesOfServices,
} from "./services.ts";

/** The keys to reconcile, and the times of triggers: they are only used for an annotation, and begin again with each term. */
class SlicesMemory implements Disposable {
  readonly seen = new Map<string, SeenTimes>();
  readonly #following: DisposableStack;

  constructor(parts: SourceParts, add: (key: string) => void) {
    this.#following = followServices(parts, add, { withNodes: true });
    this.#following.use(followSlices(parts.own, add, SLICES_MANAGED_BY));
  }

  [Symbol.dispose](): void {
    this.#following.dispose();
  }
}

/** The controller named `endpointslice` (WL-EP-1..6). */
export const endpointSlices: Controller = defineKeyController({
  name: "keelson-endpointslice",
  eventSource: "endpoint-slice-controller",
  uses: [selectingServices, selectedPods, nodes, slicesOfServices],
  begin: (parts, add) => new SlicesMemory(parts, add),
  async reconcile({ key: text, memory, informer, client, clock, event }) {
    const key: Key<"Namespaced"> = parseKey(text);
    const service = informer(selectingServices).get(key);
    if (!service) memory.seen.delete(text);
    // Slices of a deleted Service are deleted with it.
    if (!service || !hasPods(service)) return undefined;
    const pods = podsOf(service, informer(selectedPods));
    const { seen, text: triggerTime } = triggerTimeOf(service, pods, memory.seen.get(text));
    memory.seen.set(text, seen);
    const known = informer(nodes);
    const slices = slicesOf(key, informer(slicesOfServices), SLICES_MANAGED_BY);
    const nodeOf = (name: string): Node | undefined => known.get({ name });
    const steps = planSlices({ service, pods, slices, nodeOf, triggerTime });
    const plan = await inSlices(steps, clock.loop.slice());
    return performInNamespace(plan, { client, tell: (type, ...told) => event(type, service, ...told) });
  },
});
