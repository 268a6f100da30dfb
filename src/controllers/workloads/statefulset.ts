/**
 * Makes the Pods and claims of StatefulSets, in the order of their ordinals, and updates them from the last one.
 *
 * @module
 */
import { type Key, keyOf } from "../../client/index.ts";
import { type ControllerRevision, PersistentVolumeClaim, type Pod, StatefulSet } from "../../client/kinds/index.ts";
import { selectorOf } from "../../meta/label-selector.ts";
import { type Controller, type Source, defineController, sharedInformer, watches } from "../../runtime/index.ts";
import { inSlices } from "../../util/steps.ts";
import { claimPrefix, claimPrefixes, ordinalOf } from "../../workloads/statefulset/names.ts";
import { readRevisions } from "../../workloads/revisions/revision.ts";
import { planStatefulSet } from "../../workloads/statefulset/plan.ts";
import { mayAdopt } from "./adoption.ts";
import { candidatesOf, ofOwners, workloadPods, workloadRevisions } from "./informers.ts";
import { BACKOFF, performFor } from "./perform.ts";
import { namespaceOf } from "../../runtime/owners.ts";

const statefulSets = sharedInformer(StatefulSet, { indexes: { namespace: namespaceOf, claims: claimPrefixes } });
const claims = sharedInformer(PersistentVolumeClaim);

const selects = ({ spec }: StatefulSet, { metadata }: Pod | ControllerRevision): boolean =>
  spec.selector !== null && selectorOf(spec.selector).matches(metadata.labels);

/** A deleted claim is created again, or a Pod that waited for its deletion is created. */
const ofGoneClaims: Source<Key<"Namespaced">> = watches(
  claims,
  (claim: PersistentVolumeClaim, informer) => {
    const prefix = claimPrefix(claim);
    return prefix === undefined
      ? []
      : informer(statefulSets)
          .by("claims", prefix)
          .map((set) => keyOf<"Namespaced">(set));
  },
  ({ type }) => type === "deleted",
);

/** The controller named `statefulset`. */
export const statefulSet: Controller = defineController({
  name: "keelson-statefulset",
  eventSource: "statefulset-controller",
  for: statefulSets,
  sources: [
    ofOwners(workloadPods, statefulSets, (pod, set) => ordinalOf(set, pod) !== undefined && selects(set, pod)),
    ofOwners(workloadRevisions, statefulSets, (revision, set) => selects(set, revision)),
    ofGoneClaims,
  ],
  together: true,
  backoff: BACKOFF,
  async reconcile(ctx) {
    const { object: set, informer, clock } = ctx;
    const { namespace = "" } = set.metadata;
    const revisions = informer(workloadRevisions);
    await inSlices(readRevisions(candidatesOf(set, revisions)), clock.loop.slice());
    const plan = planStatefulSet({
      set,
      pods: candidatesOf(set, informer(workloadPods)),
      revisions: candidatesOf(set, revisions),
      revisionNamed: (name) => revisions.get({ namespace, name }),
      claimNamed: (name) => informer(claims).get({ namespace, name }),
      now: clock.now(),
    });
    return performFor(ctx, plan, () => mayAdopt(ctx.client, StatefulSet, set));
  },
});
