/**
 * Amounts of resources as numbers: cpu in thousandths, all others as whole numbers, rounded up.
 *
 * Numbers are exact up to 2^53, which is 8 PiB of memory.
 *
 * @module
 */
import type { Node, Pod } from "../../client/kinds/index.ts";
import { requestsOf } from "../../kinds/usage/pods.ts";
import { multiplyQuantities, wholeNumber } from "../../meta/quantity.ts";

/** Amounts by the names of resources. */
export type Amounts = ReadonlyMap<string, number>;

/** What a Pod requests in all. */
export const requested = (pod: Pod): Amounts => amountsOf(requestsOf(pod));

/** What Pods of a node can have in all; `pods` is how many there can be. */
export const allocatable = ({ status }: Node): Amounts => amountsOf(status?.allocatable ?? {});

/** A quantity of a resource as a number. */
export function amountOf(resource: string, quantity: string): number {
  return Number(wholeNumber(resource === "cpu" ? multiplyQuantities(quantity, "1000") : quantity) ?? 0n);
}

const amountsOf = (quantities: Readonly<Record<string, string>>): Amounts =>
  new Map(Object.entries(quantities).map(([name, quantity]) => [name, amountOf(name, quantity)]));
