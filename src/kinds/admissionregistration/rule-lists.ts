/**
 * The form of rules: operations on resources (HOOK-2), with the messages of Kubernetes.
 *
 * @module
 */
import type { FieldErrors } from "../../meta/field-errors.ts";
import { pathSegment } from "../../meta/names.ts";
import type { RuleValue } from "./matching.ts";

const OPERATIONS = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
const SCOPES = ["*", "Cluster", "Namespaced"];

/** Validates the rules at `field`. */
export function validateRules(rules: readonly RuleValue[], field: string, errors: FieldErrors): void {
  for (const [i, rule] of rules.entries()) validateRule(rule, `${field}[${i}]`, errors);
}

function validateRule(rule: RuleValue, field: string, errors: FieldErrors): void {
  const { resourceNames = [], operations = [], apiGroups = [], apiVersions = [], resources = [], scope } = rule;
  validateNames(resourceNames, `${field}.resourceNames`, errors);
  validateOperations(operations, `${field}.operations`, errors);
  validateList(apiGroups, "API groups", `${field}.apiGroups`, errors);
  validateList(apiVersions, "API versions", `${field}.apiVersions`, errors);
  validateFilled(apiVersions, `${field}.apiVersions`, errors);
  validateResources(resources, `${field}.resources`, errors);
  if (scope !== undefined && !SCOPES.includes(scope)) errors.notSupported(`${field}.scope`, scope, SCOPES);
}

function validateNames(names: readonly string[], field: string, errors: FieldErrors): void {
  const seen = new Set<string>();
  for (const [i, name] of names.entries()) {
    const wrong = pathSegment(name);
    if (wrong !== undefined) errors.invalid(`${field}[${i}]`, name, wrong);
    if (seen.has(name)) errors.duplicate(`${field}[${i}]`, name);
    seen.add(name);
  }
}

function validateOperations(operations: readonly string[], field: string, errors: FieldErrors): void {
  validateList(operations, "operations", field, errors);
  for (const [i, operation] of operations.entries()) {
    if (!OPERATIONS.includes(operation)) errors.notSupported(`${field}[${i}]`, operation, OPERATIONS);
  }
}

/** A list has an entry, and where it has `*` no other entry. */
function validateList(list: readonly string[], what: string, field: string, errors: FieldErrors): void {
  if (list.length === 0) errors.required(field);
  else if (list.length > 1 && list.includes("*")) {
    errors.invalid(field, list, `if '*' is present, must not specify other ${what}`);
  }
}

function validateFilled(list: readonly string[], field: string, errors: FieldErrors): void {
  for (const [i, entry] of list.entries()) if (entry === "") errors.required(`${field}[${i}]`);
}

/** An entry may not be covered by an earlier one. */
function validateResources(resources: readonly string[], field: string, errors: FieldErrors): void {
  if (resources.length === 0) errors.required(field);
  validateFilled(resources, field, errors);
  validateSubresources(resources, field, errors);
  if (resources.length > 1 && resources.includes("*/*")) {
    errors.invalid(field, resources, "if '*/*' is present, must not specify other resources");
  }
  // As in Kubernetes, the last entry without a subresource decides.
  const main = resources.findLast((resource) => resource !== "" && !resource.includes("/"));
  if (resources.includes("*") && main !== "*") {
    errors.invalid(field, resources, "if '*' is present, must not specify other resources without subresources");
  }
}

function validateSubresources(resources: readonly string[], field: string, errors: FieldErrors): void {
  const whole = new Set<string>();
  const everywhere = new Set<string>();
  for (const [i, entry] of resources.entries()) {
    const slash = entry.indexOf("/");
    if (slash < 0) continue;
    const [resource, subresource] = [entry.slice(0, slash), entry.slice(slash + 1)];
    const covered = (by: string): void =>
      errors.invalid(`${field}[${i}]`, entry, `if '${by}' is present, must not specify ${entry}`);
    if (whole.has(resource)) covered(`${resource}/*`);
    if (everywhere.has(subresource)) covered(`*/${subresource}`);
    if (subresource === "*") whole.add(resource);
    if (resource === "*") everywhere.add(subresource);
  }
}
