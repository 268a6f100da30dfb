/**
 * Points: requests and deliveries of a run, as plans name them.
 *
 * One counter follows a run, whether it is a trace or is being played, so that a plan finds its point again.
 *
 * @module
 */
import type { DeliveryPoint, RequestPoint } from "./contract/plan.ts";
import type { DeliveryEntry, RequestEntry } from "./contract/trace.ts";
import type { NormalNames } from "./names.ts";

/** The properties of a request that identify its point. */
export type PointRequest = Pick<
  RequestEntry,
  "actor" | "protocol" | "verb" | "object" | "subresource" | "generateName"
>;
/** The properties of a delivery that identify its point; while a run is played, an event may come before the change is recorded. */
export type PointDelivery = Pick<DeliveryEntry, "actor" | "object" | "change"> & { readonly generateName?: string };

type WithoutOccurrence<P> = Omit<P, "occurrence">;

/** A text that is equal for requests of the same point. */
export const requestKey = (point: WithoutOccurrence<RequestPoint>): string =>
  [
    point.actor,
    point.protocol,
    point.verb,
    point.group,
    point.kind,
    point.subresource ?? "",
    point.namespace ?? "",
    point.name ?? "",
  ].join("|");

/** A text that is equal for deliveries of the same point. */
export const deliveryKey = (point: WithoutOccurrence<DeliveryPoint>): string =>
  [point.actor, point.change, point.group, point.kind, point.namespace ?? "", point.name].join("|");

/** Names and counts the points of one run. */
export class PointCounter {
  readonly #names: NormalNames;
  readonly #counts = new Map<string, number>();

  constructor(names: NormalNames) {
    this.#names = names;
  }

  /** Returns the point of the next request; all requests of a run are counted, in the order in which they are sent. */
  request({ actor, protocol, verb, object, subresource, generateName }: PointRequest): RequestPoint {
    const { group, kind, namespace, name } = this.#names.ref(object);
    const normal = name ?? (generateName === undefined ? undefined : `${this.#names.name(generateName)}*`);
    const point = {
      actor,
      protocol,
      verb,
      group,
      kind,
      ...(namespace !== undefined && { namespace }),
      ...(normal !== undefined && { name: normal }),
      ...(subresource !== undefined && { subresource }),
    };
    return { ...point, occurrence: this.#count(requestKey(point)) };
  }

  /** Returns the point of the next delivery. */
  delivery({ actor, object, change, generateName }: PointDelivery): DeliveryPoint {
    if (generateName !== undefined) this.#names.learn({ metadata: { name: object.name, generateName } });
    const { group, kind, namespace, name } = this.#names.ref(object);
    const point = { actor, group, kind, ...(namespace !== undefined && { namespace }), name, change };
    return { ...point, occurrence: this.#count(deliveryKey(point)) };
  }

  #count(key: string): number {
    const count = this.#counts.get(key) ?? 0;
    this.#counts.set(key, count + 1);
    return count;
  }
}
