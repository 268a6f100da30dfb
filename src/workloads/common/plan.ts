/**
 * The writes of a plan, as values: a planner is a pure function of objects and of the time.
 *
 * @module
 */
import type { ApiObject, Kind, NewObject, Scope } from "../../client/kind.ts";

/** An Event about the owner of a written object. */
export interface Told {
  /** Its reason where the write succeeds, such as `SuccessfulCreate`. */
  readonly done: string;
  /** Its reason where the write is refused, such as `FailedCreate`. */
  readonly refused: string;
  /** Its text where the write succeeds; by default the operation and the object. */
  readonly doneNote?: string;
  /** Its text where the write is refused, before the message of the server. */
  readonly refusedNote?: string;
  /** Reasons of refusals without an Event, such as `AlreadyExists`. */
  readonly untold?: readonly string[];
}

/**
 * Whether an existing object with the name of the new one is the one to create, so that the create counts as done. It is read from the
 * server, since the informer may lag behind.
 */
export type IsSame = (found: ApiObject) => boolean;

/** One write, or one Event. Build it with the functions of this file, which check the types. */
export type PlannedWrite =
  | {
      readonly verb: "create";
      readonly kind: Kind;
      readonly object: NewObject<ApiObject>;
      readonly told?: Told;
      readonly isSame?: IsSame;
    }
  | { readonly verb: "update"; readonly kind: Kind; readonly object: ApiObject; readonly told?: Told }
  | { readonly verb: "status"; readonly kind: Kind; readonly object: ApiObject }
  | {
      readonly verb: "patch";
      readonly kind: Kind;
      readonly object: ApiObject;
      readonly patch: Readonly<Record<string, unknown>>;
    }
  | {
      readonly verb: "delete";
      readonly kind: Kind;
      readonly object: ApiObject;
      readonly told?: Told;
      readonly options?: DeletePlan;
    }
  | { readonly verb: "series"; readonly writes: readonly PlannedWrite[] }
  | { readonly verb: "event"; readonly type: "Normal" | "Warning"; readonly reason: string; readonly note: string };

/** How an object is deleted; always by its uid. */
export interface DeletePlan {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: "Background" | "Foreground" | "Orphan";
}

/** A write that the server refused. */
export interface Refusal {
  readonly write: PlannedWrite;
  /** The reason of the Status, such as `AlreadyExists`; `Unknown` where it has none. */
  readonly reason: string;
  readonly message: string;
}

/** The writes for an object, and when to plan again without a change. */
export interface Plan {
  /**
   * Stages, one after the other. The writes of a stage do not depend on each other: its creates are sent in batches of 1, 2, 4, 8 and so
   * on, each only if the previous one had no refusal (WL-GEN-5), its deletions in parallel, others in order; a series counts as a create.
   * After a refusal no further stage begins.
   */
  readonly stages: readonly (readonly PlannedWrite[])[];
  /**
   * Writes after all others, also after refusals: the status.
   *
   * @param isIncomplete whether something was left out without a refusal: an object had changed or was gone, or the namespace is
   *   being deleted
   */
  readonly afterwards?: (refusals: readonly Refusal[], isIncomplete: boolean) => readonly PlannedWrite[];
  /** Whether it adopts objects, which an owner may do only while the server itself has the owner. */
  readonly adopts?: boolean;
  /** Milliseconds after which the plan may change although no object does. */
  readonly againMillis?: number | undefined;
  /** What prevents progress: the plan is made again with growing delay after all writes. */
  readonly obstacle?: string | undefined;
}

/** Plans the creation of an object. */
export const creates = <T extends ApiObject, S extends Scope>(
  kind: Kind<T, S>,
  object: NewObject<T>,
  told?: Told,
  isSame?: (found: T) => boolean,
): PlannedWrite => ({
  verb: "create",
  kind,
  object,
  ...(told ? { told } : {}),
  ...(isSame ? { isSame: isSame as IsSame } : {}),
});

/** Plans an update of an object at its resourceVersion. */
export const updates = <T extends ApiObject, S extends Scope>(
  kind: Kind<T, S>,
  object: T,
  told?: Told,
): PlannedWrite => ({ verb: "update", kind, object, ...(told ? { told } : {}) });

/** Plans an update of the status of an object at its resourceVersion. */
export const updatesStatus = <T extends ApiObject, S extends Scope>(kind: Kind<T, S>, object: T): PlannedWrite => ({
  verb: "status",
  kind,
  object,
});

/** Plans a merge patch (RFC 7386) of an object by its uid. */
export const patches = <T extends ApiObject, S extends Scope>(
  kind: Kind<T, S>,
  object: T,
  patch: Readonly<Record<string, unknown>>,
): PlannedWrite => ({ verb: "patch", kind, object, patch });

/** Plans the deletion of an object by its uid. */
export const deletes = <T extends ApiObject, S extends Scope>(
  kind: Kind<T, S>,
  object: T,
  told?: Told,
  options?: DeletePlan,
): PlannedWrite => ({ verb: "delete", kind, object, ...(told ? { told } : {}), ...(options ? { options } : {}) });

/** Plans writes one after the other, such as a Pod after its claims; the first refusal ends the series. */
export const inSeries = (...writes: readonly PlannedWrite[]): PlannedWrite => {
  const [only] = writes;
  return only && writes.length === 1 ? only : { verb: "series", writes };
};

/** Plans an Event about the planned object. */
export const tells = (type: "Normal" | "Warning", reason: string, note: string): PlannedWrite => ({
  verb: "event",
  type,
  reason,
  note,
});

/** The earliest of some times to plan again; undefined where there is none. */
export function soonest(...millis: readonly (number | undefined)[]): number | undefined {
  const times = millis.filter((one) => one !== undefined);
  return times.length === 0 ? undefined : Math.min(...times);
}
