/**
 * create: stores a new object under an unused name (EP-15, DEC-18).
 *
 * @module
 */
import type { AdmissionRequest } from "../../admission/contract.ts";
import { badRequest, forbidden, versionOfNew } from "../../meta/status.ts";
import { isResourceVersion } from "../../meta/versions.ts";
import { copyOf } from "../../schema/api-object.ts";
import type { ApiObject } from "../../schema/definition.ts";
import { generatedName } from "../../schema/generated-name.ts";
import { dropDuplicateOwners, dropServerMetadata } from "../../schema/write/metadata.ts";
import { StoreError } from "../../storage/contract.ts";
import { inSlices } from "../../util/steps.ts";
import { whenDone } from "../../util/when-done.ts";
import { encodeObject } from "../versions/codec.ts";
import { type Judging, type Plan, type Proposal, commit, whenHeld } from "../commit/commit.ts";
import type { Body, Caller, Target, WriteOptions, WriteResult } from "../contract.ts";
import { decodeBody } from "../objects/decode.ts";
import { type Kind, keyOf } from "../kind/kind.ts";
import { placeObject } from "../kind/metadata.ts";
import { managerOf, ownCreated } from "../objects/ownership.ts";
import { mutate, prepareNew, requestOf } from "../pipeline/pipeline.ts";
import { type Write, newContext, withWarnings } from "../kind/write.ts";
import { unstoredResult, writtenResult } from "../objects/results.ts";
import { shownAfterStoring, storedForm } from "../versions/view.ts";

/** Creates the object of a body. 201, or 409 AlreadyExists, 422 with all faults. */
export function create(
  kind: Kind,
  target: Target,
  body: Body,
  options: WriteOptions,
  caller: Caller,
): Promise<WriteResult> {
  const ctx = newContext(kind, caller);
  const write: Write = { kind, target, options, caller, ctx, limit: ctx.clock.loop.slice() };
  return withWarnings(ctx, () => createNew(write, decode(write, body)));
}

/** The object of a body. */
function decode({ kind, target, options, caller, ctx }: Write, body: Body): ApiObject {
  const object = decodeBody(kind, body, options, ctx);
  caller.sent?.(object);
  placeObject(kind, object, target);
  return object;
}

const createNew = (write: Write, object: ApiObject): WriteResult | Promise<WriteResult> =>
  whenDone(write.limit.pause(), () => {
    const { kind, options, caller, ctx, limit } = write;
    checkVersion(write, object);
    dropServerMetadata(object);
    dropDuplicateOwners(object, ctx);
    const owned = inSlices(ownCreated(kind, object, managerOf(options, caller)), limit);
    return whenDone(owned, () => commit(creationOf(write, object)));
  });

/** The proposal of a create; a generated name that is in use is generated again. */
function creationOf(write: Write, object: ApiObject): Proposal<WriteResult> {
  const { name, generateName } = object.metadata;
  if (name || !generateName) return { ...write, lock: undefined, judge: (attempt) => planNew(write, attempt, object) };
  let isMutated = false;
  return {
    ...write,
    lock: undefined,
    async judge(attempt) {
      if (!isMutated) await mutateNew(write, requestOf(write, attempt, "CREATE", object, undefined), object);
      isMutated = true;
      // Values that are derived from the name are derived again for each one.
      const named = copyOf(object);
      named.metadata.name ||= generatedName(generateName, write.kind.shared.api.random);
      return planMutated(write, attempt, requestOf(write, attempt, "CREATE", named, undefined), named);
    },
    judgesAgain: ({ code }) => code === "exists",
  };
}

/** Plans a new object for any verb that creates (POST, PUT, apply). */
export function planNew(
  write: Write,
  attempt: Judging,
  object: ApiObject,
): Plan<WriteResult> | Promise<Plan<WriteResult>> {
  const request = requestOf(write, attempt, "CREATE", object, undefined);
  return whenDone(mutateNew(write, request, object), () => planMutated(write, attempt, request, object));
}

function mutateNew(write: Write, request: AdmissionRequest, object: ApiObject): void | Promise<void> {
  const { kind, limit } = write;
  const { closed } = kind.stored;
  if (closed !== undefined) throw forbidden(kind.ref, object.metadata.name ?? "", closed);
  const { resourceVersion } = object.metadata;
  const check = (): void => checkMutatedVersion(write, object, resourceVersion);
  return whenDone(limit.pause(), () => whenDone(mutate(write, request, object), check));
}

/** Refuses a resourceVersion that admission has given a new object (HOOK-26). */
function checkMutatedVersion({ options }: Write, { metadata }: ApiObject, before: string | undefined): void {
  const { resourceVersion = "" } = metadata;
  if (resourceVersion !== (before ?? "") && Number(resourceVersion) !== 0 && !options.dryRun) throw versionOfNew();
}

function planMutated(
  write: Write,
  attempt: Judging,
  request: AdmissionRequest,
  object: ApiObject,
): Plan<WriteResult> | Promise<Plan<WriteResult>> {
  const sent = object.metadata.resourceVersion;
  return whenDone(prepareNew(write, attempt, request, object), () =>
    whenDone(write.limit.pause(), () => planPrepared(write, attempt, object, sent)),
  );
}

function planPrepared(
  write: Write,
  attempt: Judging,
  object: ApiObject,
  sent: string | undefined,
): Plan<WriteResult> | Promise<Plan<WriteResult>> {
  const { kind, options, ctx } = write;
  const { namespace = "", name = "" } = object.metadata;
  const key = keyOf(kind, namespace, name);
  const storeKey = kind.stored.prefix + key;
  const there = kind.cache.get(key);
  if (there) {
    const refusal = new StoreError("exists", "it exists already", { key: storeKey, revision: there.revision });
    if (options.dryRun || attempt.transaction) throw refusal;
    const result = (): never => {
      throw refusal;
    };
    return { writes: [], refusal, result };
  }
  if (options.dryRun) {
    const result = (shown: ApiObject) => () => unstoredResult(withSentVersion(write, shown, sent), 201, ctx);
    const shown = shownAfterStoring(kind, object, undefined);
    return whenHeld(attempt, shown, (one) => ({ writes: [], result: result(one) }));
  }
  return whenHeld(attempt, storedForm(kind, object, undefined), (form) => ({
    writes: [
      { kind, namespace, name, object: form, write: { type: "create", key: storeKey, value: encodeObject(form) } },
    ],
    result: (revision) => writtenResult(kind, key, object, revision, 201, ctx),
  }));
}

/** A create has no version, except where the dialect ignores it (DEC-1). */
function checkVersion({ options, ctx }: Write, object: ApiObject): void {
  const sent = object.metadata.resourceVersion ?? "";
  if (sent === "" || sent === "0") return;
  if (ctx.dialect.rules.lenientCreateVersion && (options.dryRun || !isResourceVersion(sent))) return;
  throw badRequest(`expected no metadata.resourceVersion in a create, got "${sent}"`);
}

/** The result of a dry run has the version that the dialect ignored: nothing was stored that would have another. */
const withSentVersion = ({ ctx }: Write, object: ApiObject, version: string | undefined): ApiObject =>
  version && ctx.dialect.rules.lenientCreateVersion
    ? { ...object, metadata: { ...object.metadata, resourceVersion: version } }
    : object;
