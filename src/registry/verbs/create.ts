/**
 * create: a new object under a name that nobody has (EP-15, DEC-18).
 *
 * @module
 */
import type { ApiObject } from "../../schema/definition.ts";
import { alreadyExists, badRequest, forbidden, hasReason } from "../../meta/status.ts";
import { isResourceVersion } from "../../meta/versions.ts";
import { encodeObject } from "../codec.ts";
import type { Body, Caller, Target, WriteOptions, WriteResult } from "../contract.ts";
import { decodeBody } from "../decode.ts";
import { storeError } from "../errors.ts";
import { storeRecord } from "../store-write.ts";
import { type Kind, keyOf } from "../kind.ts";
import { shownAfterStoring, storedForm } from "../versions/view.ts";
import { dropDoubledOwners, dropServerMetadata } from "../../schema/write/metadata.ts";
import { generatedName } from "../../schema/generated-name.ts";
import { placeObject } from "../metadata.ts";
import { managerOf, ownCreated } from "../ownership.ts";
import { type Write, type WriteUnderWay, commitAdmission, newContext, prepareNew, withWarnings } from "../pipeline.ts";
import { unstoredResult, writtenResult } from "../results.ts";
import { withHand } from "../stocks/hand.ts";
import { inTurns } from "../../util/steps.ts";
import { inOwnTurn, withinTurn } from "../turn.ts";
import { TurnLimit } from "../../util/turn-limit.ts";

const GENERATE_TRIES = 8;

/** Creates the object of a body. 201, or 409 AlreadyExists, 422 with everything that is wrong. */
export function create(
  kind: Kind,
  target: Target,
  body: Body,
  options: WriteOptions,
  caller: Caller,
): Promise<WriteResult> {
  const ctx = newContext(kind, caller);
  return withWarnings(ctx, () =>
    inOwnTurn(kind.shared.locks, (turn) =>
      createNow({ kind, target, options, caller, ctx, turn, limit: new TurnLimit() }, body),
    ),
  );
}

async function createNow(write: WriteUnderWay, body: Body): Promise<WriteResult> {
  const { kind, target, options, caller, ctx, limit } = write;
  const object = decodeBody(kind, body, options, ctx);
  caller.sent?.(object);
  if (limit.isOver) await limit.pause();
  placeObject(kind, object, target);
  checkVersion(write, object);
  dropServerMetadata(object);
  dropDoubledOwners(object, ctx);
  const { name, generateName: prefix } = object.metadata;
  const generated = !name && prefix ? prefix : undefined;
  if (generated !== undefined) takeName(object, generatedName(generated, kind.shared.api.random));
  const owned = inTurns(ownCreated(kind, object, managerOf(options, caller)), limit);
  if (owned) await owned;
  return await storeNew(write, object, generated);
}

/**
 * Gives an object the name that was made for it. The labels are its own from then on, also where a kind has given it the very
 * labels of something in it (KIND-Job-3): what joins those does not join its own.
 */
function takeName({ metadata }: ApiObject, name: string): void {
  metadata.name = name;
  if (metadata.labels) metadata.labels = { ...metadata.labels };
}

/**
 * Stores a new object, whatever verb made it (POST, PUT, apply). A name that was made of a prefix (`generated`) and is
 * taken is made again a few times.
 */
export function storeNew(write: WriteUnderWay, object: ApiObject, generated?: string): Promise<WriteResult> {
  return withHand(write, undefined, (taking) => storeWith(taking, object, generated));
}

async function storeWith(write: WriteUnderWay, object: ApiObject, generated?: string): Promise<WriteResult> {
  const { kind, options, ctx, limit } = write;
  const { closed } = kind.stored;
  if (closed !== undefined) throw forbidden(kind.ref, object.metadata.name ?? "", closed);
  if (limit.isOver) await limit.pause();
  const sent = object.metadata.resourceVersion;
  const prepared = prepareNew(write, object);
  const admission = prepared instanceof Promise ? await prepared : prepared;
  if (limit.isOver) await limit.pause();
  const { shared } = kind;
  for (let tries = 1; ; tries++) {
    const name = object.metadata.name!;
    const key = keyOf(kind, object.metadata.namespace ?? "", name);
    let revision: number;
    try {
      if (kind.cache.get(key)) throw alreadyExists(kind.ref, name);
      if (options.dryRun) {
        const shown = shownAfterStoring(kind, object, undefined);
        const answer = shown instanceof Promise ? await withinTurn(write.turn, shown) : shown;
        return unstoredResult(shrugged(write, answer, sent), 201, ctx);
      }
      const committed = commitAdmission(kind, admission);
      if (committed) await committed;
      const form = storedForm(kind, object, undefined);
      const value = encodeObject(form instanceof Promise ? await withinTurn(write.turn, form) : form);
      revision = await storeRecord(kind, { type: "create", key: kind.stored.prefix + key, value }, write.caller);
    } catch (error) {
      const answer = storeError(kind, name, error);
      if (generated === undefined || !hasReason(answer, "AlreadyExists") || tries >= GENERATE_TRIES) throw answer;
      // What it has taken is in its name.
      if (write.hand) throw answer;
      object.metadata.name = generatedName(generated, shared.api.random);
      kind.definition.defaults?.(object, ctx);
      continue;
    }
    if (write.hand) await write.hand.keep(object);
    return writtenResult(kind, key, object, revision, 201, ctx);
  }
}

/** A create does not carry a version, except where the dialect shrugs at it (DEC-1). */
function checkVersion({ options, ctx }: Write, object: ApiObject): void {
  const sent = object.metadata.resourceVersion ?? "";
  if (sent === "" || sent === "0") return;
  if (ctx.dialect.rules.lenientCreateVersion && (options.dryRun || !isResourceVersion(sent))) return;
  throw badRequest(`expected no metadata.resourceVersion in a create, got "${sent}"`);
}

/** The answer to a dry run says the version that the dialect shrugged at: nothing was stored that would have another. */
const shrugged = ({ ctx }: WriteUnderWay, object: ApiObject, version: string | undefined): ApiObject =>
  version && ctx.dialect.rules.lenientCreateVersion
    ? { ...object, metadata: { ...object.metadata, resourceVersion: version } }
    : object;
