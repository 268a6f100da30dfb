/**
 * The rules of resources: those of containers, those of the Pod as a whole, and the overhead of its runtime
 * (KIND-PodSpec-6, KIND-PodSpec-7).
 *
 * @module
 */
import type { FieldErrors } from "../../../../meta/field-errors.ts";
import { dnsLabel } from "../../../../meta/names.ts";
import { compareQuantities, wholeNumber } from "../../../../meta/quantity.ts";
import type { ApiContext } from "../../../../schema/definition.ts";
import {
  type Resources,
  checkAmount,
  checkContainerResourceName,
  checkResourceName,
  isHugePage,
  isOvercommitted,
  pageSize,
} from "../../../rules/quantities.ts";
import type { ContainerValue } from "./container-schema.ts";
import { totalLimits, totalRequests } from "./resource-totals.ts";
import type { PodSpec } from "./spec-schema.ts";

/** The resources of a container or a Pod. */
export type ResourceRequirements = NonNullable<ContainerValue["resources"]>;

type CheckName = (field: string, name: string, errors: FieldErrors, ctx: ApiContext) => void;

const ofContainer: CheckName = (field, name, errors, { dialect }) => {
  // Kubernetes restricts the names of resources, the documents do not.
  if (dialect.rules.enforceUndocumented) checkContainerResourceName(field, name, errors, dialect);
};

const ofPod: CheckName = (field, name, errors) => {
  if (!checkResourceName(field, name, errors) || isOfPods(name)) return;
  errors.notSupported(field, name, ["cpu", "hugepages-", "memory"]);
};

/** Whether a Pod as a whole can request a resource. */
export const isOfPods = (name: string): boolean => name === "cpu" || name === "memory" || isHugePage(name);

/**
 * The rules of the resources of a container: possible amounts, requests within limits, claims of the Pod.
 *
 * @param claims the names of the Pod's resource claims
 */
export function checkResources(
  resources: ResourceRequirements,
  claims: ReadonlySet<string>,
  at: string,
  errors: FieldErrors,
  ctx: ApiContext,
): void {
  checkRequirements(resources, ofContainer, at, errors, ctx);
  if (resources.claims) checkClaims(resources.claims, claims, `${at}.claims`, errors);
}

/** The overhead of a runtime: possible amounts (KIND-PodSpec-6). */
export function checkOverhead(overhead: Resources, at: string, errors: FieldErrors, ctx: ApiContext): void {
  // Kubernetes treats it like the limits of a container.
  const map = ctx.dialect.rules.recordedCauseNames ? `${at}.limits` : at;
  for (const name in overhead) checkEntry(name, overhead[name]!, ofContainer, `${map}[${name}]`, errors, ctx);
  checkBesideHugePages([overhead], at, errors);
}

function checkRequirements(
  { limits, requests }: ResourceRequirements,
  checkName: CheckName,
  at: string,
  errors: FieldErrors,
  ctx: ApiContext,
): void {
  for (const name in limits) checkEntry(name, limits[name]!, checkName, `${at}.limits[${name}]`, errors, ctx);
  for (const name in requests) {
    const value = requests[name]!;
    checkEntry(name, value, checkName, `${at}.requests[${name}]`, errors, ctx);
    checkWithin(name, value, limits?.[name], at, errors, ctx);
  }
  checkBesideHugePages([limits, requests], at, errors);
}

/** Huge pages need cpu or memory, too. */
function checkBesideHugePages(maps: readonly (Resources | undefined)[], at: string, errors: FieldErrors): void {
  if (!maps.some(asksForHugePages)) return;
  if (maps.some((map) => map?.["cpu"] !== undefined || map?.["memory"] !== undefined)) return;
  errors.forbidden(at, "expected cpu or memory together with huge pages");
}

function asksForHugePages(resources: Resources | undefined): boolean {
  for (const name in resources) if (isHugePage(name)) return true;
  return false;
}

function checkEntry(
  name: string,
  value: string,
  checkName: CheckName,
  field: string,
  errors: FieldErrors,
  ctx: ApiContext,
): void {
  checkName(field, name, errors, ctx);
  checkAmount(field, name, value, errors, ctx.dialect);
  if (!isHugePage(name)) return;
  const size = pageSize(name);
  if (size === undefined || (wholeNumber(value) ?? 0n) % size !== 0n) {
    errors.invalid(field, value, `expected a multiple of the size of ${name}`);
  }
}

