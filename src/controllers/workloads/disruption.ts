/** Keeps the status of PodDisruptionBudgets, and resets the condition of evictions that did not happen. */
import {
  type ApiObject,
  type Client,
  type Key,
  type Kind,
  StatusError,
  attempt,
  keyOf,
  keyText,
  parseKey,
} from "../../client/index.ts";
import {
  Deployment,
  type Pod,
  PodDisruptionBudget,
  ReplicaSet,
  ReplicationController,
  StatefulSet,
} from "../../client/kinds/index.ts";
import type { ObjectMetaOwnerReference } from "../../client/kinds/types.ts";
import {
  type Controller,
  type GetInformer,
  type Informer,
  type InformerSpec,
  type KeyContext,
  type ObjectEvent,
  type Result,
  type SourceParts,
  defineKeyController,
  sharedInformer,
} from "../../runtime/index.ts";
import { selectorOf } from "../../meta/label-selector.ts";
import { groupOf } from "../../meta/versions.ts";
import { type Scale, type ScaleOf, planBudget } from "../../workloads/budget/budget.ts";
import { isDisrupted, planStaleCondition } from "../../workloads/budget/stale-condition.ts";
import { controllerOf } from "../../workloads/common/ownership.ts";
import { isReady, isTerminating } from "../../workloads/common/pods.ts";
import { bucketOfSelector, labelBuckets } from "../../workloads/common/selecting.ts";
import { sameMap } from "../../workloads/common/string-maps.ts";
import { perform } from "./perform.ts";
import { refusalText } from "./refusal.ts";
import { type NoScale, readScale, scaledKind } from "./scale.ts";
import { selectedPods } from "./services.ts";

/** Indexes budgets by one label that their selectors require. */
const bucketOfBudget = ({ metadata, spec }: PodDisruptionBudget): string | undefined =>
  spec.selector && bucketOfSelector(metadata.namespace ?? "", selectorOf(spec.selector));

const budgets = sharedInformer(PodDisruptionBudget, { indexes: { selector: bucketOfBudget } });
const deployments = sharedInformer(Deployment);
const replicaSets = sharedInformer(ReplicaSet);
const statefulSets = sharedInformer(StatefulSet);
const replicationControllers = sharedInformer(ReplicationController);
const scalable = [
  deployments,
  replicaSets,
  statefulSets,
  replicationControllers,
] as readonly unknown[] as readonly InformerSpec<Scalable>[];

const BUDGET = "budget ";
const POD = "pod ";

/** The keys to reconcile. */
class BudgetMemory implements Disposable {
  /** Budgets whose spec or Pods have changed since the last reconcile, and Pods of several budgets: their Events are due. */
  readonly news = new Set<string>();
  readonly #following = new DisposableStack();
  readonly #add: (key: string) => void;

  constructor({ own }: SourceParts, add: (key: string) => void) {
    this.#add = add;
    const all = own(budgets);
    this.#following.use(
      all.on((event) => {
        const isWritten =
          event.type === "changed" && event.old.metadata.generation === event.object.metadata.generation;
        if (event.type !== "deleted") this.#look(event.object, !isWritten);
      }),
    );
    // A change of the controllers of Pods may be seen after those of the Pods.
    for (const spec of scalable) this.#following.use(own(spec).on((event) => this.#scaled(event, all)));
    this.#following.use(
      own(selectedPods).on((event) => {
        if (event.type !== "deleted" && isDisrupted(event.object)) add(POD + keyText(keyOf(event.object)));
        if (!matters(event)) return;
        const after = budgetsOf(event.object, all);
        const before = event.type === "changed" ? budgetsOf(event.old, all) : [];
        for (const budget of [...after, ...before]) this.#look(budget, true);
        if (event.type === "deleted" || after.length < 2) return;
        const key = POD + keyText(keyOf(event.object));
        this.news.add(key);
        add(key);
      }),
    );
  }

  #scaled(event: ObjectEvent<Scalable>, all: Budgets): void {
    const { object } = event;
    if (event.type === "changed" && event.old.spec.replicas === object.spec.replicas) return;
    const { labels } = object.spec.template?.metadata ?? {};
    if (!labels) return;
    const { namespace = "" } = object.metadata;
    for (const budget of budgetsOf({ metadata: { namespace, labels } }, all)) this.#look(budget, false);
  }

  #look(budget: PodDisruptionBudget, isNews: boolean): void {
    const key = BUDGET + keyText(keyOf(budget));
    if (isNews) this.news.add(key);
    this.#add(key);
  }

  [Symbol.dispose](): void {
    this.#following.dispose();
  }
}

