/**
 * apply: merges a partial object into the stored one, with conflicts where other managers own fields that it would change
 * (APPLY-1..24, OWN-1..17); creates the object when there is none.
 *
 * @module
 */
import { assert } from "../../util/assert.ts";
import { addWarnings } from "../../schema/warnings.ts";
import { asObject } from "../../schema/api-object.ts";
import type { ApiObject, WriteContext } from "../../schema/definition.ts";
import { type ApplyOutcome, type FieldConflict, MAX_LISTED_CONFLICTS, conflictMessage } from "../../apply/index.ts";
import { type Work, andThen } from "../../util/steps.ts";
import { type ApiError, applyConflict, badRequest, conflict } from "../../meta/status.ts";
import { type Value, type ValueObject, clone, isObject } from "../../value/value.ts";
import type { Body, PatchOptions, WriteOptions, WriteResult } from "../contract.ts";
import { decodeApplied } from "../objects/decode.ts";
import type { Kind } from "../kind/kind.ts";
import { formOf } from "../objects/lens.ts";
import { applyConflictReport } from "../objects/ownership-reports.ts";
import { applyOwned, managerOf, setEntries } from "../objects/ownership.ts";
import { misplaced, placeObject } from "../kind/metadata.ts";
import type { Write } from "../kind/write.ts";
import { checkPatchedUid, checkVersion, checkVersionForm, uidMismatch } from "./preconditions.ts";
import { guaranteedUpdate } from "./update.ts";

/** Applies the intent of a body. 200, or 201 when it created the object; 409 with every conflict. */
export async function applyPatch(write: Write, body: Body, options: PatchOptions): Promise<WriteResult> {
  const { kind, target, caller, ctx } = write;
  const form = formOf(kind, target.subresource);
  const intent = intentOf(write, form.kind, body);
  const manager = managerOf(options, caller);
  const apply = (live: ApiObject | undefined): Work<ApiObject> => {
    if (live) checkOwnersVersions(kind, live);
    const shown = live && form.show(live);
    const work = applyOwned(form.kind, shown, intent, manager, target.subresource, options.force);
    return andThen(work, (outcome) => {
      const { object: applied, managedFields } = appliedOf(outcome, (conflicts) => {
        assert(shown, "only a stored object has owners");
        return applyConflictReport(form.kind, { conflicts, live: shown, intent, body: body.value, manager });
      });
      const value = decodeApplied(form.kind, clone(applied), ctx);
      placeObject(kind, value, target);
      const object = live ? form.put(live, value) : value;
      setEntries(object, live ? form.owners(live, managedFields) : managedFields);
      return object;
    });
  };
  const result = await guaranteedUpdate(write, {
    change: apply,
    demand(old) {
      const sent = asObject(intent);
      checkAppliedUid(write, sent, old);
      checkVersion(write, sent, old);
    },
    missing: target.subresource ? undefined : () => create(write, body, intent, apply),
  });
  return form.result(result);
}

/**
 * 400: a manager wrote a custom object in a version that its definition no longer has, so its fields are not known.
 * Tools that move owners to another version rely on this message. Other writes are not affected.
 */
function checkOwnersVersions({ definition, stored }: Kind, { metadata: { managedFields = [] } }: ApiObject): void {
  if (!definition.untyped) return;
  const unknown = managedFields.find(
    ({ apiVersion = "" }) => apiVersion.startsWith(`${definition.group}/`) && !stored.versions.has(apiVersion),
  );
  if (unknown) {
    throw badRequest(
      `request to convert CR to an invalid group/version: ${unknown.apiVersion}; expected its owner ${JSON.stringify(unknown.manager)} to be taken out of metadata.managedFields, or to be moved to a version that there is`,
    );
  }
}

/** A uid in an intent must be that of the stored object: 409 by the documents (DEC-22), 422 as in any patch else. */
function checkAppliedUid(write: Write, sent: ApiObject, old: ApiObject): void {
  const { kind, target, ctx } = write;
  const { uid } = sent.metadata;
  if (ctx.dialect.rules.enforceUndocumented || !uid || uid === old.metadata.uid)
    return checkPatchedUid(write, sent, old);
  throw conflict(kind.ref, target.name, uidMismatch(uid, old));
}

