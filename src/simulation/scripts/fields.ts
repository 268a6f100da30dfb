/** Fields and resources of a Pod, as its containers see them. */
import type { Pod } from "../../client/kinds/index.ts";
import { parseQuantity } from "../../meta/quantity.ts";
import { memoizeLast } from "../../util/once.ts";
import type { Container } from "../life/contract.ts";

/** The addresses of a Pod, which its status may not have yet. */
export interface Addresses {
  readonly hostIP: string;
  readonly podIP: string;
}

/** The value of a field such as `metadata.labels['app']`. */
export function fieldOf({ metadata, spec }: Pod, path: string, { hostIP, podIP }: Addresses): string {
  const fields: Readonly<Record<string, string | undefined>> = {
    "metadata.name": metadata.name,
    "metadata.namespace": metadata.namespace,
    "metadata.uid": metadata.uid,
    "spec.nodeName": spec.nodeName,
    "spec.serviceAccountName": spec.serviceAccountName,
    "status.hostIP": hostIP,
    "status.hostIPs": hostIP,
    "status.podIP": podIP,
    "status.podIPs": podIP,
  };
  if (Object.hasOwn(fields, path)) return fields[path] ?? "";
  if (path === "metadata.labels") return labelLines(metadata.labels);
  if (path === "metadata.annotations") return annotationLines(metadata.annotations);
  const bracket = path.indexOf("['");
  if (bracket < 0 || !path.endsWith("']")) return "";
  const key = path.slice(bracket + 2, -2);
  const from = path.slice(0, bracket) === "metadata.labels" ? metadata.labels : metadata.annotations;
  return (from && Object.hasOwn(from, key) ? from[key] : undefined) ?? "";
}

const linesOf = (pairs: Readonly<Record<string, string>> = {}): string =>
  Object.entries(pairs)
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .join("\n");

/** The last texts: a Pod may name its annotations of 256 KiB in each of ten thousand files, which share one text. */
const labelLines = memoizeLast(linesOf);
const annotationLines = memoizeLast(linesOf);

/** The value of a resource such as `limits.cpu` in units of a divisor, rounded up; 0 without one. */
export function resourceOf({ resources }: Container, resource: string, divisor = "1"): string {
  const [side, ...rest] = resource.split(".");
  const from = side === "limits" ? resources?.limits : resources?.requests;
  const name = rest.join(".");
  const amount = numberOf(from && Object.hasOwn(from, name) ? from[name] : undefined);
  return String(Math.ceil(amount / (numberOf(divisor) || 1)));
}

/** A quantity as a number; 0 for one that is malformed. */
export function numberOf(quantity: string | number | undefined): number {
  const parsed = quantity === undefined ? undefined : parseQuantity(quantity);
  return parsed ? Number(parsed.mantissa) * 10 ** parsed.exponent : 0;
}
