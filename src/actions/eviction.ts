/**
 * `pods/NAME/eviction`: a delete of a Pod that its budget must allow (KIND-PodDisruptionBudget-7..14).
 *
 * The controller of budgets writes into the status of a budget how many Pods may be missing. An eviction takes one of them
 * before it deletes, so that two evictions never take the same one. A Pod that needs none is deleted only in the version that
 * the decision was made for.
 *
 * @module
 */
import { type DeleteOptions, type SentDeleteOptions, checkDeleteOptions } from "../meta/delete-options.ts";
import { ApiError, badRequest, done, hasReason, invalid } from "../meta/status.ts";
import {
  type ActionRequest,
  type Actions,
  type Kind,
  type Proposal,
  type RegistryAccess,
  type WriteResult,
  actionKey,
  checkPreconditions,
  commitTogether,
  currentOf,
  deleteOwn,
  ownChange,
  ownStatusChange,
} from "../registry/index.ts";
import { copyOf, guardOf } from "../schema/api-object.ts";
import type { ApiObject } from "../schema/definition.ts";
import { assert } from "../util/assert.ts";
import type { Lookup } from "../schema/lookup.ts";
import { isBudget, needsNoBudget, needsNoCount, notCounted, selectingOf, takeDisruption } from "./budgets.ts";
import { type Pod, asPod, makeTrue, podKind } from "./pods.ts";

const EVICTION = { group: "policy", kind: "Eviction" };

interface Eviction extends ApiObject {
  deleteOptions?: SentDeleteOptions & { readonly ignoreStoreReadErrorWithClusterBreakingPotential?: boolean };
}

/** The action of an Eviction of a Pod. */
export function evictionAction(access: RegistryAccess): Actions {
  const handle = async (request: ActionRequest) => {
    const { kinds, lookup } = access;
    await evict({ request, pods: podKind(access), budgets: kinds.stored(BUDGETS), lookup });
    return done();
  };
  return new Map([[actionKey(EVICTION), { validate, handle }]]);
}

const isEviction = guardOf<Eviction>(EVICTION.kind);
const BUDGETS = "poddisruptionbudgets.policy";

function validate(request: ActionRequest): void {
  const { object, target } = request;
  const { name } = object.metadata;
  if (name !== target.name) {
    throw badRequest(
      `expected metadata.name of the Eviction to be ${target.name} as in the path, got ${name ?? "none"}`,
    );
  }
  const member = "ignoreStoreReadErrorWithClusterBreakingPotential";
  if (isEviction(object) && object.deleteOptions?.[member]) {
    const cause = {
      reason: "FieldValueInvalid",
      message: "Invalid value: true: expected none in an eviction",
    } as const;
    throw invalid(EVICTION, name, [{ ...cause, field: `deleteOptions.${member}` }]);
  }
  optionsOf(request);
}

/** The options of the delete; the query or the body may request a dry run. */
function optionsOf({ object, options }: ActionRequest): DeleteOptions {
  const sent = checkDeleteOptions((isEviction(object) && object.deleteOptions) || {});
  return { ...sent, dryRun: sent.dryRun || options.dryRun };
}

/** A running eviction. */
interface RunningEviction {
  readonly request: ActionRequest;
  readonly pods: Kind;
  /** Undefined where there are no budgets. */
  readonly budgets: Kind | undefined;
  readonly lookup: Lookup;
}

/** How often a Pod may change during its eviction before the request fails. */
const MAX_TRIES = 12;

