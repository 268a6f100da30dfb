/**
 * `pods/NAME/eviction`: a delete of a Pod that its budget must allow (KIND-PodDisruptionBudget-7..14).
 *
 * The controller of budgets writes into the status of a budget how many Pods may be missing; an eviction takes one of them
 * before it deletes, so that two at a time never take the same. What was decided of a Pod that needs none holds for the version
 * that was looked at only.
 *
 * @module
 */
import { asValue, copyOf } from "../../schema/api-object.ts";
import type { ApiObject } from "../../schema/definition.ts";
import type { Lookup } from "../../schema/lookup.ts";
import { type DeleteOptions, type SentDeleteOptions, checkDeleteOptions } from "../../meta/delete-options.ts";
import { badRequest, done, forbidden, hasReason, invalid } from "../../meta/status.ts";
import { andThen } from "../../util/steps.ts";
import { type Proposal, commitTogether } from "../commit.ts";
import type { WriteResult } from "../contract.ts";
import type { Kind } from "../kind.ts";
import type { Kinds } from "../kinds.ts";
import { ownUpdated } from "../ownership.ts";
import { newContext } from "../write.ts";
import { SYSTEM, systemWrite } from "../system.ts";
import { checkPreconditions, deleteObject } from "../verbs/delete.ts";
import { changeOf } from "../verbs/update.ts";
import { type Actions, type Question, actionKey, currentOf } from "./asked.ts";
import { type Budget, needsNoBudget, needsNoCount, notCounted, selectingOf, taken } from "./budgets.ts";
import { type Pod, makeTrue } from "./pods.ts";

const EVICTION = { group: "policy", kind: "Eviction" };

interface Eviction extends ApiObject {
  deleteOptions?: SentDeleteOptions & { readonly ignoreStoreReadErrorWithClusterBreakingPotential?: boolean };
}

/** The action that answers an Eviction below a Pod. */
export function evictionAction(kinds: () => Kinds, lookup: Lookup): Actions {
  const answer = async (question: Question) => {
    await evict({ question, pods: kinds().kind("", "v1", "pods")!, budgets: kinds().stored(BUDGETS), lookup });
    return done();
  };
  return new Map([[actionKey(EVICTION), { judge, answer }]]);
}

const BUDGETS = "poddisruptionbudgets.policy";

function judge(question: Question): void {
  const { object, target } = question;
  const { name } = object.metadata;
  if (name !== target.name) {
    throw badRequest(
      `expected metadata.name of the Eviction to be ${target.name} as in the path, got ${name ?? "none"}`,
    );
  }
  const member = "ignoreStoreReadErrorWithClusterBreakingPotential";
  if ((object as Eviction).deleteOptions?.[member]) {
    const cause = {
      reason: "FieldValueInvalid",
      message: "Invalid value: true: expected none in an eviction",
    } as const;
    throw invalid(EVICTION, name, [{ ...cause, field: `deleteOptions.${member}` }]);
  }
  optionsOf(question);
}

/** How the Pod is to be deleted; a dry run may be asked for in the query or in the body. */
function optionsOf({ object, options }: Question): DeleteOptions {
  const sent = checkDeleteOptions((object as Eviction).deleteOptions ?? {});
  return { ...sent, dryRun: sent.dryRun || options.dryRun };
}

/** An eviction under way. */
interface UnderWay {
  readonly question: Question;
  readonly pods: Kind;
  /** Undefined where there are no budgets. */
  readonly budgets: Kind | undefined;
  readonly lookup: Lookup;
}

/** How often a Pod may change meanwhile before the client hears of it. */
const TRIES = 12;

