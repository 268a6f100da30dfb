/**
 * The charges of a request in the quotas of its namespace (QUOTA-2..8): pure functions of objects.
 * A quota concerns a request when its status limits a resource that the object uses and all of its scopes match the object. A create is
 * charged for the usage of the object, an update for the increase of it.
 *
 * @module
 */
import type { ResourceQuota } from "../../kinds/core/v1/resource-quota.ts";
import type { Resources } from "../../kinds/rules/quantities.ts";
import { increase, only, shownAmounts } from "../../kinds/usage/amounts.ts";
import type { Usage } from "../../kinds/usage/contract.ts";
import { countedBy, isAbout } from "../../kinds/usage/usage.ts";
import type { Dialect } from "../../meta/dialect.ts";
import { addQuantities, compareQuantities, quantitySign } from "../../meta/quantity.ts";
import { guardOf } from "../../schema/api-object.ts";
import type { ApiObject } from "../../schema/definition.ts";
import { type AdmissionRequest, refusal } from "../contract.ts";

/** Whether an object is a ResourceQuota. */
export const isQuota = guardOf<ResourceQuota>("ResourceQuota");

/** The limits of a quota, and its usage. */
export type QuotaStatus = ResourceQuota["status"];

/** A quota with a status, and the names by which it counts the objects of each resource. */
export interface CountedQuota {
  readonly name: string;
  readonly quota: ResourceQuota;
  readonly names: ReadonlyMap<string, readonly string[]>;
}

/** Reads quotas that the controller has counted; a quota without a status restricts nothing (QUOTA-2). */
export const readQuota =
  (dialect: Dialect) =>
  (object: ApiObject): CountedQuota | undefined => {
    if (!isQuota(object) || !object.status?.hard) return undefined;
    const names = Map.groupBy(Object.keys(object.status.hard), (name) => countedBy(name, dialect) ?? "");
    return { name: object.metadata.name ?? "", quota: object, names };
  };

/** A request that may change what its object uses. */
export interface ChargedRequest {
  readonly request: AdmissionRequest;
  readonly object: ApiObject;
  /** `plural.group`, or the plural in the core group. */
  readonly resource: string;
  readonly usage: Usage;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** A status with more amounts of the resources that it limits, whether they fit or not. */
export function withAmounts(status: QuotaStatus, more: Resources): QuotaStatus {
  const { hard = {}, used = {} } = status;
  const sum: Record<string, string> = { ...used };
  for (const name in more) {
    if (hard[name] !== undefined) sum[name] = addQuantities(used[name] ?? "0", more[name]!);
  }
  return { ...status, used: sum };
}

/** The charge of a request in one quota. */
export class Charge {
  /** The name of the quota. */
  readonly quota: string;
  /** The quota as it was when the request was validated. */
  readonly validated: ResourceQuota;
  /** By resource; including resources that the quota does not limit. */
  readonly amounts: Resources;
  readonly #request: AdmissionRequest;

  constructor(request: AdmissionRequest, quota: ResourceQuota, amounts: Resources) {
    this.#request = request;
    this.quota = quota.metadata.name ?? "";
    this.validated = quota;
    this.amounts = amounts;
  }

  /** The status with this charge. Throws 403 where that exceeds the quota (QUOTA-3). */
  addTo(status: QuotaStatus): QuotaStatus {
    const sum = withAmounts(status, this.amounts);
    // A write of a status reports existing usage: it is counted, and not refused.
    if (this.#request.subresource !== "status") this.#checkFits(status, sum.used ?? {});
    return sum;
  }

  #checkFits({ hard = {}, used = {} }: QuotaStatus, sum: Resources): void {
    const { amounts } = this;
    const exceeds = (name: string): boolean =>
      amounts[name] !== undefined && hard[name] !== undefined && compareQuantities(sum[name]!, hard[name]) > 0;
    let isExceeded = false;
    for (const name in amounts) isExceeded ||= exceeds(name);
    if (!isExceeded) return;
    const shown = (of: Resources): string => shownAmounts(only(of, exceeds));
    const message = `exceeded quota: ${this.quota}, requested: ${shown(amounts)}, used: ${shown(used)}, limited: ${shown(hard)}`;
    throw refusal(this.#request, message);
  }
}

/**
 * Whether a quota concerns a request. Throws 403 for an object that does not set what the quota limits, and for a quota that was not
 * counted completely.
 */
export function isConcerned({ request, object, resource, usage }: ChargedRequest, counted: CountedQuota): boolean {
  const names = counted.names.get(resource);
  const { spec, status } = counted.quota;
  if (!names || !isAbout(spec, object, usage)) return false;
  const unsaid = usage.unsaid?.(object, names);
  if (unsaid !== undefined) throw refusal(request, `failed quota: ${counted.name}: ${unsaid}`);
  if (names.every((name) => status.used?.[name] !== undefined)) return true;
  throw refusal(request, `status unknown for quota: ${counted.name}, resources: ${names.toSorted().join(",")}`);
}

/** The charge of a request in a quota: for a quota that also concerns the old object, only the increase. */
export interface Needs {
  readonly all: Resources;
  readonly more: Resources;
}

/** The charges of a request in the quotas that concern it. Throws 403 for negative amounts. */
export function needsOf(charged: ChargedRequest): Needs {
  const { request, usage, now } = charged;
  const { old } = request;
  const used = usageOf(charged);
  const all = increase(used, {});
  return { all, more: old ? increase(used, usage.of(old, now)) : all };
}

/** The charge of a request in a quota that concerns it; undefined for none. */
export function chargeOf({ request, usage }: ChargedRequest, needs: Needs, quota: ResourceQuota): Charge | undefined {
  const { old } = request;
  const amounts = old && isAbout(quota.spec, old, usage) ? needs.more : needs.all;
  for (const name in amounts) {
    if (quota.status.hard?.[name] !== undefined) return new Charge(request, quota, amounts);
  }
  return undefined;
}

/** The usage of the object of a request. */
function usageOf({ request, object, usage, now }: ChargedRequest): Resources {
  const used = usage.of(object, now);
  const negative = Object.keys(used).filter((name) => quantitySign(used[name]!) < 0);
  if (negative.length === 0) return used;
  throw refusal(request, `quota usage is negative for resource(s): ${negative.toSorted().join(",")}`);
}