type Budgets = Informer<PodDisruptionBudget, "Namespaced", "selector">;

/** The budgets that select a Pod. */
const budgetsOf = (pod: Parameters<typeof labelBuckets>[0], all: Budgets): readonly PodDisruptionBudget[] =>
  labelBuckets(pod)
    .flatMap((bucket) => all.by("selector", bucket))
    .filter(({ spec }) => selectorOf(spec.selector!).matches(pod.metadata.labels));

/** Whether a change of a Pod can change the status of a budget. */
function matters(event: ObjectEvent<Pod>): boolean {
  if (event.type !== "changed") return true;
  const { old, object } = event;
  return (
    isReady(old) !== isReady(object) ||
    isTerminating(old) !== isTerminating(object) ||
    controllerOf(old)?.uid !== controllerOf(object)?.uid ||
    !sameMap(old.metadata.labels, object.metadata.labels)
  );
}

/** The message of kube-controller-manager; the status of every budget is correct all the same. */
const ambiguousNote = ({ metadata: { namespace, name } }: Pod, budget: PodDisruptionBudget): string =>
  `Pod ${JSON.stringify(namespace)}/${JSON.stringify(name)} matches multiple PodDisruptionBudgets.  Chose ${JSON.stringify(budget.metadata.name)} arbitrarily.`;

type BudgetContext = KeyContext<BudgetMemory>;

/** The controller named `disruption` (WL-PDB-1..4, WL-PDB-10). */
export const disruption: Controller = defineKeyController({
  name: "keelson-disruption",
  eventSource: "controllermanager",
  uses: [budgets, selectedPods, deployments, replicaSets, statefulSets, replicationControllers],
  begin: (parts, add) => new BudgetMemory(parts, add),
  reconcile: (ctx) => (ctx.key.startsWith(POD) ? lookAtPod(ctx) : lookAtBudget(ctx)),
});

async function lookAtPod({ key, memory, informer, client, clock, event }: BudgetContext): Promise<Result> {
  const isNews = memory.news.delete(key);
  const pod = informer(selectedPods).get(parseKey(key.slice(POD.length)));
  if (!pod) return undefined;
  const [first, second] = isNews ? budgetsOf(pod, informer(budgets)) : [];
  if (first && second) event("Warning", pod, "MultiplePodDisruptionBudgets", ambiguousNote(pod, first));
  return perform(planStaleCondition(pod, clock.now()), { client, tell: (type, ...told) => event(type, pod, ...told) });
}

async function lookAtBudget({
  key,
  memory,
  informer,
  client,
  clock,
  kinds,
  event,
  signal,
}: BudgetContext): Promise<Result> {
  const isNews = memory.news.delete(key);
  const budget = informer(budgets).get(parseKey(key.slice(BUDGET.length)));
  if (!budget) return undefined;
  const pods = podsOf(budget, informer);
  const foreign = needsScale(budget)
    ? await foreignScales(pods, client, await foreignKinds(pods, kinds), signal)
    : NONE;
  const scaleOf = scalesIn(informer, foreign);
  const plan = planBudget({ budget, pods, scaleOf, now: clock.now(), isNews });
  for (const pod of plan.overdue) {
    event(
      "Warning",
      pod,
      "NotDeleted",
      `Pod was expected by PDB ${budget.metadata.namespace}/${budget.metadata.namespace} to be deleted but it wasn't`,
    );
  }
  return perform(plan, { client, tell: (type, ...told) => event(type, budget, ...told) });
}

function podsOf(budget: PodDisruptionBudget, informer: GetInformer): readonly Pod[] {
  const { selector } = budget.spec;
  if (!selector) return [];
  const { namespace = "" } = budget.metadata;
  const compiled = selectorOf(selector);
  return informer(selectedPods)
    .by("label", bucketOfSelector(namespace, compiled))
    .filter(({ metadata }) => compiled.matches(metadata.labels));
}

const needsScale = ({ spec: { minAvailable, maxUnavailable } }: PodDisruptionBudget): boolean =>
  maxUnavailable !== undefined || typeof minAvailable === "string";

type Scales = ReadonlyMap<string, Scale | string>;
const NONE: Scales = new Map();

const OWN_KINDS = new Set(["Deployment", "ReplicaSet", "StatefulSet", "ReplicationController"]);

/** Whether an informer has the controllers of a reference. */
const isOwnKind = ({ apiVersion, kind }: ObjectMetaOwnerReference): boolean =>
  OWN_KINDS.has(kind) && groupOf(apiVersion) === (kind === "ReplicationController" ? "" : "apps");