async function evict(eviction: RunningEviction): Promise<void> {
  const { request, pods } = eviction;
  const options = optionsOf(request);
  const isDemanded = options.preconditions?.resourceVersion !== undefined;
  const asSeen = (seen: Pod): DeleteOptions => (isDemanded ? options : atVersionOf(options, seen));
  let pod = asPod(currentOf(pods, request.target));
  for (let tries = 1; needsNoBudget(pod); tries++) {
    // A Pod that may begin to run, and then needs its budget.
    const mayRun = pod.status?.phase === "Pending" && pod.metadata.deletionTimestamp === undefined;
    try {
      return await remove(eviction, mayRun ? asSeen(pod) : options);
    } catch (error) {
      if (!mayRun || isDemanded || !hasReason(error, "Conflict") || tries >= MAX_TRIES) throw error;
    }
    pod = asPod(currentOf(pods, request.target));
  }
  const name = await budgetOf(eviction, pod);
  const isCounted = name === undefined || !needsNoCountOf(eviction, name, pod);
  const counting = name === undefined || !isCounted ? undefined : count(eviction, name, pod, options.dryRun);
  try {
    await remove(eviction, isCounted ? options : asSeen(pod), counting);
  } catch (error) {
    // The Pod may have become healthy.
    if (!isCounted && !isDemanded && hasReason(error, "Conflict")) throw notCounted(name);
    throw error;
  }
}

/** The name of the budget that selects a Pod; undefined where none does. */
async function budgetOf({ lookup }: RunningEviction, { metadata }: Pod): Promise<string | undefined> {
  const all = await lookup.collect(BUDGETS, selectingOf, metadata.namespace ?? "");
  const names = all.filter(({ selector }) => selector.matches(metadata.labels)).map(({ name }) => name);
  if (names.length <= 1) return names[0];
  throw severalBudgets(metadata.name ?? "", names);
}

/** 500 without a reason, as clients know it (WL-PDB-10): no eviction can be counted by several budgets. */
const severalBudgets = (pod: string, names: readonly string[]): ApiError =>
  new ApiError(
    "InternalError",
    `expected at most one PodDisruptionBudget that selects the pod ${pod}, found ${names.join(", ")}`,
    { unnamed: true, ofObject: true },
  );

/** Whether a Pod may be deleted without being counted by its budget. */
function needsNoCountOf({ lookup }: RunningEviction, name: string, pod: Pod): boolean {
  const seen = lookup.get(BUDGETS, pod.metadata.namespace ?? "", name);
  return isBudget(seen) && needsNoCount(pod, seen);
}

/** Takes a disruption from a budget; a dry run only looks whether there is one. Throws 429 where there is none. */
function count(
  { budgets: kind, request }: RunningEviction,
  name: string,
  { metadata }: Pod,
  dryRun: boolean,
): Proposal<WriteResult> | undefined {
  assert(kind, "a budget was found");
  const { name: pod = "", namespace = "" } = metadata;
  const key = { namespace, name };
  const take = (budget: ApiObject): void => takeDisruption(kind.ref, budget, pod, request.ctx.clock);
  if (!dryRun) return ownStatusChange(kind, key, take);
  take(copyOf(currentOf(kind, key)));
  return undefined;
}

/** The same options, for one version of a Pod. */
const atVersionOf = (options: DeleteOptions, { metadata: { resourceVersion = "" } }: ApiObject): DeleteOptions => ({
  ...options,
  preconditions: { ...options.preconditions, resourceVersion },
});

/** Writes the reason into the conditions of the Pod, together with the count of its budget, and deletes the Pod. */
async function remove(
  { pods: kind, request }: RunningEviction,
  options: DeleteOptions,
  counting?: Proposal<WriteResult>,
): Promise<void> {
  const { target, ctx } = request;
  let how = options;
  if (!options.dryRun) {
    const marking = ownChange(kind, target, { ctx }, (old) => {
      checkPreconditions({ kind, target, options }, old);
      return marked(old, request);
    });
    const written = (await commitTogether(counting ? [counting, marking] : [marking])).at(-1);
    if (written && options.preconditions?.resourceVersion !== undefined) how = atVersionOf(options, written.object);
  }
  await deleteOwn(kind, target, how);
}

function marked(old: ApiObject, { ctx }: ActionRequest): ApiObject {
  const pod = copyOf(asPod(old));
  const condition = { type: "DisruptionTarget", reason: "EvictionByEvictionAPI", message: "evicted through the API" };
  makeTrue(pod, condition, ctx.clock);
  return pod;
}
