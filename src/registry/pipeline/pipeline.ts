/**
 * The steps between an object that a client wants and an object that may be stored, in their order.
 *
 *     ownership -> admission (mutate) -> name -> allocation -> prepare -> validate -> admission (validate)
 *
 * The verbs make the candidate (from a body, a patch or an intent), and `commit.ts` stores the result.
 *
 * @module
 */
import type { AdmissionOptions, AdmissionRequest } from "../../admission/contract.ts";
import { readEntries } from "../../apply/index.ts";
import type { FieldErrors } from "../../meta/field-errors.ts";
import type { ManagedFields } from "../../meta/object-meta.ts";
import { invalid } from "../../meta/status.ts";
import type { ApiObject } from "../../schema/definition.ts";
import { longRules, prepareCreate, prepareUpdate, warn } from "../../schema/write/prepare.ts";
import { whileHeld } from "../../util/keyed-lock.ts";
import { inSlices } from "../../util/steps.ts";
import { whenDone } from "../../util/when-done.ts";
import { ObjectRequest } from "./admission-request.ts";
import type { Judging } from "../commit/commit.ts";
import type { Kind } from "../kind/kind.ts";
import { placeObject } from "../kind/metadata.ts";
import { allocate } from "../allocation/allocator.ts";
import { formOf } from "../objects/lens.ts";
import type { Write } from "../kind/write.ts";

/** A write as the steps of admission see it. */
export function requestOf(
  { kind, target, options, caller, ctx }: Omit<Write, "options" | "limit"> & { readonly options: AdmissionOptions },
  attempt: Judging,
  operation: AdmissionRequest["operation"],
  object: ApiObject | undefined,
  old: ApiObject | undefined,
  form: Kind = kind,
): AdmissionRequest {
  const { ref, namespaced, definition, stored } = kind;
  const parts = { ref, version: definition.version, namespaced, form, stored, target, options, caller, ctx };
  return new ObjectRequest(parts, attempt, operation, object, old);
}

/** Lets admission change the object of a write, except its identity in the path. */
export function mutate(write: Write, request: AdmissionRequest, object: ApiObject): void | Promise<void> {
  const owners = object.metadata.managedFields;
  return whenDone(write.kind.shared.admission.mutate(request), () => keepPlace(write, object, owners));
}

/** Makes a new object ready to be stored; throws or rejects with 422 and all of its faults. */
export const prepareNew = (
  write: Write,
  attempt: Judging,
  request: AdmissionRequest,
  object: ApiObject,
): void | Promise<void> =>
  whenDone(allocate(write, attempt, object, undefined), () => {
    const errors = prepareCreate(write.kind, object, write.ctx);
    return whenDone(judge(write, attempt, object, undefined, errors), () => admit(write, attempt, request));
  });

/**
 * Makes the next state of an object ready to be stored; throws or rejects with 422 and all of its faults.
 *
 * @param demand throws where the stored object does not meet the preconditions of the client
 */
export function prepareChanged(
  write: Write,
  attempt: Judging,
  object: ApiObject,
  old: ApiObject,
  demand?: (old: ApiObject) => void,
): void | Promise<void> {
  const { kind, target, ctx } = write;
  const request = changeRequest(write, attempt, object, old);
  const prepare = (): void | Promise<void> => {
    const errors = prepareUpdate(kind, object, old, target.subresource, ctx);
    const seen = request.object === object ? request : changeRequest(write, attempt, object, old);
    return whenDone(judge(write, attempt, object, old, errors), () => admit(write, attempt, seen));
  };
  return whenDone(mutate(write, request, object), () => {
    if (request.object) formOf(kind, target.subresource).write(object, request.object);
    demand?.(old);
    return whenDone(allocate(write, attempt, object, old), prepare);
  });
}

/** A change as admission sees it: where the subresource has a lens, the view of the object. */
function changeRequest(write: Write, attempt: Judging, object: ApiObject, old: ApiObject): AdmissionRequest {
  const form = formOf(write.kind, write.target.subresource);
  return requestOf(write, attempt, "UPDATE", form.show(object), form.show(old), form.kind);
}

/** Runs the validating steps of admission, and makes their reservations right before the write. */
export function admit(
  { kind }: Pick<Write, "kind">,
  attempt: Judging,
  request: AdmissionRequest,
): Promise<void> | undefined {
  const { admission } = kind.shared;
  const commitment = admission.commitment(request);
  if (commitment) attempt.reserve(commitment);
  return admission.validate(request);
}

/** Runs the rules that may take long, refuses an invalid object, and adds the warnings. */
function judge(
  write: Write,
  { hold }: Judging,
  object: ApiObject,
  old: ApiObject | undefined,
  errors: FieldErrors,
): void | Promise<void> {
  const { kind, target, ctx, limit } = write;
  const rules = longRules(kind, object, old, target.subresource, errors, ctx);
  const judged = rules && inSlices(rules, limit);
  return whenDone(judged && whileHeld(hold, judged), () => {
    refuse(write, object, errors);
    const texts = warn(kind, object, old, target.subresource, ctx);
    const warned = texts && inSlices(texts, limit);
    return warned && whileHeld(hold, warned);
  });
}

/**
 * Restores the members that no step of admission may change: the kind, name and namespace of the object. Restores the owners, with a
 * warning, where they cannot be read. Changes `object`.
 */
function keepPlace({ kind, target, ctx }: Write, object: ApiObject, owners: ManagedFields[] | undefined): void {
  object.apiVersion = kind.apiVersion;
  object.kind = kind.definition.kind;
  object.metadata ??= {};
  const { metadata } = object;
  if (target.name !== "") metadata.name ||= target.name;
  placeObject(kind, object, target);
  const { managedFields } = metadata;
  if (managedFields !== owners && managedFields?.length === 0) delete metadata.managedFields;
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
