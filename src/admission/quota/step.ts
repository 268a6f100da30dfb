/**
 * Quotas: the usage of objects is charged to the quotas of their namespace when they are stored, and writes that do not fit are refused
 * (QUOTA-2..8). A controller counts released usage.
 *
 *     validate: does it fit? ──► [all other steps agree] ──► commit: book ──► [the write] ──► stored, or rollback: refund
 * A write that a step or a rule refuses has no charge. A write that the store refuses, such as a create under a used name, has been charged
 * (QUOTA-4): the charge remains in the quota until the next booking subtracts it.
 *
 * A controller that counts sends a dry run of a write of the status first: the dry run waits for the writes whose charges are
 * booked, so that a count from then on finds their objects.
 *
 * @module
 */
import type { ResourceQuota } from "../../kinds/core/v1/resource-quota.ts";
import type { Usage } from "../../kinds/usage/contract.ts";
import { usageOf } from "../../kinds/usage/usage.ts";
import type { Dialect } from "../../meta/dialect.ts";
import type { ObjectRef } from "../../meta/status.ts";
import type { Clock } from "../../util/clock.ts";
import { ShortLivedMap } from "../../util/short-lived.ts";
import { type Steps, inSlices } from "../../util/steps.ts";
import { ByNamespace } from "../by-namespace.ts";
import type { AdmissionRequest, AdmissionStep } from "../contract.ts";
import { ChargeGroup } from "./charge-group.ts";
import { ChargeWriter, type ChargeWriterParts, QUOTAS } from "./charge-writer.ts";
import {
  type Charge,
  type ChargedRequest,
  type CountedQuota,
  type Needs,
  chargeOf,
  isConcerned,
  needsOf,
  readQuota,
  withAmounts,
} from "./charges.ts";

/** The parts that the step needs. */
export interface QuotaParts extends ChargeWriterParts {
  readonly dialect: Dialect;
  readonly clock: Pick<Clock, "now" | "loop">;
}

/** The step named ResourceQuota; it is the last one, so that only writes that all other steps allow are charged. */
export function resourceQuota(parts: QuotaParts): AdmissionStep {
  const step = new QuotaStep(parts);
  return {
    name: "ResourceQuota",
    validate: (request) => step.validate(request),
    commit: (request) => step.commit(request),
    rollback: (request) => step.rollback(request),
    end: (request) => step.end(request),
  };
}

/** A resource whose objects are counted. */
interface CountedResource {
  readonly resource: string;
  readonly usage: Usage;
}

class QuotaStep {
  readonly #parts: QuotaParts;
  readonly #quotas: ByNamespace<CountedQuota>;
  readonly #writer: ChargeWriter;
  readonly #uncounted: ReadonlySet<string>;
  /** Undefined for resources that are not counted. */
  readonly #resources = new WeakMap<ObjectRef, CountedResource | undefined>();
  /** The charges of requests that are running, a group for each namespace, by the transaction or the request. */
  readonly #groups = new ShortLivedMap<object, ChargeGroup[]>();

  constructor(parts: QuotaParts) {
    const { lookup, dialect, clock } = parts;
    this.#parts = parts;
    this.#writer = new ChargeWriter(parts);
    this.#quotas = new ByNamespace({ lookup, loop: clock.loop }, QUOTAS, readQuota(dialect));
    this.#uncounted = uncountedResources(dialect);
  }

