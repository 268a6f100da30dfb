/**
 * patch: changes an object by a JSON patch, a merge patch, a strategic merge patch, or an apply (DEC-17, APPLY-1).
 * The first three make the next state from the stored one and then continue as an update; apply merges an intent with the fields of other
 * managers and may create the object.
 *
 * @module
 */
import type { ApiObject } from "../../schema/definition.ts";
import { asValue, copyOf } from "../../schema/api-object.ts";
import {
  PatchError,
  applyMergePatch,
  applyStrategicMergePatch,
  followJsonPatch,
  parseJsonPatch,
} from "../../patch/index.ts";
import { ApiError, badRequest, notFound, tooLarge } from "../../meta/status.ts";
import { assert } from "../../util/assert.ts";
import { isSmall } from "../../value/small.ts";
import { type Value, type ValueObject, isObject } from "../../value/value.ts";
import type { Body, Caller, PatchOptions, Target, WriteResult } from "../contract.ts";
import { decodePatched, patchInvalid } from "../objects/decode.ts";
import { type Kind, keyOf } from "../kind/kind.ts";
import { formOf } from "../objects/lens.ts";
import { placeObject } from "../kind/metadata.ts";
import { managerOf, ownUpdated } from "../objects/ownership.ts";
import { type Write, newContext, withWarnings } from "../kind/write.ts";
import { type Steps, type Work, andThen, isSteps, whenLarge } from "../../util/steps.ts";
import { applyPatch } from "./apply.ts";
import { checkPatchedUid, checkVersion, demandVersion } from "./preconditions.ts";
import { guaranteedUpdate } from "./update.ts";

/** Patches an object or its subresource. 200; 201 when an apply created it. */
export function patch(
  kind: Kind,
  target: Target,
  body: Body,
  options: PatchOptions,
  caller: Caller,
): Promise<WriteResult> {
  const ctx = newContext(kind, caller);
  const write: Write = { kind, target, options, caller, ctx, limit: ctx.clock.loop.slice() };
  const carryOut = options.type === "apply" ? applyPatch : patchNow;
  return withWarnings(write.ctx, () => carryOut(write, body, options));
}

async function patchNow(write: Write, body: Body, options: PatchOptions): Promise<WriteResult> {
  const { kind, target, caller } = write;
  // A missing object is reported before faults of the patch.
  if (!kind.cache.get(keyOf(kind, target.namespace, target.name))) throw notFound(kind.ref, target.name);
  if (body.failure) throw body.failure;
  const form = formOf(kind, target.subresource);
  const how = read(() => patcher(form.kind, body, options));
  const manager = managerOf(options, caller);
  let value: ApiObject | undefined;
  const result = await guaranteedUpdate(write, {
    change(old, entry) {
      const isLarge = entry.bytes.length > LARGE_BYTES || !isSmall(body.value);
      const base = whenLarge(isLarge, () => asValue(form.show(copyOf(old))));
      const patched = andThen(base, (object) => readWork(() => how.patch(object, isLarge)));
      return andThen(patched, (next) => {
        checkIdentity(form.kind, next, how.ignoresKind, options);
        const wanted = decodePatched(form.kind, next, body, how.unknown, options, write.ctx);
        value = wanted;
        placeObject(kind, wanted, target);
        if (!wanted.metadata.name)
          throw badRequest("name must be provided: expected the patch to leave metadata.name in place");
        const object = form.put(old, wanted);
        return andThen(ownUpdated(kind, object, old, manager, target.subresource, how), () => object);
      });
    },
    demand(old) {
      assert(value, "an object is patched before it is checked");
      checkPatchedUid(write, value, old);
      demandVersion(write, form.kind, value);
      checkVersion(write, value, old);
    },
  });
  return form.result(result);
}

/** An object with more bytes is read, patched and decoded in a step each. */
const LARGE_BYTES = 131_072;

interface Patcher {
  patch(base: ValueObject, isLarge: boolean): Work<Value>;
  /** Unknown members of patch operations, for warnings. */
  readonly unknown: readonly string[];
  /** Whether a change of kind or apiVersion is dropped instead of refused. */
  readonly ignoresKind: boolean;
  /** The fields that the patch names: the writer owns them when the patch also clears the owners (CLR-6). */
  readonly request?: Value;
  /** Whether the patch may edit `managedFields` in any dialect (MF-11). */
  readonly edits: boolean;
}

