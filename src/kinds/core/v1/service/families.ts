/**
 * The families of a Service's addresses: the defaults, and the permitted requests (KIND-Service-2,
 * KIND-Service-13).
 *
 * @module
 */
import { type IpFamily, addressBytes, familyOf, legacyAddressFault } from "../../../../meta/addresses.ts";
import type { FieldErrors } from "../../../../meta/field-errors.ts";
import { type ServiceSpec, isHeadless } from "./schema.ts";

const FAMILIES = ["IPv4", "IPv6"];
const POLICIES = ["PreferDualStack", "RequireDualStack", "SingleStack"];

const sameTexts = (a: readonly string[] = [], b: readonly string[] = []): boolean =>
  a.length === b.length && a.every((text, i) => text === b[i]);

/** Whether the addresses of two states are the same. */
export const sameAddresses = (a: ServiceSpec, b: ServiceSpec): boolean =>
  (a.clusterIP ?? "") === (b.clusterIP ?? "") && sameTexts(a.clusterIPs, b.clusterIPs);

/** Whether the families of two states are the same. */
export const sameFamilies = (a: ServiceSpec, b: ServiceSpec): boolean => sameTexts(a.ipFamilies, b.ipFamilies);

const prefersBoth = ({ ipFamilyPolicy }: ServiceSpec): boolean => ipFamilyPolicy === "PreferDualStack";

/** Whether a Service that accepts any families keeps the ones that it has. */
export const isSettled = (spec: ServiceSpec, old: ServiceSpec | undefined): boolean =>
  old !== undefined &&
  spec.type === old.type &&
  prefersBoth(spec) &&
  prefersBoth(old) &&
  sameAddresses(spec, old) &&
  sameFamilies(spec, old);

/** The family of a well-formed address. */
export const familyOfText = (text: string): IpFamily => familyOf(addressBytes(text) ?? []);

/** The consistency of addresses, families and policy, independent of the server (KIND-Service-3, KIND-Service-13). */
export function validateAddresses(spec: ServiceSpec, old: ServiceSpec | undefined, errors: FieldErrors): void {
  if (spec.type === "ExternalName") return;
  const { clusterIP = "", clusterIPs = [], ipFamilies = [], ipFamilyPolicy } = spec;
  const field = "spec.clusterIPs";
  if (clusterIP !== "" && clusterIPs.length === 0) errors.required(field, "expected what spec.clusterIP says");
  else if (clusterIP !== (clusterIPs[0] ?? "")) {
    errors.invalid(field, clusterIPs, "expected spec.clusterIP and the first of these to be the same");
  }
  const seen = new Set<string>();
  ipFamilies.forEach((family, i) => {
    if (!FAMILIES.includes(family)) errors.notSupported(`spec.ipFamilies[${i}]`, family, FAMILIES);
    if (seen.has(family)) errors.duplicate(`spec.ipFamilies[${i}]`, family);
    seen.add(family);
  });
  if (ipFamilyPolicy !== undefined && !POLICIES.includes(ipFamilyPolicy)) {
    errors.notSupported("spec.ipFamilyPolicy", ipFamilyPolicy, POLICIES);
  }
  const isFine = validateEach(clusterIPs, old?.clusterIPs, errors);
  if (clusterIPs.length > 2) errors.invalid(field, clusterIPs, "expected at most two addresses");
  if (!isFine) return;
  const families = clusterIPs.map(familyOfText);
  if (clusterIPs.length > 1 && new Set(families).size < families.length) {
    errors.invalid(field, clusterIPs, "expected at most one address of each family");
  }
  if (isHeadless(spec)) return;
  families.forEach((family, i) => {
    const wanted = ipFamilies[i];
    if (wanted !== undefined && FAMILIES.includes(wanted) && wanted !== family) {
      errors.invalid(
        `${field}[${i}]`,
        clusterIPs[i],
        `expected an address of ${wanted}, as spec.ipFamilies[${i}] says`,
      );
    }
  });
}

/** Whether all of these are addresses, or the first alone is None. */
function validateEach(addresses: readonly string[], had: readonly string[] = [], errors: FieldErrors): boolean {
  let isFine = true;
  const refuse = (field: string, got: unknown, why: string): void => {
    isFine = false;
    errors.invalid(field, got, why);
  };
  addresses.forEach((text, i) => {
    if (i === 0 && text === "None") {
      if (addresses.length > 1) refuse("spec.clusterIPs", addresses, "expected nothing besides None");
      return;
    }
    const wrong = had.includes(text) ? undefined : legacyAddressFault(text);
    if (wrong !== undefined) refuse(`spec.clusterIPs[${i}]`, text, wrong);
  });
  return isFine;
}