  validate(request: AdmissionRequest): void | Promise<void> {
    const { namespace, object, namespaced, ref } = request;
    if (namespace === "" || !object || !namespaced) return undefined;
    if (isDryRunOfStatus(request)) return this.#writer.whenEnded(namespace, request.name);
    const counted = this.#countedBy(ref);
    if (!counted || !mayTake(request, counted.usage)) return undefined;
    const quotas = this.#quotas.in(namespace, request.lookup);
    if (!quotas) return undefined;
    const charged = { ...counted, request, object, now: this.#parts.clock.now() };
    if (quotas instanceof Promise) return quotas.then((found) => found && this.#check(charged, found));
    return this.#check(charged, quotas);
  }

  commit(request: AdmissionRequest): Promise<void> | undefined {
    const group = this.#groupOf(request);
    if (!group || group.booked) return group?.booked;
    group.booked = request.transaction ? this.#writer.bookUnlocked(group) : this.#writer.book(group);
    return group.booked;
  }

  rollback(request: AdmissionRequest): undefined {
    const group = this.#groupOf(request);
    if (group) this.#writer.refund(group.takeBookings());
  }

  end(request: AdmissionRequest): void {
    const { transaction = request, namespace } = request;
    const group = this.#groupOf(request);
    if (!group) return;
    const others = this.#groups.get(transaction)?.filter((other) => other.namespace !== namespace) ?? [];
    if (others.length === 0) this.#groups.delete(transaction);
    else this.#groups.set(transaction, others);
    this.#writer.end(group);
  }

  #countedBy(ref: ObjectRef): CountedResource | undefined {
    if (this.#resources.has(ref)) return this.#resources.get(ref);
    const resource = ref.group === "" ? ref.plural : `${ref.plural}.${ref.group}`;
    const usage = usageOf(resource, this.#parts.dialect);
    const counted = this.#uncounted.has(resource) ? undefined : { resource, usage };
    this.#resources.set(ref, counted);
    return counted;
  }

  #check(charged: ChargedRequest, quotas: Iterable<CountedQuota>): void | Promise<void> {
    return inSlices(this.#plan(charged, quotas), this.#parts.clock.loop.slice());
  }

  /**
   * Plans the charges of a request, in addition to those of earlier writes of the same transaction. Throws 403 where they exceed a quota.
   */
  *#plan(charged: ChargedRequest, quotas: Iterable<CountedQuota>): Steps<void> {
    const concerned: ResourceQuota[] = [];
    for (const one of quotas) {
      if (isConcerned(charged, one)) concerned.push(one.quota);
      yield;
    }
    if (concerned.length === 0) return;
    const needs = needsOf(charged);
    const charges: Charge[] = [];
    for (const quota of concerned) {
      const charge = this.#fitting(charged, needs, quota);
      if (charge) charges.push(charge);
      yield;
    }
    if (charges.length > 0) this.#startGroup(charged.request).addAll(charges);
  }

  /** The charge of a request in a quota that concerns it, with those of earlier writes of the transaction. Throws 403. */
  #fitting(charged: ChargedRequest, needs: Needs, quota: ResourceQuota): Charge | undefined {
    const charge = chargeOf(charged, needs, quota);
    const planned = this.#groupOf(charged.request);
    const status = this.#writer.statusOf(quota);
    charge?.addTo(planned ? withAmounts(status, planned.amountsOf(charge.quota)) : status);
    return charge;
  }

  #groupOf(request: AdmissionRequest): ChargeGroup | undefined {
    const groups = this.#groups.get(request.transaction ?? request);
    return groups?.find(({ namespace }) => namespace === request.namespace);
  }

  #startGroup(request: AdmissionRequest): ChargeGroup {
    const { transaction = request, namespace } = request;
    const started = this.#groupOf(request);
    if (started) return started;
    const group = new ChargeGroup(namespace);
    this.#groups.set(transaction, [...(this.#groups.get(transaction) ?? []), group]);
    return group;
  }
}

/** Kinds that are not stored, and Events. */
const uncountedResources = ({ domain }: Dialect): ReadonlySet<string> =>
  new Set([
    "bindings",
    "componentstatuses",
    "events",
    `events.events.${domain}`,
    ...["tokenreviews", "selfsubjectreviews"].map((plural) => `${plural}.authentication.${domain}`),
    ...["", "self", "local"].map((scope) => `${scope}subjectaccessreviews.authorization.${domain}`),
    `selfsubjectrulesreviews.authorization.${domain}`,
  ]);

/** Whether a request is a dry run of a write of the status of a quota. */
const isDryRunOfStatus = ({ operation, subresource, ref, options }: AdmissionRequest): boolean =>
  operation === "UPDATE" && subresource === "status" && options.dryRun && ref.group === "" && ref.plural === QUOTAS;

/** Whether a write may change the usage of its object. */
function mayTake({ operation, subresource, object, old }: AdmissionRequest, usage: Usage): boolean {
  if (operation === "CREATE") return subresource === "";
  return operation === "UPDATE" && old !== undefined && (usage.mayChange?.(subresource, object!, old) ?? false);
}
