/**
 * Applies documents in a fork, one after the other, and returns the result of each.
 *
 * @module
 */
import type { ReportedObject } from "../meta/ownership-reports.ts";
import type { PlannedDocument, PlanRequest } from "../meta/plan-report.ts";
import type { RequestInfo } from "../meta/request-info.ts";
import { type ApiError, badRequest, hasReason } from "../meta/status.ts";
import { apiVersionOf } from "../meta/versions.ts";
import { type Caller, type Entry, type Kinds, type WriteResult, failureOf } from "../registry/index.ts";
import type { Value } from "../value/value.ts";
import type { Slice } from "../util/loop.ts";
import { inSlices } from "../util/steps.ts";
import { type SetParent, checkMember } from "./apply-set.ts";
import { type ObjectChanges, type OwnedObject, changesOf, masked } from "./changes.ts";
import type { PlanCaller, PlanFork, PlanParts } from "./contract.ts";
import type { OrderedDocument } from "./order.ts";
import { type ResourceTarget, infoOf, objectIn, targetOf } from "./target.ts";

/** The maximum size of the changes of all documents together, as JSON. */
const MAX_CHANGES_BYTES = 8 << 20;

/** The origin of a document; one that the server adds has no position. */
export type DocumentPlace = Pick<OrderedDocument, "moved"> & { readonly position: number | undefined };

/** The result of a document, with the object that it is about. */
export interface Judged {
  readonly planned: PlannedDocument;
  /** Undefined where the document names no object that is served. */
  readonly at: ResourceTarget | undefined;
  /** The document; undefined for an object that is deleted. */
  readonly document?: Value;
}

/** The parts of a judge. */
export interface JudgeParts {
  readonly parts: PlanParts;
  readonly fork: PlanFork;
  readonly request: PlanRequest;
  readonly caller: PlanCaller;
  readonly slice: Slice;
  /** The set that the documents are in; undefined where they are in none. */
  readonly set: SetParent | undefined;
}

/** Applies and judges documents in a fork. */
export class DocumentJudge {
  readonly #parts: JudgeParts;
  /** Refusals of the authorizer. */
  readonly #unauthorized = new WeakSet<Error>();
  #bytesLeft = MAX_CHANGES_BYTES;
  /** Whether the documents may be stored: otherwise steps of admission call webhooks as for a dry run. */
  #mayStore: boolean;

  constructor(parts: JudgeParts) {
    this.#parts = parts;
    this.#mayStore = parts.request.commit ?? false;
  }

