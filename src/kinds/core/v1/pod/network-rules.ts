/**
 * The rules of the host names that a Pod knows, and of the namespaces that it shares with its node (KIND-PodSpec-16, KIND-Pod-19).
 *
 * @module
 */
import { legacyAddressFault } from "../../../../meta/addresses.ts";
import type { FieldErrors } from "../../../../meta/field-errors.ts";
import { dnsSubdomain } from "../../../../meta/names.ts";
import type { PodSpec } from "./spec-schema.ts";

const MAX_SERVERS = 3;
const MAX_SEARCHES = 32;
const MAX_LETTERS = 2048;

/** Reports the faults of the host aliases and of the DNS settings. */
export function checkNames(spec: PodSpec, errors: FieldErrors): void {
  spec.hostAliases?.forEach((alias, i) => {
    const field = `spec.hostAliases[${i}]`;
    const { ip, hostnames = [] } = alias;
    const wrongIp = legacyAddressFault(ip);
    if (wrongIp !== undefined) errors.invalid(`${field}.ip`, ip, wrongIp);
    hostnames.forEach((name, j) => {
      const wrong = dnsSubdomain(name);
      if (wrong !== undefined) errors.invalid(`${field}.hostnames[${j}]`, name, wrong);
    });
  });
  const servers = spec.dnsConfig?.nameservers ?? [];
  if (spec.dnsPolicy === "None" && servers.length === 0) {
    const field = spec.dnsConfig ? "spec.dnsConfig.nameservers" : "spec.dnsConfig";
    return errors.required(field, "expected at least one nameserver where dnsPolicy is None");
  }
  if (spec.dnsConfig) checkDns(spec.dnsConfig, "spec.dnsConfig", errors);
}

function checkDns(config: NonNullable<PodSpec["dnsConfig"]>, at: string, errors: FieldErrors): void {
  const { nameservers = [], searches = [], options = [] } = config;
  if (nameservers.length > MAX_SERVERS) {
    errors.invalid(`${at}.nameservers`, nameservers, `expected at most ${MAX_SERVERS} of them`);
  }
  nameservers.forEach((server, i) => {
    const wrong = legacyAddressFault(server);
    if (wrong !== undefined) errors.invalid(`${at}.nameservers[${i}]`, server, wrong);
  });
  if (searches.length > MAX_SEARCHES) {
    errors.invalid(`${at}.searches`, searches, `expected at most ${MAX_SEARCHES} of them`);
  }
  if (searches.join(" ").length > MAX_LETTERS) {
    errors.invalid(`${at}.searches`, searches, `expected at most ${MAX_LETTERS} letters in all`);
  }
  searches.forEach((search, i) => {
    const wrong = search === "." ? undefined : wrongSearch(search.replace(/\.$/, ""));
    if (wrong !== undefined) errors.invalid(`${at}.searches[${i}]`, search, wrong);
  });
  options.forEach(({ name = "" }, i) => {
    if (name === "") errors.required(`${at}.options[${i}]`, "expected a name");
  });
}

/** A DNS name whose labels may begin with an underscore and contain them. */
const wrongSearch = (search: string): string | undefined =>
  dnsSubdomain(search.replaceAll(/(^|\.)_/g, "$1").replaceAll("_", "-"));

/** A user namespace excludes the other namespaces of the node; a Pod cannot share its processes and those of the node. */
export function checkShared(spec: PodSpec, errors: FieldErrors): void {
  const { hostUsers, hostNetwork, hostPID, hostIPC, shareProcessNamespace } = spec;
  if (hostPID && shareProcessNamespace) {
    errors.invalid("spec.securityContext.shareProcessNamespace", true, "expected false together with hostPID");
  }
  if (hostUsers !== false) return;
  const none = "expected false where hostUsers is false";
  if (hostNetwork) errors.forbidden("spec.hostNetwork", none);
  // Two of them have their Go names in the field of the cause.
  if (hostPID) errors.forbidden("spec.HostPID", none);
  if (hostIPC) errors.forbidden("spec.HostIPC", none);
  for (const list of ["containers", "initContainers", "ephemeralContainers"] as const) {
    spec[list]?.forEach(({ volumeDevices = [] }, i) => {
      if (volumeDevices.length > 0) {
        errors.forbidden(`spec.${list}[${i}].volumeDevices`, "expected none where hostUsers is false");
      }
    });
  }
}