/** The controllers of Pods of other kinds, each once. */
const foreignOwners = (pods: readonly Pod[]): readonly (readonly [ObjectMetaOwnerReference, Pod])[] => {
  const owners = new Map<string, readonly [ObjectMetaOwnerReference, Pod]>();
  for (const pod of pods) {
    const reference = controllerOf(pod);
    if (reference && !isOwnKind(reference))
      owners.set(reference.uid, [reference, owners.get(reference.uid)?.[1] ?? pod]);
  }
  return [...owners.values()];
};

type Scaled = ReturnType<typeof scaledKind>;

async function foreignKinds(
  pods: readonly Pod[],
  kinds: BudgetContext["kinds"],
): Promise<(reference: ObjectMetaOwnerReference) => Scaled> {
  const served = foreignOwners(pods).length > 0 ? await kinds.read() : [];
  return (reference) => scaledKind(served, reference);
}

/** Reads the scale subresources of the controllers of Pods that no informer has. */
async function foreignScales(
  pods: readonly Pod[],
  client: Client,
  kindOf: (reference: ObjectMetaOwnerReference) => Scaled,
  signal: AbortSignal,
): Promise<Scales> {
  const scales = new Map<string, Scale | string>();
  for (const [reference, pod] of foreignOwners(pods)) {
    const { namespace = "" } = pod.metadata;
    const kind = kindOf(reference);
    // oxlint-disable-next-line no-await-in-loop -- there is hardly more than one
    scales.set(
      reference.uid,
      "lacks" in kind
        ? noScale(kind.lacks, reference)
        : await foreignScale(client, kind, reference, { pod: pod.metadata.name, namespace, signal }),
    );
  }
  return scales;
}

async function foreignScale(
  client: Client,
  kind: Kind,
  { name, uid }: ObjectMetaOwnerReference,
  { pod, namespace, signal }: { readonly pod: string; readonly namespace: string; readonly signal: AbortSignal },
): Promise<Scale | string> {
  try {
    const found = await attempt(readScale(client, kind, { namespace, name }, signal), "NotFound");
    if (!found.ok || found.value.metadata.uid !== uid) return noController(pod);
    return { uid, replicas: found.value.spec?.replicas ?? 0 };
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return refusalText(error);
  }
}

const noController = (pod: string): string => `found no controllers for pod ${JSON.stringify(pod)}`;

function noScale(lacks: NoScale, { kind, apiVersion }: ObjectMetaOwnerReference): string {
  if (lacks === "kind") return `no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}`;
  const { plural, group } = lacks;
  return `${group === "" ? plural : `${plural}.${group}`} does not implement the scale subresource`;
}

/** Finds the scale of a controller in memory, or among those that were read. */
function scalesIn(informer: GetInformer, foreign: Scales): ScaleOf {
  return (reference, pod) => {
    const known = foreign.get(reference.uid);
    if (known !== undefined) return known;
    const key: Key<"Namespaced"> = { namespace: pod.metadata.namespace ?? "", name: reference.name };
    const found = ownScale(informer, reference, key);
    return found ?? noController(pod.metadata.name);
  };
}

function ownScale(
  informer: GetInformer,
  { kind, uid }: ObjectMetaOwnerReference,
  key: Key<"Namespaced">,
): Scale | undefined {
  switch (kind) {
    case "ReplicaSet":
      return scaleOfReplicaSet(informer, uid, key);
    case "StatefulSet":
      return scaleIn(informer(statefulSets).get(key), uid);
    case "ReplicationController":
      return scaleIn(informer(replicationControllers).get(key), uid);
    default:
      return scaleIn(informer(deployments).get(key), uid);
  }
}

/** The scale of the Deployment of a ReplicaSet, or its own where it has none. */
function scaleOfReplicaSet(informer: GetInformer, uid: string, key: Key<"Namespaced">): Scale | undefined {
  const set = informer(replicaSets).get(key);
  if (set?.metadata.uid !== uid) return undefined;
  const owner = controllerOf(set);
  if (owner?.kind !== "Deployment") return scaleIn(set, uid);
  return scaleIn(informer(deployments).get({ ...key, name: owner.name }), owner.uid);
}

/** The controllers of Pods, as far as they matter here. */
interface Scalable extends ApiObject {
  readonly spec: {
    readonly replicas?: number;
    readonly template?: { readonly metadata?: { readonly labels?: Readonly<Record<string, string>> } };
  };
}

const scaleIn = (object: Scalable | undefined, uid: string): Scale | undefined =>
  object?.metadata.uid === uid ? { uid, replicas: object.spec.replicas ?? 1 } : undefined;
