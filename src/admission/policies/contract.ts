/**
 * Admission policies: expressions (CEL) that refuse or change requests, and the bindings that apply them.
 *
 *     policies, bindings ──► BoundPolicies      which policies have bindings, with an index of their rules
 *       ──► Selected                            the policies, bindings and params that match one request
 *       ──► evaluateValidations, Mutations      what the expressions say
 *       ──► ValidatingAdmissionPolicy, MutatingAdmissionPolicy: the steps, which refuse, warn, note and change
 *
 * A policy is compiled once for each state of its object, when it is first needed. A policy without a binding does nothing.
 *
 * @module
 */
import type { StructType } from "../../apply/schema/schema.ts";
import type { SelectorValue } from "../../meta/label-selector.ts";
import type { ApiObject } from "../../schema/definition.ts";
import type { AdmissionRequest } from "../contract.ts";
import type { Matching } from "../rules/contract.ts";
import type { MatchCondition } from "../rules/conditions.ts";

/** The members of a policy of either sort. */
export interface PolicySpec {
  readonly paramKind?: ParamKind;
  readonly matchConstraints?: Matching;
  /** `Fail`, which is the default, or `Ignore`. */
  readonly failurePolicy?: string;
  readonly matchConditions?: readonly MatchCondition[];
  readonly variables?: readonly { readonly name: string; readonly expression: string }[];
}

/** The kind of the params of a policy. */
export interface ParamKind {
  readonly apiVersion?: string;
  readonly kind?: string;
}

/** The spec of a ValidatingAdmissionPolicy. */
export interface ValidatingSpec extends PolicySpec {
  readonly validations?: readonly Validation[];
  readonly auditAnnotations?: readonly { readonly key: string; readonly valueExpression: string }[];
}

/** An expression that must be true. */
export interface Validation {
  readonly expression: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
}

/** The spec of a MutatingAdmissionPolicy. */
export interface MutatingSpec extends PolicySpec {
  readonly mutations?: readonly Mutation[];
  /** `Never` or `IfNeeded`. */
  readonly reinvocationPolicy?: string;
}

/** An expression that changes the object. */
export interface Mutation {
  /** `ApplyConfiguration` or `JSONPatch`. */
  readonly patchType: string;
  readonly applyConfiguration?: { readonly expression?: string };
  readonly jsonPatch?: { readonly expression?: string };
}

/** The spec of a binding of either sort. */
export interface BindingSpec {
  readonly policyName?: string;
  readonly paramRef?: ParamRef;
  readonly matchResources?: Matching;
  /** `Deny`, `Warn` and `Audit`; of validating policies only. */
  readonly validationActions?: readonly string[];
}

/** The params that a binding gives to its policy: those with a name, or those that a selector finds. */
export interface ParamRef {
  readonly name?: string;
  readonly namespace?: string;
  readonly selector?: SelectorValue;
  /** `Allow` or `Deny`. */
  readonly parameterNotFoundAction?: string;
}

/** A stored kind, as policies use it. */
export interface StoredKind {
  /** The name by which a lookup finds its objects. */
  readonly resource: string;
  readonly namespaced: boolean;
  /** An object as it is stored, in the requested version of its kind. */
  inVersion(object: ApiObject): ApiObject | Promise<ApiObject>;
}

/** The part of the served kinds that policies use. */
export interface PolicyKinds {
  /** A kind in a version, `apps/v1`; undefined for one that is not served, or not stored. */
  storedKind(apiVersion: string, kind: string): StoredKind | undefined;
  /** The type of the objects of a request, for apply configurations; undefined where its kind is not served any more. */
  typeOf(request: Pick<AdmissionRequest, "ref" | "version" | "subresource">): StructType | undefined;
}

/** A fault of a configuration, or of its use; a policy with failurePolicy Fail refuses with its message. */
export class ConfigurationFault extends Error {
  override readonly name = "ConfigurationFault";
}
