/** Keeps the Endpoints of Services with a selector, and deletes those of deleted Services. */
import { type Key, parseKey } from "../../client/index.ts";
import { Endpoints } from "../../client/kinds/index.ts";
import { type Controller, type SourceParts, defineKeyController, sharedInformer } from "../../runtime/index.ts";
import { deleteObject } from "../../runtime/writes.ts";
import { inSlices } from "../../util/steps.ts";
import { ENDPOINTS_MANAGED_BY, planEndpoints } from "../../workloads/endpoints/endpoints.ts";
import { hasPods } from "../../workloads/endpoints/pods.ts";
import { type SeenTimes, triggerTimeOf } from "../../workloads/endpoints/trigger-time.ts";
import { performInNamespace } from "./in-namespace.ts";
import { followServices, podsOf, selectedPods, selectingServices, textOf } from "./services.ts";

/** All Endpoints. */
export const allEndpoints = sharedInformer(Endpoints);

/** The keys to reconcile, the times of triggers, and the Services that were deleted in this term. */
class EndpointsMemory implements Disposable {
  readonly seen = new Map<string, SeenTimes>();
  readonly gone = new Set<string>();
  readonly #following: DisposableStack;

  constructor(parts: SourceParts, add: (key: string) => void) {
    this.#following = followServices(parts, add, { withNodes: false });
    this.#following.use(
      parts.own(selectingServices).on(({ type, object }) => {
        if (type === "deleted") this.gone.add(textOf(object));
        else this.gone.delete(textOf(object));
      }),
    );
    this.#following.use(parts.own(allEndpoints).on(({ object }) => add(textOf(object))));
  }

  [Symbol.dispose](): void {
    this.#following.dispose();
  }
}

/** The controller named `endpoints` (WL-EP-1, WL-EP-3..6). */
export const endpoints: Controller = defineKeyController({
  name: "keelson-endpoints",
  eventSource: "endpoint-controller",
  uses: [selectingServices, selectedPods, allEndpoints],
  begin: (parts, add) => new EndpointsMemory(parts, add),
  async reconcile({ key: text, memory, informer, client, clock, event }) {
    const key: Key<"Namespaced"> = parseKey(text);
    const service = informer(selectingServices).get(key);
    const current = informer(allEndpoints).get(key);
    if (!service) {
      memory.seen.delete(text);
      const isOurs = current?.metadata.labels?.[ENDPOINTS_MANAGED_BY] !== undefined;
      // Endpoints that a client created without a Service stay.
      if (current && (isOurs || memory.gone.has(text))) await deleteObject(client, Endpoints, current);
      memory.gone.delete(text);
      return undefined;
    }
    if (!hasPods(service)) return undefined;
    const pods = podsOf(service, informer(selectedPods));
    const { seen, text: triggerTime } = triggerTimeOf(service, pods, memory.seen.get(text));
    memory.seen.set(text, seen);
    const plan = await inSlices(planEndpoints({ service, pods, current, triggerTime }), clock.loop.slice());
    return performInNamespace(plan, { client, tell: (type, ...told) => event(type, current ?? service, ...told) });
  },
});
