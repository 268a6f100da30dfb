/**
 * An evaluation of a policy as a job of a worker thread: values that can be cloned.
 *
 * @module
 */
import type { Inputs } from "../../cel/environments/admission.ts";
import type { AccessDecision, AccessRequest } from "../../cel/library/authorization.ts";
import { parseFieldSelector, parseLabelSelector } from "../../meta/selectors.ts";
import { decodeOwnJson } from "../../value/json.ts";
import { isObject } from "../../value/value.ts";

/** An evaluation and its values. */
export interface PolicyTask {
  /** The policy as JSON. */
  readonly policy: string;
  readonly what: "validations" | "conditions" | "mutation";
  /** The index of the mutation. */
  readonly index?: number;
  /** The values of the variables as JSON. */
  readonly inputs: Uint8Array;
  /** The known decisions of the authorizer, by the keys of their requests. */
  readonly known: readonly (readonly [string, AccessDecision])[];
}

/** The result of a task. */
export interface PolicyResult {
  /** The result as JSON. */
  readonly result: Uint8Array;
  /** Why a mutation has no result. */
  readonly fault?: string;
  /** The requests to the authorizer without a decision; the result is valid only where there are none. */
  readonly asked: readonly AskedAccess[];
}

type Resource = NonNullable<AccessRequest["resource"]>;

/** A request to the authorizer, with selectors as texts. */
export type AskedAccess = Pick<AccessRequest, "user" | "verb" | "path"> & {
  readonly resource?: Omit<Resource, "fieldSelector" | "labelSelector"> & {
    readonly fieldSelector: string | undefined;
    readonly labelSelector: string | undefined;
  };
};

/** Encodes a request to the authorizer for another thread. */
export function askedOf(request: AccessRequest): AskedAccess {
  const { user, verb, path, resource } = request;
  if (!resource) return { user, verb, path };
  const { fieldSelector, labelSelector, ...attributes } = resource;
  return {
    user,
    verb,
    resource: { ...attributes, fieldSelector: fieldSelector?.text, labelSelector: labelSelector?.text },
  };
}

/** Decodes a request to the authorizer from another thread. */
export function accessOf({ user, verb, path = "", resource }: AskedAccess): AccessRequest {
  if (!resource) return { user, verb, path };
  const { fieldSelector, labelSelector, ...attributes } = resource;
  return {
    user,
    verb,
    resource: {
      ...attributes,
      ...(fieldSelector === undefined ? {} : { fieldSelector: parseFieldSelector(fieldSelector) }),
      ...(labelSelector === undefined ? {} : { labelSelector: parseLabelSelector(labelSelector) }),
    },
  };
}

/** The values of variables as JSON, without the authorizer. */
export function taskInputs({ object, oldObject, request, namespaceObject, params = null }: Inputs): Uint8Array {
  return Buffer.from(JSON.stringify({ object, oldObject, request, namespaceObject, params }));
}

/** The values of variables of a task. */
export function inputsIn(bytes: Uint8Array): Omit<Inputs, "decide"> {
  const inputs = decodeOwnJson(bytes);
  if (!isObject(inputs)) throw new TypeError("expected the values of variables, got another value");
  return inputs as unknown as Omit<Inputs, "decide">;
}
