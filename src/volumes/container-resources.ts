/** Resources of a container as whole numbers (PROJ-43, PROJ-44). */
import type { Pod } from "../client/kinds/index.ts";
import { multiplyQuantities, quantitySign, wholeNumber } from "../meta/quantity.ts";
import type { PodVolume } from "./contract.ts";

type Container = Pod["spec"]["containers"][number];
type Reference = NonNullable<NonNullable<NonNullable<PodVolume["downwardAPI"]>["items"]>[number]["resourceFieldRef"]>;
type Amounts = Readonly<Record<string, string>>;

const RESOURCE = /^(limits|requests)\.(cpu|memory|ephemeral-storage|hugepages-.*)$/;
/** The default limit of a container is what the node has; huge pages have no default. */
const NODE_RESOURCES = ["cpu", "memory", "ephemeral-storage"];

/**
 * Returns a limit or request of a container, divided by the divisor and rounded up.
 *
 * @param allocatable what the node has, by resource. @throws for an unknown container or resource (PROJ-45)
 */
export function containerResource(
  pod: Pod,
  { resource, containerName, divisor }: Reference,
  allocatable: Amounts,
): string {
  const container = containerOf(pod, containerName ?? "");
  const [, kind, name] = RESOURCE.exec(resource) ?? [];
  if (kind === undefined || name === undefined) {
    throw new Error(
      `expected limits or requests of cpu, memory, ephemeral-storage or hugepages-SIZE, got ${JSON.stringify(resource)}`,
    );
  }
  const amount =
    kind === "limits" ? limitOf(container, name, allocatable) : amountOf(container.resources?.requests, name);
  return divided(amount, divisor, name === "cpu");
}

function containerOf({ spec }: Pod, name: string): Container {
  const all = [...spec.containers, ...(spec.initContainers ?? [])];
  const container = all.find((one) => one.name === name);
  if (container) return container;
  const known = all.map((one) => one.name).join(", ");
  throw new Error(`expected one of the containers ${known}, got ${JSON.stringify(name)}`);
}

const amountOf = (amounts: Amounts | null | undefined, name: string): string =>
  amounts && Object.hasOwn(amounts, name) ? String(amounts[name]) : "0";

function limitOf(container: Container, name: string, allocatable: Amounts): string {
  const limit = amountOf(container.resources?.limits, name);
  const isUnlimited = quantitySign(limit) === 0 && NODE_RESOURCES.includes(name);
  return isUnlimited ? amountOf(allocatable, name) : limit;
}

/** @param inParts whether to count thousandths, as for cpu */
function divided(amount: string, divisor: string | null | undefined, inParts: boolean): string {
  const by = divisor === undefined || divisor === null || quantitySign(String(divisor)) === 0 ? "1" : String(divisor);
  const [dividend, unit] = [amount, by].map((text) => wholeNumber(inParts ? multiplyQuantities(text, "1000") : text));
  if (dividend === undefined || unit === undefined) {
    throw new Error(`expected quantities, got ${JSON.stringify(amount)} and ${JSON.stringify(by)}`);
  }
  return dividedUp(dividend, unit).toString();
}

/** Divides and rounds up. */
function dividedUp(dividend: bigint, by: bigint): bigint {
  const quotient = dividend / by;
  const isRest = dividend % by !== 0n;
  return isRest && dividend > 0n === by > 0n ? quotient + 1n : quotient;
}
