/**
 * The result of a PodCertificateRequest: issued, denied or failed, and then final (CERT-16).
 *
 * @module
 */
import type { X509Certificate } from "node:crypto";
import type { FieldErrors } from "../../../meta/field-errors.ts";
import { parseTime } from "../../../meta/time.ts";
import { DerError, altNamesOf, certificateOf, pemBlocks, readPublicKey } from "../../../pki/index.ts";
import type { ApiContext } from "../../../schema/definition.ts";
import { type ConditionValue, validateConditions } from "../../rules/condition.ts";
import type { PodCertificateRequest } from "./pod-request-schema.ts";
import { same } from "../../rules/same.ts";

type Request = PodCertificateRequest;

const OUTCOMES = ["Issued", "Denied", "Failed"];
const MINUTE = 60_000;
const SKEW = 5 * MINUTE;
const MARGIN = 10 * MINUTE;
const MIN_LIFETIME = 60 * MINUTE;
const LARGEST_CHAIN = 100 * 1024;
const CHAIN = "status.certificateChain";

const conditionsOf = ({ status }: Request): readonly ConditionValue[] => status.conditions ?? [];

/** How a request ended: Issued, Denied or Failed; undefined while it is pending. */
export const stateOf = (request: Request): string | undefined =>
  conditionsOf(request).find(({ type = "", status }) => OUTCOMES.includes(type) && status === "True")?.type;

/** All faults of the next status of a request. */
export function validateOutcome(request: Request, old: Request, errors: FieldErrors, ctx: ApiContext): void {
  validateForm(conditionsOf(request), errors, ctx);
  if (errors.any) return;
  const wrong = (why: string): void => errors.invalid("status", "<status>", why);
  const outcome = stateOf(request);
  if (stateOf(old) !== undefined || outcome === undefined) {
    const isSame = same(request.status, old.status);
    if (!isSame) wrong("expected no change but one to Issued, Denied or Failed, which is the last");
  } else if (outcome === "Issued") validateIssued(request, errors, ctx);
  else if (Object.keys(request.status).some((member) => member !== "conditions"))
    wrong(`expected nothing besides the condition ${outcome}`);
}

/** At most one of the known conditions, and no other. */
function validateForm(conditions: readonly ConditionValue[], errors: FieldErrors, { dialect }: ApiContext): void {
  for (const [i, { type = "", status = "" }] of conditions.entries()) {
    // A real server writes one more dot here.
    const field = `status.conditions${dialect.rules.recordedCauseNames ? "." : ""}[${i}]`;
    if (!OUTCOMES.includes(type)) errors.notSupported(`${field}.type`, type, OUTCOMES);
    else {
      if (i > 0) errors.invalid(`${field}.type`, type, `expected only one of ${OUTCOMES.join(", ")}`);
      if (status !== "True") errors.notSupported(`${field}.status`, status, ["True"]);
    }
  }
  validateConditions(conditions, "status.conditions", errors);
}

function validateIssued({ spec, status }: Request, errors: FieldErrors, ctx: ApiContext): void {
  const wrong = (why: string): void => errors.invalid(CHAIN, "<certificates>", why);
  const { certificateChain: chain = "" } = status;
  if (Buffer.byteLength(chain) > LARGEST_CHAIN) return errors.tooLong(CHAIN, LARGEST_CHAIN);
  const [leaf, why] = leafOf(chain);
  if (!leaf) return wrong(why);
  validateNames(leaf, errors);
  if (!leaf.publicKey.equals(readPublicKey(Buffer.from(spec.pkixPublicKey ?? "", "base64")))) {
    return wrong("expected the first certificate to have the requested key");
  }
  const before = errors.causes.length;
  for (const member of ["notBefore", "notAfter", "beginRefreshAt"] as const) {
    if (status[member] === undefined) errors.required(`status.${member}`, "expected a time, as the certificate has it");
  }
  if (errors.causes.length === before) validateTimes(leaf, { spec, status }, errors, ctx);
}

/** The first certificate of a chain of certificates, or the fault of the chain. */
function leafOf(chain: string): [leaf: X509Certificate] | [leaf: undefined, why: string] {
  let leaf: X509Certificate | undefined;
  for (const { type, bytes } of pemBlocks(chain)) {
    if (type !== "CERTIFICATE") return [undefined, `expected CERTIFICATE blocks only, found ${type.slice(0, 40)}`];
    const certificate = certificateOf(bytes);
    if (!certificate) return [undefined, "expected every block to be an X.509 certificate"];
    leaf ??= certificate;
  }
  return leaf ? [leaf] : [undefined, "expected one certificate at least"];
}

const EMAIL = /^[^\s@<>]+@[^\s@<>]+$/;

/** The names in the certificate are valid names. */
function validateNames(leaf: X509Certificate, errors: FieldErrors): void {
  try {
    const { dns, emails } = altNamesOf(leaf);
    for (const name of dns) {
      if (name.split(".").includes("")) errors.invalid(CHAIN, name, "expected a DNS name without empty parts");
    }
    for (const name of emails) if (!EMAIL.test(name)) errors.invalid(CHAIN, name, "expected an email address");
  } catch (error) {
    if (!(error instanceof DerError)) throw error;
    errors.invalid(CHAIN, "<certificates>", `its names: ${error.message}`);
  }
}

type Issued = Pick<Request, "spec" | "status">;

/** The times of the status are those of the certificate, with tolerance at both ends. Only the first fault is reported. */
function validateTimes(leaf: X509Certificate, { spec, status }: Issued, errors: FieldErrors, ctx: ApiContext): void {
  const wrong = (member: "notBefore" | "notAfter" | "beginRefreshAt", why: string): void =>
    errors.invalid(`status.${member}`, status[member], why);
  const [begins, ends, refresh] = [status.notBefore, status.notAfter, status.beginRefreshAt].map((t) => parseTime(t!)!);
  const lifetime = leaf.validToDate.getTime() - leaf.validFromDate.getTime();
  const most = (spec.maxExpirationSeconds ?? 0) * 1000;
  if (begins !== leaf.validFromDate.getTime()) wrong("notBefore", "expected the time that the certificate has");
  else if (Math.abs(begins - ctx.clock.now()) >= SKEW) wrong("notBefore", "expected a time within 5 minutes of now");
  else if (ends !== leaf.validToDate.getTime()) wrong("notAfter", "expected the time that the certificate has");
  else if (lifetime < MIN_LIFETIME) errors.invalid(CHAIN, lifetime / 1000, "expected a lifetime of an hour at least");
  else if (lifetime > most)
    errors.invalid(CHAIN, lifetime / 1000, "expected a lifetime of maxExpirationSeconds at most");
  else if (refresh! < begins + MARGIN) wrong("beginRefreshAt", "expected a time 10 minutes after notBefore at least");
  else if (refresh! > ends! - MARGIN) wrong("beginRefreshAt", "expected a time 10 minutes before notAfter at least");
}
