/**
 * Admission: the ordered chain of steps that may change or refuse a write after it was decoded and before it is stored.
 * A step sees the object in the version of the request, who writes it and how. It reads other objects only through the `lookup` of the
 * request, and writes none but in its `commit`. A step that calls another server returns a promise; where no step does, a write passes the
 * chain without waiting.
 *
 * @module
 */
import type { Identity } from "../auth/contract.ts";
import type { ReportedRule, ReportedStep } from "../meta/admission-report.ts";
import type { ReportedChange } from "../meta/history-report.ts";
import { type ApiError, type ObjectRef, type StatusCause, forbidden } from "../meta/status.ts";
import type { ApiObject } from "../schema/definition.ts";
import type { Lookup } from "../schema/lookup.ts";
import type { Hold } from "../util/keyed-lock.ts";
import type { Span } from "../util/span.ts";
import type { Value } from "../value/value.ts";

/** The options of a write besides the object; the members depend on the verb. */
export interface AdmissionOptions {
  readonly dryRun: boolean;
  readonly fieldManager?: string;
  readonly fieldValidation?: string;
  readonly force?: boolean;
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: string;
  readonly orphanDependents?: boolean;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

/** A resource in one version, and the kind of its objects. */
export interface ResourceVersion {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
}

/** Records what the steps do with one request, for an explanation. */
export interface AdmissionTrace {
  /** The chain begins, with the names of the steps that the request does not concern. */
  begin(request: AdmissionRequest, unconcerned: readonly string[]): void;
  /** Runs a step and records what it has changed, added or refused, and how long it took. */
  step(
    name: string,
    phase: ReportedStep["phase"],
    request: AdmissionRequest,
    work: () => void | Promise<void>,
  ): Promise<void>;
  /** Adds a webhook or policy that the running step has considered. */
  tell(rule: ReportedRule): void;
  /** A copy of an object for {@link changes}; undefined where it is too large to compare it after each step. */
  copy(object: ApiObject | undefined): ApiObject | undefined;
  /** The changes since a copy; none without a copy, and for an object that has become too large. */
  changes(before: ApiObject | undefined, after: ApiObject | undefined): readonly ReportedChange[];
}

/** A request that admission decides about: a write, a create that stores nothing, or a connection. */
export interface AdmissionRequest {
  readonly operation: "CREATE" | "UPDATE" | "DELETE" | "CONNECT";
  /** Group, plural and kind of the written object; compare with {@link concerns}, never by plural or kind alone. */
  readonly ref: ObjectRef;
  /** The version of the request. */
  readonly version: string;
  readonly namespaced: boolean;
  /** The other versions of the resource that are served, and have the subresource; both groups of Events are among them. */
  readonly equivalents: readonly ResourceVersion[];
  readonly namespace: string;
  /** The name of the object; empty before a name is generated. */
  readonly name: string;
  /** The name in the path of the request; a create by POST has none. */
  readonly nameInPath: string;
  /** The object in messages of refusals: its name, or the prefix from which one is generated. */
  readonly shownName: string;
  readonly subresource: string;
  /** The new object, or the options of a connection; undefined for a delete. `mutate` steps may change it. */
  readonly object: ApiObject | undefined;
  /** The stored object; undefined for a create. */
  readonly old: ApiObject | undefined;
  readonly options: AdmissionOptions;
  /**
   * Whether the write is stored in a plan only. Its options have dry run set then; its quota is charged all the same, so that later writes
   * of the plan see the charge.
   */
  readonly isPlanned: boolean;
  /** The user who writes. */
  readonly identity: Identity;
  /** Reads stored objects, and the planned writes that are stored together with this one. */
  readonly lookup: Lookup;
  /** The same object for all writes that are stored together with this one; undefined for a write that is stored alone. */
  readonly transaction?: object | undefined;
  /** Texts for `Warning` headers; add to it. */
  readonly warnings: string[];
  /** Other writes of the object wait while the request holds its lock: a step that calls another server passes on this signal. */
  readonly hold: Hold;
  /**
   * Replaces the object by a value that another server returned: the value is decoded and defaulted like the body of the request. Throws
   * 400 for a value of a wrong type; has no effect for a delete.
   */
  replace(value: Value): void | Promise<void>;
  /**
   * The request in another version of its kind, for a step that reads the objects in that version: a replacement of the object is converted
   * back. The request itself for its own version; undefined for a version that its kind does not have. Rejects where the conversion fails.
   */
  as(apiVersion: string): AdmissionRequest | undefined | Promise<AdmissionRequest>;
  /** Requests a second run of the steps that may change the object, since this step has changed it. */
  reinvoke(): void;
  /** Whether a second run was requested. */
  readonly isReinvocation: boolean;
  /**
   * Adds an annotation to the audit event of the request; the first value of a key stays (AUDIT-19). An annotation of the level `Request`
   * contains a part of the object: events without the object do not get it.
   */
  note(key: string, value: string, level?: "Request"): void;
  /** Records which rules of a step matched, and their results; undefined where no explanation is requested. */
  readonly trace: AdmissionTrace | undefined;
  /** The span of the running step, or of the request, where requests are traced. */
  span?: Span | undefined;
}

/** One step of the chain. A step refuses by throwing, or rejecting with, an `ApiError`. */
export interface AdmissionStep {
  readonly name: string;
  /** Whether it runs for connections, too (CONNECT: exec, attach, portforward, proxy). */
  readonly connects?: true;
  /** The resources that it runs for, with their subresources; all by default. */
  readonly resources?: readonly Pick<ObjectRef, "group" | "plural">[];
  /** May change the object; runs a second time where a step has called `request.reinvoke()`. */
  mutate?(request: AdmissionRequest): void | Promise<void>;
  validate?(request: AdmissionRequest): void | Promise<void>;
  /** Runs when all steps have agreed, right before the write is stored; not in a dry run, and not where nothing changes. */
  commit?(request: AdmissionRequest): Promise<void> | undefined;
  /** Runs when a validated write is not stored: reverts the effects of the step for the request. */
  rollback?(request: AdmissionRequest): Promise<void> | undefined;
  /** Runs when a validated write is stored, has failed, or has an unknown result: after `rollback` where there was one. */
  end?(request: AdmissionRequest): void;
}

/** The chain, in order. */
export type Admission = readonly AdmissionStep[];

/** 403 for a request, with the name of its object. */
export const refusal = ({ ref, shownName }: AdmissionRequest, why: string, causes?: readonly StatusCause[]): ApiError =>
  forbidden(ref, shownName, why, causes);

/** Whether a request is for a resource, which is identified by its group and plural together. */
export const concerns = ({ ref }: AdmissionRequest, resource: Pick<ObjectRef, "group" | "plural">): boolean =>
  ref.group === resource.group && ref.plural === resource.plural;