  /** Applies a document. */
  async apply(document: Value, { position, moved }: DocumentPlace): Promise<Judged> {
    const object = objectIn(document);
    const head = { ...(position === undefined ? {} : { document: position }), ...(moved ? { moved } : {}) };
    let at: ResourceTarget | undefined;
    try {
      if (!object) throw badRequest("expected a document to have apiVersion, kind and metadata.name");
      at = targetOf(this.#parts.fork.kinds, object, this.#parts.request.namespace ?? "default");
      const info = infoOf(at, "PATCH");
      const permitting = this.#permit(info);
      if (permitting) await permitting;
      const before = await entryOf(this.#parts.fork.kinds, at);
      this.#checkSet(at, before);
      const result = await this.#write(at, document, info);
      const planned = { ...head, ...(await this.#outcome(at, before, result)) };
      if (isDefinition(at)) await this.#parts.fork.idle();
      return { planned, at, document };
    } catch (error) {
      const placed = object && at ? { ...object, ...placeOf(at) } : object;
      return { planned: { ...head, ...this.#refused(placed, error) }, at, document };
    }
  }

  /** Deletes an object. */
  async remove(at: ResourceTarget, before: Entry): Promise<Judged> {
    const object = reportedObject(at, before);
    try {
      await this.#permit(infoOf(at, "DELETE"));
      const options = { dryRun: false, propagationPolicy: "Background", preconditions: uidOf(object) } as const;
      const { warnings } = await at.resource.delete(at.target, options, this.#caller());
      if (isDefinition(at)) await this.#parts.fork.idle();
      return { planned: { object, result: "deleted", warnings }, at };
    } catch (error) {
      return { planned: this.#refused(object, error), at };
    }
  }

  /** Throws 409 for an object that is in another set, unless the apply is forced. */
  #checkSet({ resource }: ResourceTarget, before: Entry | undefined): void {
    const { set, request } = this.#parts;
    const { group, plural, kind } = resource.definition;
    if (set && before && !request.force) checkMember(set, { group, plural, kind }, resource.object(before));
  }

  async #write(at: ResourceTarget, document: Value, info: RequestInfo): Promise<WriteResult> {
    const { fieldManager, force = false, fieldValidation = "Warn" } = this.#parts.request;
    const options = { type: "apply", dryRun: false, fieldManager, force, fieldValidation } as const;
    const permitCreate = (): void | Promise<void> => this.#permit({ ...info, verb: "create" });
    const caller = { ...this.#caller(), permitCreate };
    return at.resource.patch(at.target, { value: document, duplicates: [] }, options, caller);
  }

  async #outcome(
    at: ResourceTarget,
    before: Entry | undefined,
    { changed, warnings }: WriteResult,
  ): Promise<Omit<PlannedDocument, "document" | "moved">> {
    if (!before) return { object: namedObject(at), result: "created", warnings };
    const object = reportedObject(at, before);
    if (!changed) return { object, result: "unchanged", warnings };
    const changes = await this.#changes(at, before);
    return { object, result: "changed", ...changes, warnings };
  }

  async #changes(at: ResourceTarget, before: Entry): Promise<Partial<PlannedDocument>> {
    if (this.#bytesLeft <= 0) return LEFT_OUT;
    const after = await entryOf(this.#parts.fork.kinds, at);
    if (!after) return {};
    const steps = changesOf(owned(at, before), owned(at, after), this.#parts.request.fieldManager);
    const { changes: all, lost } = await inSlices(steps, this.#parts.slice);
    const changes = isSecret(at) ? all.map(masked) : all;
    this.#bytesLeft -= sizeOf({ changes, lost });
    if (this.#bytesLeft <= 0) return LEFT_OUT;
    return { changes, ...(lost.length === 0 ? {} : { lost }) };
  }

  /** The result of a refused document; no document of the request is stored then. */
  #refused(object: ReportedObject | undefined, error: unknown): Omit<PlannedDocument, "document" | "moved"> {
    this.#mayStore = false;
    const failure = failureOf(error);
    const isUnauthorized = this.#unauthorized.has(failure);
    const refusedBy = isUnauthorized ? "authorization" : (this.#parts.fork.refusedBy(error) ?? refuserOf(failure));
    const { status, warnings } = failure;
    return { ...(object ? { object } : {}), result: "refused", refusedBy, status, warnings };
  }

  #permit(info: RequestInfo): void | Promise<void> {
    const { parts, fork, caller } = this.#parts;
    try {
      const pending = parts.permit(fork.authorizer(), caller.identity, info);
      return pending?.catch((error: unknown) => this.#noteRefusal(error));
    } catch (error) {
      return this.#noteRefusal(error);
    }
  }

  #noteRefusal(error: unknown): never {
    if (hasReason(error, "Forbidden")) this.#unauthorized.add(error);
    throw error;
  }

  #caller(): Caller {
    const { identity, userAgent } = this.#parts.caller;
    return { ...identity, userAgent, ...(this.#mayStore ? {} : { isPlan: true }) };
  }
}

const LEFT_OUT = { changesLeftOut: true } as const;

/** The part of the server that refuses, where no step of admission does. */
function refuserOf({ reason, status: { details } }: ApiError): string {
  if (details?.causes?.some((cause) => cause.reason === "FieldManagerConflict")) return "ownership";
  return reason === "Invalid" || reason === "BadRequest" ? "validation" : "registry";
}

/** The state of an object in a fork, which has all that there is; undefined where there is none. */
export async function entryOf(kinds: Kinds, { resource, target }: ResourceTarget): Promise<Entry | undefined> {
  const { group, version, plural, scope } = resource.definition;
  const { namespace, name } = target;
  const key = scope === "Namespaced" ? `${namespace}/${name}` : name;
  if (!kinds.kind(group, version, plural)?.cache.get(key)) return undefined;
  return resource.get(target, { resourceVersion: "0" });
}

const owned = ({ resource }: ResourceTarget, entry: Entry): OwnedObject => ({
  object: resource.object(entry),
  blame: () => resource.blame(entry),
});

const isSecret = ({ resource: { definition } }: ResourceTarget): boolean =>
  definition.group === "" && definition.kind === "Secret";

const isDefinition = ({ resource: { definition } }: ResourceTarget): boolean =>
  definition.group === "apiextensions.k8s.io" && definition.kind === "CustomResourceDefinition";

const placeOf = ({ target: { namespace, name } }: ResourceTarget): Pick<ReportedObject, "name" | "namespace"> =>
  namespace === "" ? { name } : { name, namespace };

/** The name of an object that is not stored. */
function namedObject(at: ResourceTarget): ReportedObject {
  const { group, version, kind } = at.resource.definition;
  return { apiVersion: apiVersionOf(group, version), kind, ...placeOf(at) };
}

/** The name and the version of a stored object. */
function reportedObject(at: ResourceTarget, entry: Entry): ReportedObject {
  const { uid, resourceVersion } = at.resource.object(entry).metadata;
  return {
    ...namedObject(at),
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
}

const uidOf = ({ uid }: ReportedObject): { readonly uid?: string } => (uid === undefined ? {} : { uid });

const sizeOf = ({ changes, lost }: ObjectChanges): number =>
  JSON.stringify(changes).length + JSON.stringify(lost).length;