function patcher(kind: Kind, body: Body, { type, fieldValidation }: PatchOptions): Patcher {
  const { value } = body;
  // Without validation of fields, less of the patch is checked before it is applied.
  const validated = fieldValidation !== "Ignore";
  if (type === "json") {
    const { operations, unknown } = parseJsonPatch(value, { typed: validated });
    const edits = operations.some((op) => touchesManagedFields(op.path ?? ""));
    return { patch: (base) => followJsonPatch(base, operations), unknown, ignoresKind: false, edits };
  }
  if (type === "strategic") {
    if (value === null) {
      return { patch: (base) => base, unknown: [], ignoresKind: true, edits: false };
    }
    if (!isObject(value)) throw badRequest("expected a strategic merge patch to be a JSON object");
    return {
      patch: (base) => applyStrategicMergePatch(base, value, kind.type),
      unknown: [],
      ignoresKind: true,
      edits: false,
      request: value,
    };
  }
  if (!isObject(value) && (validated || !Array.isArray(value))) {
    throw badRequest("expected a merge patch to be a JSON object");
  }
  const { mergePatchPrunesLists } = kind.shared.api.dialect.rules;
  return {
    patch: (base, isLarge) => whenLarge(isLarge, () => applyMergePatch(base, value, mergePatchPrunesLists)),
    unknown: [],
    ignoresKind: false,
    edits: false,
    request: value,
  };
}

const touchesManagedFields = (path: string): boolean =>
  path === "/metadata" || path === "" || path.startsWith("/metadata/managedFields");

/** The text by which clients recognise this refusal. */
const REJECTED = "the server rejected our request due to an error in our request";

/** A patch that cannot be read is 400, one that cannot be applied 422, one that takes too much work 413. */
function read<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw refusalOf(error);
  }
}

/** The same for work that may run in steps. */
function readWork<T>(work: () => Work<T>): Work<T> {
  const done = read(work);
  return isSteps(done) ? readInSteps(done) : done;
}

function* readInSteps<T>(work: Steps<T>): Steps<T> {
  try {
    return yield* work;
  } catch (error) {
    throw refusalOf(error);
  }
}

function refusalOf(error: unknown): unknown {
  if (!(error instanceof PatchError)) return error;
  if (error.code === "malformed") return badRequest(error.message);
  if (error.code === "tooManyOperations") return tooLarge(error.message);
  return new ApiError("Invalid", `${REJECTED}: ${error.message}`, { details: {} });
}

/** Checks that kind and apiVersion of the result are those of the path (DEC-18: 422); built-in kinds may omit the kind. */
function checkIdentity(kind: Kind, patched: Value, ignoresKind: boolean, { fieldValidation }: PatchOptions): void {
  if (!isObject(patched)) return;
  if (ignoresKind) {
    for (const member of ["kind", "apiVersion"]) {
      if (patched[member] !== undefined && typeof patched[member] !== "string") {
        throw patchInvalid(`expected ${member} to be a text`);
      }
    }
    patched["kind"] = kind.definition.kind;
    patched["apiVersion"] = kind.apiVersion;
    return;
  }
  for (const [member, expected] of [
    ["kind", kind.definition.kind],
    ["apiVersion", kind.apiVersion],
  ] as const) {
    const left = patched[member] ?? "";
    if (left !== "" && left !== expected) {
      throw patchInvalid(`expected kind and apiVersion to stay ${kind.definition.kind} of ${kind.apiVersion}`);
    }
  }
  // A custom object names its kind and version itself.
  if (kind.definition.untyped && !patched["kind"]) {
    throw patchInvalid(`expected kind to stay ${kind.definition.kind}, got none: do not remove it`);
  }
  if (patched["apiVersion"]) return;
  // Without a version nothing of the object is known, not even its name.
  const why = "expected apiVersion not to be removed";
  const unknown = Object.keys(patched).some((member) => member !== "kind" && member !== "apiVersion");
  throw fieldValidation === "Strict" && unknown ? patchInvalid(why) : badRequest(`name must be provided: ${why}`);
}
