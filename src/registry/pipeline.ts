/**
 * The steps between an object that a client wants and an object that may be stored, in their order.
 *
 *     ownership -> admission (mutate) -> prepare -> validate -> admission (validate)
 *
 * Admission may wait for somebody else; where it does not, all of it happens in one turn.
 *
 * The verbs put the candidate together (from a body, a patch or an intent) and write what comes out.
 *
 * @module
 */
import type { Admission, AdmissionOptions, AdmissionRequest } from "../admission/contract.ts";
import { type StepsOf, stepsOf } from "../admission/steps-of.ts";
import type { ApiObject, WriteContext } from "../schema/definition.ts";
import { longRules, prepareCreate, prepareUpdate, warn } from "../schema/write/prepare.ts";
import { readEntries } from "../apply/index.ts";
import type { FieldErrors } from "../meta/field-errors.ts";
import type { ManagedFields } from "../meta/object-meta.ts";
import { ApiError, invalid } from "../meta/status.ts";
import type { Turn } from "../util/keyed-lock.ts";
import { inTurns } from "../util/steps.ts";
import type { TurnLimit } from "../util/turn-limit.ts";
import type { Caller, Target, WriteOptions } from "./contract.ts";
import { decodeAnswered } from "./decode.ts";
import type { Kind } from "./kind.ts";
import { placeObject } from "./metadata.ts";
import { withinTurn } from "./turn.ts";

/** One write, as it was asked for. */
export interface Write {
  readonly kind: Kind;
  readonly target: Target;
  readonly options: WriteOptions;
  readonly caller: Caller;
  readonly ctx: WriteContext;
  /** How long it may hold the event loop. */
  readonly limit: TurnLimit;
}

/** One write under way. */
export interface WriteUnderWay extends Write {
  /** Its turn with the object; nobody else waits for that of a create. */
  readonly turn: Turn;
  /** Takes what the object needs for itself alone, where its kind has such. */
  readonly hand?: {
    /** Rejects where the object cannot have what it asks for. Changes `object`. */
    fill(object: ApiObject): Promise<void>;
    /** The object is stored: what it has no more goes back. */
    keep(object: ApiObject): Promise<void>;
  };
}

/** A context for one write, with an empty list of warnings. */
export const newContext = ({ shared }: Kind, writer?: Caller): WriteContext => ({
  ...shared.api,
  ...(writer ? { writer } : {}),
  warnings: [],
  namespaceLabels: shared.namespaceLabels,
});

/** Carries a write out; a refusal tells the warnings that came before it. */
export async function withWarnings<T>(ctx: WriteContext, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ApiError) error.warnings = ctx.warnings;
    throw error;
  }
}

/** What admission steps see of a write. */
export function admissionOf(
  write: Omit<WriteUnderWay, "options" | "limit"> & { readonly options: AdmissionOptions },
  operation: AdmissionRequest["operation"],
  object: ApiObject | undefined,
  old: ApiObject | undefined,
): AdmissionRequest {
  const { kind, target, options, caller, ctx } = write;
  return {
    operation,
    ref: kind.ref,
    version: kind.definition.version,
    namespaced: kind.namespaced,
    namespace: target.namespace,
    name: target.name || (object?.metadata.name ?? ""),
    nameInPath: target.name,
    subresource: target.subresource,
    object,
    old,
    options,
    identity: caller,
    warnings: ctx.warnings,
    turn: write.turn,
    replace(value) {
      if (object) putInPlace(object, decodeAnswered(kind, value, ctx));
    },
  };
}

/** The object stays the one that everybody holds; its members become those of another. */
export function putInPlace(object: ApiObject, other: ApiObject): void {
  for (const member of Object.keys(object)) delete object[member];
  Object.assign(object, other);
}

/** Makes a new object ready to be stored; throws or rejects with 422 and everything that is wrong with it. */
export function prepareNew(write: WriteUnderWay, object: ApiObject): AdmissionRequest | Promise<AdmissionRequest> {
  const { kind, ctx } = write;
  const admission = admissionOf(write, "CREATE", object, undefined);
  const owners = object.metadata.managedFields;
  return admitted(kind.shared.admission, admission, () => {
    keepPlace(write, object, owners);
    return taken(write, object, () => judge(write, object, undefined, prepareCreate(kind, object, ctx)));
  });
}