/**
 * Sets the defaults of the policy and the families of a Service on a server with these families, the default one first, and reports
 * requests that cannot be met. Changes `spec`.
 */
export function fillFamilies(
  spec: ServiceSpec,
  old: ServiceSpec | undefined,
  served: readonly IpFamily[],
  errors: FieldErrors,
): void {
  if (spec.type === "ExternalName" || isSettled(spec, old)) return;
  const isLoose = spec.clusterIP === "None" && Object.keys(spec.selector ?? {}).length === 0;
  spec.ipFamilyPolicy ??= old?.ipFamilyPolicy ?? (isLoose ? "RequireDualStack" : "SingleStack");
  validateAddresses(spec, old, errors);
  if (errors.any) return;
  if (old) dropSecond(spec, old, errors);
  validateSingle(spec, errors);
  inferFamilies(spec, served, errors);
  if (errors.any) return;
  if (isLoose) return fillLoose(spec, served[0]!);
  fillServed(spec, served, errors);
}

/** A client that requests a single family releases the second one; without that, it may not be omitted. */
function dropSecond(spec: ServiceSpec, old: ServiceSpec, errors: FieldErrors): void {
  const { ipFamilyPolicy: policy, clusterIPs = [], ipFamilies = [] } = spec;
  if (policy === "SingleStack") {
    if (clusterIPs.length > 1 && sameAddresses(spec, old)) spec.clusterIPs = clusterIPs.slice(0, 1);
    if (ipFamilies.length > 1 && sameFamilies(spec, old)) spec.ipFamilies = ipFamilies.slice(0, 1);
    return;
  }
  const isLess = (now: readonly string[], before: readonly string[] = []): boolean =>
    now.length > 0 && now.length < before.length;
  if (isLess(clusterIPs, old.clusterIPs)) {
    errors.invalid("spec.ipFamilyPolicy", policy, "expected SingleStack where the second address is given up");
  }
  if (isLess(ipFamilies, old.ipFamilies)) {
    errors.invalid("spec.ipFamilyPolicy", policy, "expected SingleStack where the second family is given up");
  }
}

function validateSingle({ ipFamilyPolicy, clusterIPs = [], ipFamilies = [] }: ServiceSpec, errors: FieldErrors): void {
  if (ipFamilyPolicy !== "SingleStack") return;
  const field = "spec.ipFamilyPolicy";
  const expected = "expected PreferDualStack or RequireDualStack where there are two";
  if (clusterIPs.length === 2) errors.invalid(field, ipFamilyPolicy, `${expected} addresses`);
  if (ipFamilies.length === 2) errors.invalid(field, ipFamilyPolicy, `${expected} families`);
}

/** The families of the requested addresses. */
function inferFamilies(spec: ServiceSpec, served: readonly IpFamily[], errors: FieldErrors): void {
  const { clusterIPs = [] } = spec;
  const families = [...(spec.ipFamilies ?? [])];
  for (const [i, text] of clusterIPs.entries()) {
    if (text === "None") break;
    if (i < families.length) continue;
    const family = familyOfText(text);
    if (served.includes(family)) families.push(family);
    else errors.invalid(`spec.clusterIPs[${i}]`, clusterIPs, `expected no ${family}, this server has none`);
  }
  if (families.length > 0) spec.ipFamilies = families;
}

const other = (family: string): IpFamily => (family === "IPv4" ? "IPv6" : "IPv4");

/** Without address and selector the families of the endpoints are unknown: both, even where the server has one. */
function fillLoose(spec: ServiceSpec, usual: IpFamily): void {
  const families = spec.ipFamilies?.length ? spec.ipFamilies : [usual];
  const wantsBoth = families.length < 2 && spec.ipFamilyPolicy !== "SingleStack";
  spec.ipFamilies = wantsBoth ? [families[0]!, other(families[0]!)] : families;
}

function fillServed(spec: ServiceSpec, served: readonly IpFamily[], errors: FieldErrors): void {
  const { ipFamilyPolicy: policy } = spec;
  if (policy === "RequireDualStack" && served.length < 2) {
    errors.invalid("spec.ipFamilyPolicy", policy, `expected another policy: this server has ${served[0]} alone`);
  }
  spec.ipFamilies?.forEach((family, i) => {
    if (!served.includes(family as IpFamily)) {
      errors.invalid(`spec.ipFamilies[${i}]`, family, "expected a family that this server has");
    }
  });
  if (errors.any) return;
  const families = spec.ipFamilies?.length ? spec.ipFamilies : [served[0]!];
  const wantsBoth = policy !== "SingleStack" && families.length === 1 && served.length === 2;
  spec.ipFamilies = wantsBoth ? [families[0]!, other(families[0]!)] : families;
}
