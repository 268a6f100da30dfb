/** Keeps the number of Pods of ReplicaSets and ReplicationControllers; `src/workloads/replicas/` decides. */
import type { Kind } from "../../client/index.ts";
import { type Pod, ReplicaSet, ReplicationController } from "../../client/kinds/index.ts";
import {
  type Context,
  type Controller,
  type InformerSpec,
  defineController,
  sharedInformer,
} from "../../runtime/index.ts";
import { controllerOf } from "../../workloads/common/ownership.ts";
import { planReplicas } from "../../workloads/replicas/plan.ts";
import { type Replicated, fitsReplicas } from "../../workloads/replicas/replicated.ts";
import { mayAdopt } from "./adoption.ts";
import { candidatesOf, inNamespace, ofOwners, ownedBy, workloadPods, workloadReplicaSets } from "./informers.ts";
import { BACKOFF, performFor } from "./perform.ts";
import { namespaceOf } from "../../runtime/owners.ts";

const replicationControllers = sharedInformer(ReplicationController, { indexes: { namespace: namespaceOf } });

/** The controller named `replicaset`. */
export const replicaSets: Controller = controllerOfPods("replicaset", "replicaset-controller", workloadReplicaSets);

/** The controller named `replicationcontroller`. */
export const replicationControllerPods: Controller = controllerOfPods(
  "replicationcontroller",
  "replication-controller",
  replicationControllers,
);

function controllerOfPods<T extends Replicated>(
  name: string,
  eventSource: string,
  objects: InformerSpec<T, "Namespaced", "namespace">,
): Controller {
  return defineController({
    name: `keelson-${name}`,
    eventSource,
    for: objects,
    sources: [ofOwners(workloadPods, objects, fitsReplicas)],
    concurrency: 5,
    together: true,
    backoff: BACKOFF,
    async reconcile(ctx) {
      const { object, informer, client, clock } = ctx;
      const pods = informer(workloadPods);
      const plan = planReplicas({
        kind: objects.kind as unknown as Kind<Replicated, "Namespaced">,
        object,
        candidates: candidatesOf(object, pods),
        related: () => relatedPods(ctx),
        now: clock.now(),
      });
      return performFor(ctx, plan, () => mayAdopt(client, objects.kind, object));
    },
  });
}

/** The Pods of all ReplicaSets of one Deployment; none for a ReplicaSet without a controller (WL-RS-4). */
function relatedPods({
  object,
  informer,
}: Pick<Context<Replicated, "Namespaced">, "object" | "informer">): readonly Pod[] {
  const owner = controllerOf(object);
  if (!owner || object.kind !== ReplicaSet.kind) return [];
  const { namespace = "" } = object.metadata;
  const sets = inNamespace(namespace, informer(workloadReplicaSets).by("controller", owner.uid));
  const pods = informer(workloadPods);
  return sets.flatMap((set) => ownedBy(set, pods));
}
