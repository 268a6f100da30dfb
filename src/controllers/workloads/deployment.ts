/** Rolls out Deployments; `src/workloads/deployment/` decides. */
import { type ApiObject, type Key, keyOf } from "../../client/index.ts";
import { Deployment, type Pod, ReplicaSet } from "../../client/kinds/index.ts";
import { isFinished } from "../../claims/usage.ts";
import {
  type Controller,
  type GetInformer,
  type ObjectEvent,
  defineController,
  sharedInformer,
  watches,
} from "../../runtime/index.ts";
import { namespaceOf, ownerKey } from "../../runtime/owners.ts";
import { messageOf } from "../../util/error.ts";
import { fitsDeployment, planDeployment } from "../../workloads/deployment/plan.ts";
import { isRolling } from "../../workloads/deployment/shares.ts";
import { mayAdopt } from "./adoption.ts";
import { candidatesOf, ofOwners, ownedBy, workloadPods, workloadReplicaSets } from "./informers.ts";
import { BACKOFF, performFor } from "./perform.ts";

/** The Deployments by namespace. */
const deployments = sharedInformer(Deployment, { indexes: { namespace: namespaceOf } });

/** After this number of failures it waits for a change (WL-GEN-4). */
const MAX_TRIES = 15;

/** The Pods whose end a Deployment with the strategy Recreate waits for (WL-DEP-14). */
const endedPods = watches(
  workloadPods,
  (pod: Pod, informer: GetInformer): readonly Key<"Namespaced">[] => {
    const set = controllerIn(pod, ReplicaSet, (key) => informer(workloadReplicaSets).get(key));
    const deployment = set && controllerIn(set, Deployment, (key) => informer(deployments).get(key));
    return deployment && !isRolling(deployment) ? [keyOf<"Namespaced">(deployment)] : [];
  },
  (event: ObjectEvent<Pod>) =>
    event.type === "deleted" || (event.type === "changed" && isFinished(event.object) && !isFinished(event.old)),
);

/** Returns the controller of an object from memory. */
const controllerIn = <T extends ApiObject>(
  object: ApiObject,
  kind: typeof Deployment | typeof ReplicaSet,
  get: (key: Key<"Namespaced">) => T | undefined,
): T | undefined => {
  const key = ownerKey(object, kind);
  return key && get(key as Key<"Namespaced">);
};

/** The controller named `deployment`. */
export const deploymentRollout: Controller = defineController({
  name: "keelson-deployment",
  eventSource: "deployment-controller",
  for: deployments,
  sources: [ofOwners(workloadReplicaSets, deployments, fitsDeployment), endedPods],
  concurrency: 5,
  together: true,
  backoff: BACKOFF,
  async reconcile(ctx) {
    const { object, informer, client, clock, attempt } = ctx;
    const sets = informer(workloadReplicaSets);
    const pods = informer(workloadPods);
    const plan = planDeployment({
      deployment: object,
      candidates: candidatesOf(object, sets),
      named: (name) => sets.get({ namespace: object.metadata.namespace ?? "", name }),
      podsOf: (set) => ownedBy(set, pods),
      now: clock.now(),
    });
    try {
      return await performFor(ctx, plan, () => mayAdopt(client, Deployment, object));
    } catch (error) {
      if (attempt <= MAX_TRIES) throw error;
      return { terminal: messageOf(error) };
    }
  },
});
