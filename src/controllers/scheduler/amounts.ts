/**
 * Amounts of resources as numbers: cpu in thousandths, all others as whole numbers, rounded up. They are exact up to
 * 2^53, which is 8 PiB of memory.
 */
import type { Node, Pod } from "../../client/kinds/index.ts";
import { requestsOf } from "../../kinds/usage/pods.ts";
import { multiplyQuantities, wholeNumber } from "../../meta/quantity.ts";

/** Amounts by resource name. */
export type Amounts = ReadonlyMap<string, number>;

/** Returns the total requests of a Pod. */
export const requested = (pod: Pod): Amounts => amountsOf(requestsOf(pod));

/** Returns the allocatable amounts of a node; `pods` is the maximum number of Pods. */
export const allocatable = ({ status }: Node): Amounts => amountsOf(status?.allocatable ?? {});

/** Returns a quantity as a number. */
export function amountOf(resource: string, quantity: string): number {
  return Number(wholeNumber(resource === "cpu" ? multiplyQuantities(quantity, "1000") : quantity) ?? 0n);
}

const amountsOf = (quantities: Readonly<Record<string, string>>): Amounts =>
  new Map(Object.entries(quantities).map(([name, quantity]) => [name, amountOf(name, quantity)]));
