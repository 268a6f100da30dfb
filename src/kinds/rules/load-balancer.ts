/**
 * The load balancer status of Services and Ingresses.
 *
 * @module
 */
import { addressBytes, addressWarnings, legacyAddressFault } from "../../meta/addresses.ts";
import type { FieldErrors } from "../../meta/field-errors.ts";
import { dnsSubdomain } from "../../meta/names.ts";

/** An ingress point of a load balancer. */
export interface LoadBalancerIngress {
  ip?: string;
  hostname?: string;
  ipMode?: string;
}

/** Reports invalid addresses and names; existing ones are kept. */
export function validatePlaces(
  places: readonly LoadBalancerIngress[],
  field: string,
  errors: FieldErrors,
  had: readonly LoadBalancerIngress[] = [],
): void {
  const known = new Set(had.map(({ ip }) => ip));
  places.forEach(({ ip = "", hostname = "" }, i) => {
    const at = `${field}[${i}]`;
    const wrongIp = ip === "" || known.has(ip) ? undefined : legacyAddressFault(ip);
    if (wrongIp) errors.invalid(`${at}.ip`, ip, wrongIp);
    if (hostname === "") return;
    const wrong = dnsSubdomain(hostname);
    if (wrong) errors.invalid(`${at}.hostname`, hostname, wrong);
    if (addressBytes(hostname)) errors.invalid(`${at}.hostname`, hostname, "expected a name, not an address");
  });
}

/** Warnings about addresses in a legacy form. */
export function* oddPlaces(places: readonly LoadBalancerIngress[], field: string): Generator<string> {
  for (const [i, { ip = "" }] of places.entries()) yield* addressWarnings(`${field}[${i}].ip`, ip);
}