async function evict(eviction: UnderWay): Promise<void> {
  const { question, pods } = eviction;
  const options = optionsOf(question);
  const isDemanded = options.preconditions?.resourceVersion !== undefined;
  const asSeen = (seen: Pod): DeleteOptions => (isDemanded ? options : atVersionOf(options, seen));
  let pod = currentOf(pods, question.target) as Pod;
  for (let tries = 1; needsNoBudget(pod); tries++) {
    // One that may begin to run, and then need its budget.
    const mayRun = pod.status?.phase === "Pending" && pod.metadata.deletionTimestamp === undefined;
    try {
      return await remove(eviction, mayRun ? asSeen(pod) : options);
    } catch (error) {
      if (!mayRun || isDemanded || !hasReason(error, "Conflict") || tries >= TRIES) throw error;
    }
    pod = currentOf(pods, question.target) as Pod;
  }
  const name = await budgetOf(eviction, pod);
  const isCounted = name === undefined || !needsNoCountOf(eviction, name, pod);
  const counting = name === undefined || !isCounted ? undefined : count(eviction, name, pod, options.dryRun);
  try {
    await remove(eviction, isCounted ? options : asSeen(pod), counting);
  } catch (error) {
    // Meanwhile it may have become healthy.
    if (!isCounted && !isDemanded && hasReason(error, "Conflict")) throw notCounted(name);
    throw error;
  }
}

/** The name of the budget that selects a Pod; undefined where none does. */
async function budgetOf({ lookup, pods }: UnderWay, { metadata }: Pod): Promise<string | undefined> {
  const all = await lookup.collect(BUDGETS, selectingOf, metadata.namespace ?? "");
  const names = all.filter(({ selector }) => selector.matches(metadata.labels)).map(({ name }) => name);
  if (names.length <= 1) return names[0];
  const why = `expected at most one PodDisruptionBudget that selects it, found ${names.join(", ")}`;
  throw forbidden(pods.ref, metadata.name!, why);
}

/** Whether a Pod may go without being counted by its budget. */
function needsNoCountOf({ lookup }: UnderWay, name: string, pod: Pod): boolean {
  const seen = lookup.get(BUDGETS, pod.metadata.namespace ?? "", name) as Budget | undefined;
  return seen !== undefined && needsNoCount(pod, seen);
}

/** Takes a disruption from a budget; a dry run only looks whether there is one. Throws 429 where there is none. */
function count(
  { budgets, question }: UnderWay,
  name: string,
  { metadata }: Pod,
  dryRun: boolean,
): Proposal<WriteResult> | undefined {
  const kind = budgets!;
  const { namespace = "", name: pod = "" } = metadata;
  const { clock } = question.ctx;
  if (dryRun) {
    taken(kind.ref, currentOf(kind, { namespace, name }), pod, clock);
    return undefined;
  }
  const ctx = newContext(kind);
  const options = systemWrite(ctx);
  const target = { namespace, name, subresource: "status" };
  const write = { kind, target, options, caller: SYSTEM, ctx, limit: ctx.clock.loop.slice() };
  return changeOf(write, {
    change(old) {
      const budget = taken(kind.ref, old, pod, clock);
      const how = { edits: false, request: asValue(budget) };
      return andThen(ownUpdated(kind, budget, old, options.fieldManager, "status", how), () => budget);
    },
  });
}

/** The same options, for one version of a Pod. */
const atVersionOf = (options: DeleteOptions, { metadata }: ApiObject): DeleteOptions => ({
  ...options,
  preconditions: { ...options.preconditions, resourceVersion: metadata.resourceVersion! },
});

/** Says in the Pod why it goes, together with what its budget counts, and deletes it. */
async function remove(
  { pods: kind, question }: UnderWay,
  options: DeleteOptions,
  counting?: Proposal<WriteResult>,
): Promise<void> {
  const target = { ...question.target, subresource: "" };
  const { ctx } = question;
  let how = options;
  if (!options.dryRun) {
    const write = { kind, target, options: systemWrite(ctx), caller: SYSTEM, ctx, limit: ctx.clock.loop.slice() };
    const marking = changeOf(write, {
      own: true,
      change(old) {
        checkPreconditions({ kind, target, options }, old);
        return marked(old, question);
      },
    });
    const answers = await commitTogether(counting ? [counting, marking] : [marking]);
    if (options.preconditions?.resourceVersion !== undefined) how = atVersionOf(options, answers.at(-1)!.object);
  }
  await deleteObject(kind, target, how, SYSTEM, true);
}

function marked(old: ApiObject, { ctx }: Question): ApiObject {
  const pod = copyOf(old) as Pod;
  const condition = { type: "DisruptionTarget", reason: "EvictionByEvictionAPI", message: "evicted through the API" };
  makeTrue(pod, condition, ctx.clock);
  return pod;
}
