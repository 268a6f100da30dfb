/** Mirrors the Endpoints that a client creates for a Service without a selector into EndpointSlices. */
import { type Key, parseKey } from "../../client/index.ts";
import { type Controller, type SourceParts, defineKeyController } from "../../runtime/index.ts";
import { inSlices } from "../../util/steps.ts";
import { MIRRORED_BY, planMirror } from "../../workloads/endpoints/mirror.ts";
import { allEndpoints } from "./endpoints.ts";
import { performInNamespace } from "./in-namespace.ts";
import { followSlices, selectingServices, slicesOf, slicesOfServices, textOf } from "./services.ts";

/** Adds the keys of Endpoints, of Services of their names and of mirrored slices. */
function follow({ own }: SourceParts, add: (key: string) => void): DisposableStack {
  const following = new DisposableStack();
  following.use(own(selectingServices).on(({ object }) => add(textOf(object))));
  following.use(own(allEndpoints).on(({ object }) => add(textOf(object))));
  following.use(followSlices(own, add, MIRRORED_BY));
  return following;
}

/** The controller named `endpointslicemirroring` (WL-EP-7). */
export const endpointSliceMirroring: Controller = defineKeyController({
  name: "keelson-endpointslicemirroring",
  eventSource: "endpoint-slice-mirroring-controller",
  uses: [selectingServices, allEndpoints, slicesOfServices],
  begin: follow,
  async reconcile({ key: text, informer, client, clock, event }) {
    const key: Key<"Namespaced"> = parseKey(text);
    const endpoints = informer(allEndpoints).get(key);
    const slices = slicesOf(key, informer(slicesOfServices), MIRRORED_BY);
    if (!endpoints && slices.length === 0) return undefined;
    const service = informer(selectingServices).get(key);
    const plan = await inSlices(planMirror({ service, endpoints, slices }), clock.loop.slice());
    const tell =
      endpoints && ((type: "Normal" | "Warning", ...told: [string, string]) => event(type, endpoints, ...told));
    return performInNamespace(plan, { client, tell: tell ?? (() => {}) });
  },
});