/** Makes the next state of an object ready to be stored; throws or rejects with 422 and everything that is wrong with it. */
export function prepareChanged(
  write: WriteUnderWay,
  object: ApiObject,
  old: ApiObject,
  demand?: (old: ApiObject) => void,
): AdmissionRequest | Promise<AdmissionRequest> {
  const { kind, target, ctx } = write;
  const admission = admissionOf(write, "UPDATE", object, old);
  const owners = object.metadata.managedFields;
  return admitted(kind.shared.admission, admission, () => {
    demand?.(old);
    keepPlace(write, object, owners);
    return taken(write, object, () =>
      judge(write, object, old, prepareUpdate(kind, object, old, target.subresource, ctx)),
    );
  });
}

/** Goes on once the object has what it needs for itself alone. */
function taken(
  { hand, turn }: WriteUnderWay,
  object: ApiObject,
  next: () => void | Promise<void>,
): void | Promise<void> {
  return hand ? withinTurn(turn, hand.fill(object)).then(next) : next();
}

/** Refuses what is wrong, after the rules that take long have been asked too; warns of the rest. */
function judge(
  write: WriteUnderWay,
  object: ApiObject,
  old: ApiObject | undefined,
  errors: FieldErrors,
): void | Promise<void> {
  const { kind, target, ctx, limit, turn } = write;
  const end = (): void | Promise<void> => {
    refuse(write, object, errors);
    const warnings = warn(kind, object, old, target.subresource, ctx);
    const told = warnings && inTurns(warnings, limit);
    return told && withinTurn(turn, told);
  };
  const steps = longRules(kind, object, old, target.subresource, errors, ctx);
  const judged = steps && inTurns(steps, limit);
  return judged ? withinTurn(turn, judged).then(end) : end();
}

/** Takes a write through the chain, with `between` after what may change it and before what may only refuse it. */
export function admitted(
  chain: Admission,
  request: AdmissionRequest,
  between?: () => void | Promise<void>,
): AdmissionRequest | Promise<AdmissionRequest> {
  const steps = stepsOf(chain, request.ref);
  const review = (): AdmissionRequest | Promise<AdmissionRequest> => {
    const validated = inOrder(steps.validate, request, validate);
    return validated ? validated.then(() => request) : request;
  };
  const check = (): AdmissionRequest | Promise<AdmissionRequest> => {
    const wait = between?.();
    return wait ? wait.then(review) : review();
  };
  const mutated = inOrder(steps.mutate, request, mutate);
  return mutated ? mutated.then(check) : check();
}

type Run<Step> = (step: Step, request: AdmissionRequest) => void | Promise<void>;

const mutate: Run<StepsOf["mutate"][number]> = (step, request) => step.mutate(request);
const validate: Run<StepsOf["validate"][number]> = (step, request) => step.validate(request);

/** Runs steps one after another; a promise only when one of them waits, and no longer than the turn of the write lasts. */
function inOrder<Step>(
  steps: readonly Step[],
  request: AdmissionRequest,
  run: Run<Step>,
  from = 0,
): Promise<void> | undefined {
  for (let i = from; i < steps.length; i++) {
    const wait = run(steps[i]!, request);
    if (wait) return withinTurn(request.turn, wait).then(() => inOrder(steps, request, run, i + 1));
  }
  return undefined;
}

/**
 * What no step of admission may change is what the path says: which object this is. Owners that nobody can read are put
 * back, and told. Changes `object`.
 */
function keepPlace({ kind, target, ctx }: Write, object: ApiObject, owners: ManagedFields[] | undefined): void {
  object.apiVersion = kind.apiVersion;
  object.kind = kind.definition.kind;
  object.metadata ??= {};
  const { metadata } = object;
  if (target.name !== "") metadata.name ||= target.name;
  placeObject(kind, object, target);
  const { managedFields } = metadata;
  if (managedFields === owners || readEntries(managedFields, ctx.dialect.rules.readOldManagedFields)) return;
  if (owners) metadata.managedFields = owners;
  else delete metadata.managedFields;
  ctx.warnings.push("metadata.managedFields could not be read after admission and is kept as it was before");
}

function refuse({ kind, target }: Write, object: ApiObject, errors: FieldErrors): void {
  if (!errors.any) return;
  const name = target.name || (object.metadata.name ?? "");
  throw invalid({ group: kind.ref.group, kind: kind.definition.kind }, name, errors.causes);
}

/** Lets every admission step do what must be done before the write; nothing waits when none has anything to do. */
export function commitAdmission(kind: Kind, admission: AdmissionRequest, from = 0): Promise<void> | undefined {
  const { commit } = stepsOf(kind.shared.admission, kind.ref);
  for (let i = from; i < commit.length; i++) {
    const pending = commit[i]!.commit(admission);
    if (pending) return pending.then(() => commitAdmission(kind, admission, i + 1));
  }
  return undefined;
}
