/**
 * The usage of quotas by objects: the names by which they are counted, their amounts, and the quotas that apply (QUOTA-1, QUOTA-5..7).
 * Admission charges it, and a controller recounts it.
 *
 * @module
 */
import type { Dialect } from "../../meta/dialect.ts";
import type { Countable, Scope, Usage } from "./contract.ts";
import { claimUsage, deviceUsage } from "./claims.ts";
import { isOfPods, podUsage } from "./pods.ts";
import { serviceUsage } from "./services.ts";

/** Resources that were counted by their plural before all could be. */
const OLD_NAMES: ReadonlySet<string> = new Set([
  "configmaps",
  "persistentvolumeclaims",
  "replicationcontrollers",
  "resourcequotas",
  "secrets",
  "services",
]);

const COUNT = "count/";

/** The resource, `plural.group`, whose objects are counted by a name of `hard`; undefined for a name that counts nothing. */
export function countedBy(name: string, dialect: Dialect): string | undefined {
  if (name.startsWith(COUNT)) return name.slice(COUNT.length);
  if (OLD_NAMES.has(name)) return name;
  if (name === "requests.storage" || ofClass(name, dialect) !== undefined) return "persistentvolumeclaims";
  if (name.startsWith("services.")) return "services";
  if (name.endsWith(`.deviceclass.resource.k8s.io/devices`)) return "resourceclaims.resource.k8s.io";
  return isOfPods(name, dialect) ? "pods" : undefined;
}

/** The class of storage in a name such as `gold.storageclass.storage.k8s.io/requests.storage`. */
function ofClass(name: string, { domain }: Dialect): string | undefined {
  const [first, last, more] = name.split("/");
  const isCounted = last === "persistentvolumeclaims" || last === "requests.storage";
  const suffix = `.storageclass.storage.${domain}`;
  return more === undefined && isCounted && first!.endsWith(suffix) ? first!.slice(0, -suffix.length) : undefined;
}

/** How the objects of a resource, `plural.group`, are counted: each of any kind as one. */
export function usageOf(resource: string, dialect: Dialect): Usage {
  const one = { [`${COUNT}${resource}`]: "1", ...(OLD_NAMES.has(resource) ? { [resource]: "1" } : {}) };
  const special = specialOf(resource, dialect);
  return { ...special, of: (object, now) => ({ ...one, ...special?.of(object, now) }) };
}

/** Whether objects of a resource, `plural.group`, have usage besides their number. */
export const isTakingMore = (resource: string, dialect: Dialect): boolean => specialOf(resource, dialect) !== undefined;

/** Whether a name counts each object of a resource as one, whatever its content. */
export const isOnePerObject = (name: string, resource: string): boolean =>
  name === `${COUNT}${resource}` || (name === resource && OLD_NAMES.has(name));

/** The usage of objects besides their number. */
function specialOf(resource: string, dialect: Dialect): Usage | undefined {
  switch (resource) {
    case "pods":
      return podUsage(dialect);
    case "services":
      return serviceUsage;
    case "persistentvolumeclaims":
      return claimUsage(dialect);
    case "resourceclaims.resource.k8s.io":
      return deviceUsage;
    default:
      return undefined;
  }
}

/** The scopes of a quota. */
export interface Scoped {
  readonly scopes?: readonly string[];
  readonly scopeSelector?: { readonly matchExpressions?: readonly Scope[] };
}

/** Whether a quota applies to an object: all of its scopes match. */
export function isAbout({ scopes, scopeSelector }: Scoped, object: Countable, usage: Usage): boolean {
  if (!scopes?.length && !scopeSelector) return true;
  const named = (scopes ?? []).map((scopeName) => ({ scopeName, operator: "Exists" }));
  const asked = [...named, ...(scopeSelector?.matchExpressions ?? [])];
  return asked.every((requirement) => usage.holds?.(requirement, object) ?? false);
}
