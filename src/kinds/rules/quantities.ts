/**
 * Maps of resources: capacity, requests and limits (DEC-8, DEC-9), and the meaning of the names of resources (KIND-PodSpec-6).
 *
 * @module
 */
import type { Dialect } from "../../meta/dialect.ts";
import { qualifiedName } from "../../meta/names.ts";
import { canonicalQuantity, isWholeQuantity, parseQuantity, quantitySign, wholeNumber } from "../../meta/quantity.ts";
import * as t from "../../meta/types.ts";
import { sameMeaning } from "../../schema/same-meaning.ts";
import type { FieldErrors } from "../../meta/field-errors.ts";

/** Names of resources and their quantities. */
export type Resources = Readonly<Record<string, string>>;

// Only quantities below a thousandth are rounded; those are written with `n`, `u` or a negative exponent.
const SMALL = /[nu]$|[eE]-/;

/** Rounds the quantities of a resource map up to thousandths, in place (DEC-9). */
export function roundResources(resources: Record<string, string> | undefined): void {
  for (const name in resources) {
    const text = resources[name]!;
    if (SMALL.test(text)) resources[name] = roundUpToMilli(text);
  }
}

function roundUpToMilli(text: string): string {
  const parsed = parseQuantity(text);
  if (!parsed || parsed.exponent >= -3) return text;
  const { mantissa, exponent, family } = parsed;
  const unit = 10n ** BigInt(-3 - exponent);
  const size = mantissa < 0n ? -mantissa : mantissa;
  const rounded = (size + unit - 1n) / unit;
  const written = `${mantissa < 0n ? "-" : ""}${rounded}${family === "exponent" ? "e-3" : "m"}`;
  return canonicalQuantity(written) ?? text;
}

/** The quantity must not be negative. */
export function checkNotNegative(field: string, value: string, errors: FieldErrors): void {
  if (quantitySign(value) < 0) errors.invalid(field, value, "expected a quantity of 0 or more");
}

/** The quantity must be above 0. */
export function checkPositive(field: string, value: string, errors: FieldErrors): void {
  if (quantitySign(value) <= 0) errors.invalid(field, value, "expected a quantity above 0");
}

/** Whether two maps have the same resources, compared by value. */
export const sameResources = (a?: Resources, b?: Resources): boolean => sameMeaning(RESOURCES, a, b);

const RESOURCES = t.map(t.quantity());

/** A Warning about a fraction of a byte, undefined for whole bytes (DEC-8). */
export function fractionWarning(field: string, value: string | undefined): string | undefined {
  if (value === undefined || isWholeQuantity(value)) return undefined;
  return `${field}: ${JSON.stringify(value)} is a fraction of a byte, expected a whole number`;
}

const HUGE_PAGES = "hugepages-";

/** Whether a resource is huge pages: `hugepages-2Mi`. */
export const isHugePage = (name: string): boolean => name.startsWith(HUGE_PAGES);

/** The bytes of a huge page of a resource, from its name; undefined where that has no integer. */
export function pageSize(name: string): bigint | undefined {
  const size = name.slice(HUGE_PAGES.length);
  return quantitySign(size) > 0 && isWholeQuantity(size) ? wholeNumber(size) : undefined;
}

/** Whether a resource is counted by the cluster itself: its name has no domain, or that of the cluster. */
const isNative = (name: string, { labelDomain }: Dialect): boolean =>
  !name.includes("/") || name.includes(`${labelDomain}/`);

/** Whether a resource is an extended one: `example.com/gpu`. */
export const isExtended = (name: string, dialect: Dialect): boolean =>
  !isNative(name, dialect) && !name.startsWith("requests.") && qualifiedName(`requests.${name}`) === undefined;

/** Whether a resource may be overcommitted: huge pages and extended resources may not. */
export const isOvercommitted = (name: string, dialect: Dialect): boolean =>
  isNative(name, dialect) && !isHugePage(name);

const AMOUNTS = ["cpu", "memory", "ephemeral-storage"];

/** Whether a resource is counted in whole numbers. */
const COUNTS = [
  "pods",
  "resourcequotas",
  "services",
  "replicationcontrollers",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "services.nodeports",
  "services.loadbalancers",
];

/** The names without a domain that have a meaning. */
const KNOWN: ReadonlySet<string> = new Set([
  ...AMOUNTS.flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
  ...COUNTS,
  "storage",
  "requests.storage",
]);

/** Whether quotas count a resource by a name without a domain. */
export const isCountedByQuotas = (name: string): boolean =>
  (KNOWN.has(name) && name !== "storage") || isHugePage(name) || isHugePage(name.replace(/^requests\./, ""));

/** Reports a name that no resource can have; returns whether it is valid. */
export function checkResourceName(field: string, name: string, errors: FieldErrors): boolean {
  const wrong =
    qualifiedName(name) ??
    (name.includes("/") || KNOWN.has(name) || isHugePage(name) || isHugePage(name.replace(/^requests\./, ""))
      ? undefined
      : "expected a resource such as cpu or memory, or a name with a domain");
  if (wrong !== undefined) errors.invalid(field, name, wrong);
  return wrong === undefined;
}

/** Reports a name of a resource that no container can request. */
export function checkContainerResourceName(field: string, name: string, errors: FieldErrors, dialect: Dialect): void {
  if (!checkResourceName(field, name, errors)) return;
  const fits = isNative(name, dialect)
    ? name.includes("/") || AMOUNTS.includes(name) || isHugePage(name)
    : isExtended(name, dialect);
  if (!fits)
    errors.invalid(field, name, "expected a resource of containers: cpu, memory, ephemeral-storage, huge pages");
}

/** Reports an impossible amount: a negative one, and a fraction of a resource that is counted in whole numbers. */
export function checkAmount(field: string, name: string, value: string, errors: FieldErrors, dialect: Dialect): void {
  checkNotNegative(field, value, errors);
  if ((COUNTS.includes(name) || isExtended(name, dialect)) && !isWholeQuantity(value)) {
    errors.invalid(field, value, "expected a whole number");
  }
}
