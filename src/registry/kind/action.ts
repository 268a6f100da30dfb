import type { FieldErrors } from "../../meta/field-errors.ts";
import type { Status } from "../../meta/status.ts";
import type { ApiObject, ResourceDefinition, WriteContext } from "../../schema/definition.ts";
import type { Caller, Target, WriteOptions } from "../contract.ts";

/** A create of an object that is not stored: a review, or a subresource such as a token or an eviction. */
export interface ActionRequest {
  /** The object of the body, decoded and with its defaults; the result is written into it. */
  readonly object: ApiObject;
  readonly caller: Caller;
  readonly target: Target;
  readonly options: WriteOptions;
  readonly ctx: WriteContext;
  /** Returns the object that the subresource belongs to, as it is now; read only. Throws 404 where there is none. */
  readonly parent: () => ApiObject;
  /** Field errors of the object: the response is 422 when there are any. */
  readonly errors: FieldErrors;
}

/** Carries out the creates of a kind that is not stored. Both methods refuse by throwing an `ApiError`. */
export interface Action {
  /** Validates the object, after admission has changed it and before admission validates it. */
  validate?(request: ActionRequest): void;
  /** Writes the result into the object, or does what was requested and returns a Status. */
  handle(request: ActionRequest): void | Status | Promise<void | Status>;
}

/** Actions by the group and kind of their objects: `authentication.k8s.io/TokenRequest`. */
export type Actions = ReadonlyMap<string, Action>;

/** The key of a kind in {@link Actions}. */
export const actionKey = ({ group, kind }: Pick<ResourceDefinition, "group" | "kind">): string => `${group}/${kind}`;