function create(
  write: Write,
  body: Body,
  intent: ValueObject,
  apply: (live: undefined) => Work<ApiObject>,
): Work<ApiObject> {
  const { kind, target, ctx } = write;
  const { uid, resourceVersion } = asObject(intent).metadata;
  if (uid)
    throw conflict(
      kind.ref,
      target.name,
      `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
    );
  const sent = isObject(body.value) ? body.value["metadata"] : undefined;
  if (!(isObject(sent) && sent["name"]) && ctx.dialect.rules.applyCreateNeedsName)
    throw badRequest("name must be provided: expected metadata.name in an apply that creates");
  if (resourceVersion && resourceVersion !== "0" && !ctx.dialect.rules.lenientCreateVersion) {
    throw conflict(kind.ref, target.name, `expected version ${resourceVersion} of the object, there is none`);
  }
  checkVersionForm(asObject(intent));
  return apply(undefined);
}

/**
 * The intent of a body: an object of the kind of the path (400 otherwise), its place filled in. The body's value is not
 * changed.
 */
function intentOf({ kind: { namespaced }, target, ctx, options }: Write, kind: Kind, body: Body): ValueObject {
  const { value } = body;
  if (!isObject(value)) throw badRequest("expected the body of an apply to be an object in YAML or JSON");
  checkDuplicates(body, options, ctx);
  for (const [member, expected] of [
    ["apiVersion", kind.apiVersion],
    ["kind", kind.definition.kind],
  ] as const) {
    if (value[member] !== expected) {
      throw badRequest(
        `expected ${member} of the body to be "${expected}", got ${JSON.stringify(value[member] ?? null)}`,
      );
    }
  }
  const metadata = value["metadata"] ?? {};
  if (!isObject(metadata)) throw badRequest("expected metadata to be an object");
  if ((metadata["managedFields"] ?? null) !== null) {
    throw badRequest("metadata.managedFields must be nil: owners are kept by the server");
  }
  const { applyNullIsAbsent } = ctx.dialect.rules;
  if (metadata["name"] === "" || (metadata["name"] === null && !applyNullIsAbsent)) {
    throw badRequest("name must be provided: expected metadata.name to be a name or not to be there, got none");
  }
  samePlace("name", target.name, metadata["name"]);
  if (namespaced) samePlace("namespace", target.namespace, metadata["namespace"]);
  const { managedFields: _entries, ...rest } = metadata;
  const intent: ValueObject = { ...value, metadata: metadata["name"] ? rest : { ...rest, name: target.name } };
  if (ctx.dialect.rules.applyFoldsStringData) kind.definition.convert?.(asObject(intent), ctx);
  return intent;
}

function samePlace(member: "name" | "namespace", expected: string, got: Value | undefined): void {
  if (got === undefined || got === null || got === "" || got === expected) return;
  throw misplaced(member, expected, JSON.stringify(got));
}

/** Warns of duplicate members or refuses them, as for any other body (DEC-24). */
function checkDuplicates({ unmarshalErrors }: Body, { fieldValidation }: WriteOptions, ctx: WriteContext): void {
  if (unmarshalErrors === undefined || fieldValidation === "Ignore") return;
  const text = `error converting YAML to JSON: ${unmarshalErrors}`;
  if (fieldValidation === "Strict") throw badRequest(`error strict decoding YAML: ${text}`);
  addWarnings(ctx, [text]);
}

/** The applied object, or the refusal; `explain` makes the report for clients that ask for one. */
function appliedOf(
  outcome: ApplyOutcome,
  explain: (conflicts: readonly FieldConflict[]) => unknown,
): Extract<ApplyOutcome, { kind: "applied" }> {
  switch (outcome.kind) {
    case "applied":
      return outcome;
    case "conflicts":
      throw applyConflict(
        conflictMessage(outcome.conflicts),
        outcome.conflicts
          .slice(0, MAX_LISTED_CONFLICTS)
          .map(({ field, message }) => ({ reason: "FieldManagerConflict", message, field })),
        () => explain(outcome.conflicts),
      );
    case "invalid":
      throw unfit(outcome.faults);
  }
}

/** 400 with the path of every fault (DEC-22; kube-apiserver responds 500). */
function unfit(faults: readonly { readonly path: string; readonly message: string }[]): ApiError {
  const texts = faults.map(({ path, message }) => (path ? `${path}: ${message}` : message));
  return badRequest(`the intent does not fit the schema: ${texts.slice(0, 20).join("; ")}`);
}
