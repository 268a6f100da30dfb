/**
 * Admission: the ordered chain of steps that may change or refuse a write after it was decoded and before it is stored.
 *
 * A step sees the object in the version of the request, who writes it and how. It gets at other objects only through a
 * `Lookup`, and it never writes, except for the one act that is handed to it (see `namespaces.ts`). A step that asks
 * somebody else answers a promise; where no step does, a write goes through the chain without waiting.
 *
 * @module
 */
import type { Identity } from "../auth/contract.ts";
import type { ObjectRef } from "../meta/status.ts";
import type { ApiObject } from "../schema/definition.ts";
import type { Turn } from "../util/keyed-lock.ts";
import type { Value } from "../value/value.ts";

/** What a client may say of a write beside the object; which members there are depends on the verb. */
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

/** One write on its way to the store. */
export interface AdmissionRequest {
  readonly operation: "CREATE" | "UPDATE" | "DELETE" | "CONNECT";
  /** Group, plural and kind of what is written; compare with {@link concerns}, never by plural or kind alone. */
  readonly ref: ObjectRef;
  /** The version of the request. */
  readonly version: string;
  readonly namespaced: boolean;
  readonly namespace: string;
  readonly name: string;
  /** The name in the path of the request; a create by POST has none. */
  readonly nameInPath: string;
  readonly subresource: string;
  /** The new object; undefined for a delete. `mutate` steps may change it. */
  readonly object: ApiObject | undefined;
  /** The stored object; undefined for a create. */
  readonly old: ApiObject | undefined;
  readonly options: AdmissionOptions;
  /** Who writes. */
  readonly identity: Identity;
  /** Texts for `Warning` headers; add to it. */
  readonly warnings: string[];
  /** While it lasts other writes of the object wait: a step that asks somebody else passes its signal on. */
  readonly turn: Turn;
  /**
   * Puts another value in the place of the object, as somebody else answered it: it is decoded and defaulted like the
   * body of the request. Throws 400 for a value that does not fit the kind; does nothing for a delete.
   */
  replace(value: Value): void;
}

/** One step of the chain. A step refuses by throwing, or rejecting with, an `ApiError`. */
export interface AdmissionStep {
  readonly name: string;
  /** The resources that it looks at, subresources included; every one where it does not say. It is not asked about others. */
  readonly resources?: readonly Pick<ObjectRef, "group" | "plural">[];
  mutate?(request: AdmissionRequest): void | Promise<void>;
  validate?(request: AdmissionRequest): void | Promise<void>;
  /** Runs when everything else agreed, right before the store is written; not in a dry run. */
  commit?(request: AdmissionRequest): Promise<void> | undefined;
}

/** The chain, in order. */
export type Admission = readonly AdmissionStep[];

/** Whether a request is about a resource, which is known by its group and plural together. */
export const concerns = ({ ref }: AdmissionRequest, resource: Pick<ObjectRef, "group" | "plural">): boolean =>
  ref.group === resource.group && ref.plural === resource.plural;
