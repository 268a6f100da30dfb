/**
 * The form of the members that policies and bindings of both sorts share (POL-A-1, POL-A-2, POL-A-6, POL-A-20), with the messages of
 * Kubernetes.
 *
 * @module
 */
import type { FieldErrors } from "../../meta/field-errors.ts";
import { dns1035Label, dnsSubdomain, pathSegment } from "../../meta/names.ts";
import { validateLabelSelector } from "../../schema/validation/label-selector.ts";
import type { MatchResourcesValue } from "./matching.ts";
import type { BindingValue, ParamKindValue, ParamRefValue, PolicyValue } from "./policy.ts";
import { validateRules } from "./rule-lists.ts";

const FAILURE_POLICIES = ["Fail", "Ignore"];
const MATCH_POLICIES = ["Equivalent", "Exact"];
const NOT_FOUND_ACTIONS = ["Deny", "Allow"];

/** The operations that a mutating policy may have. */
const MUTATED_OPERATIONS = ["*", "CONNECT", "CREATE", "UPDATE"];

/** Adds an error where a set member has none of the values. */
export function validateChoice(
  value: string | undefined,
  choices: readonly string[],
  field: string,
  errors: FieldErrors,
): void {
  if (value !== undefined && !choices.includes(value)) errors.notSupported(field, value, choices);
}

/** Validates the failure policy of a webhook or a policy. */
export const validateFailurePolicy = (value: string | undefined, field: string, errors: FieldErrors): void =>
  validateChoice(value, FAILURE_POLICIES, field, errors);

/** Validates how rules match the versions of a resource. */
export const validateMatchPolicy = (value: string | undefined, field: string, errors: FieldErrors): void =>
  validateChoice(value, MATCH_POLICIES, field, errors);

/** Validates the members of the spec of a policy that both sorts have, expressions apart. */
export function validatePolicy(spec: PolicyValue, errors: FieldErrors): void {
  const { failurePolicy, paramKind, matchConstraints } = spec;
  validateFailurePolicy(failurePolicy, "spec.failurePolicy", errors);
  if (paramKind) validateParamKind(paramKind, "spec.paramKind", errors);
  if (!matchConstraints) return errors.required("spec.matchConstraints");
  validateMatchResources(matchConstraints, "spec.matchConstraints", errors);
  if (!matchConstraints.resourceRules?.length) errors.required("spec.matchConstraints.resourceRules");
}

function validateParamKind({ apiVersion = "", kind = "" }: ParamKindValue, field: string, errors: FieldErrors): void {
  validateApiVersion(apiVersion, `${field}.apiVersion`, errors);
  if (kind === "") return errors.required(`${field}.kind`);
  const wrong = dns1035Label(kind.toLowerCase());
  if (wrong === undefined) return;
  errors.invalid(`${field}.kind`, kind, `may have mixed case, but should otherwise match: ${wrong}`);
}

function validateApiVersion(apiVersion: string, field: string, errors: FieldErrors): void {
  if (apiVersion === "") return errors.required(field);
  const parts = apiVersion === "/" ? ["", ""] : apiVersion.split("/");
  if (parts.length > 2) return errors.invalid(field, apiVersion, `unexpected GroupVersion string: ${apiVersion}`);
  const [version = "", group = ""] = parts.toReversed();
  const wrongGroup = group === "" ? undefined : dnsSubdomain(group);
  if (wrongGroup !== undefined) errors.invalid(field, group, wrongGroup);
  if (version === "") return errors.invalid(field, apiVersion, "version must be specified");
  const wrongVersion = dns1035Label(version);
  if (wrongVersion !== undefined) errors.invalid(field, version, wrongVersion);
}

function validateMatchResources(resources: MatchResourcesValue, field: string, errors: FieldErrors): void {
  const { matchPolicy, namespaceSelector, objectSelector, resourceRules = [], excludeResourceRules = [] } = resources;
  validateMatchPolicy(matchPolicy, `${field}.matchPolicy`, errors);
  if (namespaceSelector) validateLabelSelector(namespaceSelector, `${field}.namespaceSelector`, errors);
  if (objectSelector) validateLabelSelector(objectSelector, `${field}.objectSelector`, errors);
  validateRules(resourceRules, `${field}.resourceRules`, errors);
  validateRules(excludeResourceRules, `${field}.excludeResourceRules`, errors);
}

/** Adds an error for each operation that a mutating policy cannot have. */
export function validateMutatedOperations(
  { resourceRules = [] }: MatchResourcesValue,
  field: string,
  errors: FieldErrors,
): void {
  for (const { operations = [] } of resourceRules) {
    for (const operation of operations) {
      validateChoice(operation, MUTATED_OPERATIONS, `${field}.resourceRules.operations`, errors);
    }
  }
}

/** Validates the members of the spec of a binding that both sorts have. */
export function validateBinding(
  { policyName = "", paramRef, matchResources }: BindingValue,
  errors: FieldErrors,
): void {
  const wrong = policyName === "" ? undefined : dnsSubdomain(policyName);
  if (policyName === "") errors.required("spec.policyName");
  else if (wrong !== undefined) errors.invalid("spec.policyName", policyName, wrong);
  if (paramRef) validateParamRef(paramRef, "spec.paramRef", errors);
  if (matchResources) validateMatchResources(matchResources, "spec.matchResources", errors);
}

function validateParamRef(paramRef: ParamRefValue, field: string, errors: FieldErrors): void {
  const { name = "", selector, parameterNotFoundAction } = paramRef;
  const wrong = pathSegment(name);
  if (wrong !== undefined) errors.invalid(`${field}.name`, name, wrong);
  if (selector) validateLabelSelector(selector, `${field}.selector`, errors);
  if (name === "" && !selector) errors.required(field, "one of name or selector must be specified");
  if (name !== "" && selector) {
    for (const member of ["name", "selector"]) {
      errors.forbidden(`${field}.${member}`, "name and selector are mutually exclusive");
    }
  }
  if (parameterNotFoundAction) {
    validateChoice(parameterNotFoundAction, NOT_FOUND_ACTIONS, `${field}.parameterNotFoundAction`, errors);
  } else errors.required(`${field}.parameterNotFoundAction`);
}
