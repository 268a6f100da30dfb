/**
 * Makes a Pod of each DaemonSet on each node that fits, and updates them some nodes at a time.
 *
 * @module
 */
import { type Key, keyOf } from "../../client/index.ts";
import { type ControllerRevision, DaemonSet, Node, type Pod } from "../../client/kinds/index.ts";
import { selectorOf } from "../../meta/label-selector.ts";
import {
  type Controller,
  type GetInformer,
  type Predicate,
  type Source,
  changed,
  defineController,
  sharedInformer,
  watches,
} from "../../runtime/index.ts";
import { inSlices } from "../../util/steps.ts";
import { controllerUid, namespaceOf } from "../../runtime/owners.ts";
import { FailureMemory } from "../../workloads/daemonset/backoff.ts";
import { fitOf, judgeNodes } from "../../workloads/daemonset/fit.ts";
import { planDaemonSet } from "../../workloads/daemonset/plan.ts";
import { readRevisions } from "../../workloads/revisions/revision.ts";
import { mayAdopt } from "./adoption.ts";
import { candidatesOf, ofOwners, workloadPods, workloadRevisions } from "./informers.ts";
import { BACKOFF, performFor } from "./perform.ts";

const daemonSets = sharedInformer(DaemonSet, { indexes: { namespace: namespaceOf } });
const nodes = sharedInformer(Node);

const selects = ({ spec }: DaemonSet, { metadata }: Pod | ControllerRevision): boolean =>
  spec.selector !== null && selectorOf(spec.selector).matches(metadata.labels);

const taintsChanged: Predicate<Node> = (event) =>
  event.type === "changed" && JSON.stringify(event.object.spec.taints) !== JSON.stringify(event.old.spec.taints);

const mayFitAnew: Predicate<Node> = (event) =>
  event.type !== "deleted" && (changed.labels(event) || taintsChanged(event));

/** The DaemonSets that lack a Pod on a node, have one too many there, or count Pods on the wrong node (WL-DS-4). */
const ofNodes: Source<Key<"Namespaced">> = watches(
  nodes,
  ({ metadata: { name } }: Node, informer) => {
    // Both states of a change are mapped; only the current one counts.
    const node = informer(nodes).get({ name });
    if (!node) return [];
    const here = informer(workloadPods).by("node", name);
    const owners = new Set(here.map((pod) => `${pod.metadata.namespace} ${controllerUid(pod)}`));
    return informer(daemonSets)
      .list()
      .filter((set) => {
        const fit = fitOf(set.spec.template)(node);
        if (!owners.has(`${set.metadata.namespace} ${set.metadata.uid}`)) return fit === "runs";
        return fit === "none" || set.status.numberMisscheduled > 0;
      })
      .map((set) => keyOf<"Namespaced">(set));
  },
  mayFitAnew,
);

/** The memories of controllers, by what each has seen: a definition can run more than once. */
const memories = new WeakMap<GetInformer, FailureMemory>();

function memoryOf(informer: GetInformer): FailureMemory {
  let memory = memories.get(informer);
  if (!memory) memories.set(informer, (memory = new FailureMemory()));
  return memory;
}

/** The controller named `daemonset`. */
export const daemonSet: Controller = defineController({
  name: "keelson-daemonset",
  eventSource: "daemonset-controller",
  for: daemonSets,
  sources: [
    ofOwners(workloadPods, daemonSets, (pod, set) => selects(set, pod)),
    ofOwners(workloadRevisions, daemonSets, (revision, set) => selects(set, revision)),
    ofNodes,
  ],
  together: true,
  backoff: BACKOFF,
  async reconcile(ctx) {
    const { object: set, informer, clock } = ctx;
    const { namespace = "", uid } = set.metadata;
    const revisions = informer(workloadRevisions);
    const memory = memoryOf(informer);
    const slice = clock.loop.slice();
    await inSlices(readRevisions(candidatesOf(set, revisions)), slice);
    await inSlices(judgeNodes(set.spec.template, informer(nodes).list()), slice);
    const now = clock.now();
    // A new generation starts again.
    const failures = (node: string): string => `${uid}/${set.status.observedGeneration ?? 0}/${node}`;
    const { failedOn, ...plan } = planDaemonSet({
      set,
      nodes: informer(nodes).list(),
      pods: candidatesOf(set, informer(workloadPods)),
      revisions: candidatesOf(set, revisions),
      revisionNamed: (name) => revisions.get({ namespace, name }),
      waitOf: (node) => memory.wait(failures(node), now),
      now,
    });
    for (const node of failedOn) memory.add(failures(node), now);
    return performFor(ctx, plan, () => mayAdopt(ctx.client, DaemonSet, set));
  },
});