/** No request exceeds its limit; for a resource without overcommitment they are equal. */
function checkWithin(
  name: string,
  value: string,
  limit: string | undefined,
  at: string,
  errors: FieldErrors,
  { dialect }: ApiContext,
): void {
  if (limit === undefined) {
    if (!isOvercommitted(name, dialect))
      errors.required(`${at}.limits`, `expected a limit of ${name}, as it is requested`);
    return;
  }
  const difference = compareQuantities(value, limit);
  if (difference !== 0 && !isOvercommitted(name, dialect)) {
    errors.invalid(`${at}.requests`, value, `expected just the limit of ${name}, ${limit}`);
  } else if (difference > 0) {
    errors.invalid(`${at}.requests`, value, `expected at most the limit of ${name}, ${limit}`);
  }
}

/** Claims are those of the Pod, each once: as a whole, or its requests one by one. */
function checkClaims(
  list: NonNullable<ResourceRequirements["claims"]>,
  claims: ReadonlySet<string>,
  at: string,
  errors: FieldErrors,
): void {
  const whole = new Set<string>();
  const parts = new Map<string, Set<string>>();
  list.forEach(({ name, request = "" }, i) => {
    const field = `${at}[${i}]`;
    if (!name) return errors.required(field, "expected the name of a claim");
    const used = parts.get(name) ?? new Set();
    if (whole.has(name)) errors.duplicate(field, name);
    else if (request === "") {
      if (used.size > 0) errors.duplicate(field, name);
      whole.add(name);
    } else {
      const wrong = dnsLabel(request);
      if (wrong !== undefined) errors.invalid(`${field}.request`, request, wrong);
      if (used.has(request)) errors.duplicate(field, `${name}/${request}`);
      parts.set(name, used.add(request));
    }
    if (!claims.has(name)) errors.notFound(field, name);
  });
}

/**
 * The resources of the Pod as a whole: cpu, memory and huge pages, at least those of its containers (KIND-PodSpec-7).
 *
 * @param claims the names of the Pod's resource claims
 */
export function checkPodResources(
  spec: PodSpec,
  claims: ReadonlySet<string>,
  errors: FieldErrors,
  ctx: ApiContext,
): void {
  const { resources } = spec;
  if (!resources) return;
  const at = "spec.resources";
  if (spec.os?.name === "windows") return errors.forbidden(at, "expected none for windows");
  if (resources.claims) {
    errors.forbidden(`${at}.claims`, "expected claims of containers, not of the Pod");
    checkClaims(resources.claims, claims, `${at}.claims`, errors);
  }
  checkRequirements(resources, ofPod, at, errors, ctx);
  const { limits = {}, requests = {} } = resources;
  const asked = totalRequests(spec);
  for (const name in requests) {
    const total = asked[name];
    if (total === undefined || compareQuantities(total, requests[name]!) <= 0) continue;
    errors.invalid(`${at}.requests[${name}]`, requests[name], `expected at least what containers request, ${total}`);
  }
  if (Object.keys(limits).length > 0) checkWithinPod(spec, limits, at, errors);
}

/** The limits of containers are within those of the Pod; for huge pages, their sum is. */
function checkWithinPod(spec: PodSpec, limits: Resources, at: string, errors: FieldErrors): void {
  if (asksForHugePages(limits)) {
    const totals = totalLimits(spec);
    for (const name in limits) {
      const total = totals[name];
      if (!isHugePage(name) || total === undefined || compareQuantities(total, limits[name]!) <= 0) continue;
      errors.invalid(`${at}.limits[${name}]`, limits[name], `expected at least the limits of containers, ${total}`);
    }
  }
  (spec.containers ?? []).forEach(({ resources }, i) => {
    const own = resources?.limits;
    for (const name in own) {
      const limit = limits[name];
      if (limit === undefined || compareQuantities(own[name]!, limit) <= 0) continue;
      const field = `${at}.containers[${i}][${name}].limits`;
      errors.invalid(field, own[name], `expected at most the limit of the Pod, ${limit}`);
    }
  });
}
