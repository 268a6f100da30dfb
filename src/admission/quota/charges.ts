/**
 * What a request takes of the quotas of its namespace (QUOTA-2..8): pure functions of objects.
 *
 * A quota concerns a request when its status limits a resource that the object uses and all of its scopes match the object. A
 * create takes what the object uses, an update what it uses more than before.
 *
 * @module
 */
import type { ResourceQuota } from "../../kinds/core/v1/resource-quota.ts";
import type { Resources } from "../../kinds/rules/quantities.ts";
import { increase, only, plus, shownAmounts } from "../../kinds/usage/amounts.ts";
import type { Usage } from "../../kinds/usage/contract.ts";
import { countedBy, isAbout } from "../../kinds/usage/usage.ts";
import type { Dialect } from "../../meta/dialect.ts";
import { compareQuantities, quantitySign } from "../../meta/quantity.ts";
import { guardOf } from "../../schema/api-object.ts";
import type { ApiObject } from "../../schema/definition.ts";
import type { Steps } from "../../util/steps.ts";
import { type AdmissionRequest, refusal } from "../contract.ts";

/** Whether an object is a ResourceQuota. */
export const isQuota = guardOf<ResourceQuota>("ResourceQuota");

/** What a quota enforces, and what is taken of it. */
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
  const amounts = only(more, (name) => hard[name] !== undefined);
  return { ...status, used: plus(used, amounts) };
}

/** What a request takes of one quota. */
export class Charge {
  /** The name of the quota. */
  readonly quota: string;
  /** The quota as it was when the request was validated. */
  readonly validated: ResourceQuota;
  /** By resource; also those that the quota does not limit. */
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
    // A write of a status reports what is so already: it is counted, and not refused.
    if (this.#request.subresource !== "status") this.#checkFits(status, sum.used ?? {});
    return sum;
  }

  #checkFits({ hard = {}, used = {} }: QuotaStatus, sum: Resources): void {
    const { amounts } = this;
    const exceeds = (name: string): boolean =>
      amounts[name] !== undefined && hard[name] !== undefined && compareQuantities(sum[name]!, hard[name]) > 0;
    if (!Object.keys(amounts).some(exceeds)) return;
    const shown = (of: Resources): string => shownAmounts(only(of, exceeds));
    const message = `exceeded quota: ${this.quota}, requested: ${shown(amounts)}, used: ${shown(used)}, limited: ${shown(hard)}`;
    throw refusal(this.#request, message);
  }
}

/**
 * The charges of a request, by quota; none where it takes nothing of them. Throws 403 for an object that does not set what a quota
 * limits, for a quota that was not counted completely, and for negative amounts.
 */
export function* chargesOf(charged: ChargedRequest, quotas: Iterable<CountedQuota>): Steps<readonly Charge[]> {
  const concerned: ResourceQuota[] = [];
  for (const quota of quotas) {
    if (isConcerned(charged, quota)) concerned.push(quota.quota);
    yield;
  }
  return concerned.length === 0 ? [] : yield* differences(charged, concerned);
}

/** Whether a quota concerns a request. Throws where it cannot be charged. */
function isConcerned({ request, object, resource, usage }: ChargedRequest, counted: CountedQuota): boolean {
  const names = counted.names.get(resource);
  const { spec, status } = counted.quota;
  if (!names || !isAbout(spec, object, usage)) return false;
  const unsaid = usage.unsaid?.(object, names);
  if (unsaid !== undefined) throw refusal(request, `failed quota: ${counted.name}: ${unsaid}`);
  if (names.every((name) => status.used?.[name] !== undefined)) return true;
  throw refusal(request, `status unknown for quota: ${counted.name}, resources: ${names.toSorted().join(",")}`);
}

function* differences(charged: ChargedRequest, quotas: readonly ResourceQuota[]): Steps<readonly Charge[]> {
  const { request, usage, now } = charged;
  const { old } = request;
  const used = usageOf(charged);
  const all = increase(used, {});
  const more = old ? increase(used, usage.of(old, now)) : all;
  const charges: Charge[] = [];
  for (const quota of quotas) {
    const amounts = old && isAbout(quota.spec, old, usage) ? more : all;
    const isCharged = Object.keys(amounts).some((name) => quota.status.hard?.[name] !== undefined);
    if (isCharged) charges.push(new Charge(request, quota, amounts));
    yield;
  }
  return charges;
}

/** What the object of a request uses. */
function usageOf({ request, object, usage, now }: ChargedRequest): Resources {
  const used = usage.of(object, now);
  const negative = Object.keys(used).filter((name) => quantitySign(used[name]!) < 0);
  if (negative.length === 0) return used;
  throw refusal(request, `quota usage is negative for resource(s): ${negative.toSorted().join(",")}`);
}
