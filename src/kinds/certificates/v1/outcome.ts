/**
 * The result of a CertificateSigningRequest: the members that each write may set, and those that are immutable (CERT-5, CERT-6).
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import { formatTime } from "../../../meta/time.ts";
import { certificateOf, pemBlocks } from "../../../pki/index.ts";
import type { Steps } from "../../../util/steps.ts";
import type { CertificateSigningRequest } from "./schema.ts";
import { same } from "../../rules/same.ts";

type Request = CertificateSigningRequest;
type Condition = NonNullable<Request["status"]["conditions"]>[number];

const DECISIONS = ["Approved", "Denied"];
/** Conditions that stay once they are set. */
const FOR_GOOD = [...DECISIONS, "Failed"];
const STATES = ["True", "False", "Unknown"];

const conditionsOf = ({ status }: Request): readonly Condition[] => status.conditions ?? [];
const ofType = (request: Request, type: string): readonly Condition[] =>
  conditionsOf(request).filter((condition) => condition.type === type);

/** Resets the members that `approval` never changes. Changes `request`. */
export function keepCertificate(request: Request, old: Request): void {
  const { conditions } = request.status;
  request.status = { ...old.status };
  if (conditions) request.status.conditions = conditions;
  else delete request.status.conditions;
}

/** Resets the decision to the stored one, where there is one. Changes `request`. */
export function keepDecisions(request: Request, old: Request): void {
  const { conditions } = request.status;
  if (!conditions) return;
  for (const type of DECISIONS) {
    const before = [...ofType(old, type)];
    if (ofType(request, type).length !== before.length) continue;
    request.status.conditions = request.status.conditions!.map((one) => (one.type === type ? before.shift()! : one));
  }
}

/** Sets the times of conditions that have none. Changes `request`. */
export function stamp(request: Request, old: Request, now: number): void {
  const { conditions } = request.status;
  if (!conditions) return;
  const since = new Map<string, string>();
  for (const { type, status, lastTransitionTime } of conditionsOf(old)) {
    const key = JSON.stringify([type, status]);
    if (lastTransitionTime && !since.has(key)) since.set(key, lastTransitionTime);
  }
  const time = formatTime(now);
  request.status.conditions = conditions.map((one) => ({
    ...one,
    lastUpdateTime: one.lastUpdateTime ?? time,
    lastTransitionTime: one.lastTransitionTime ?? since.get(JSON.stringify([one.type, one.status])) ?? time,
  }));
}

const FIELD = "status.conditions";

/** The form of the conditions, and their changes; decisions are added and changed only where `mayDecide`. */
export function validateConditions(request: Request, old: Request, mayDecide: boolean, errors: FieldErrors): void {
  const seen = new Set<string>();
  for (const [i, { type, status }] of conditionsOf(request).entries()) {
    if (type === "") errors.required(`${FIELD}[${i}].type`, "expected a type such as Approved");
    if (seen.has(type)) errors.duplicate(`${FIELD}[${i}].type`, type);
    seen.add(type);
    const allowed = FOR_GOOD.includes(type) ? ["True"] : STATES;
    if (status === "") errors.required(`${FIELD}[${i}].status`, "expected a status such as True");
    else if (!allowed.includes(status)) errors.notSupported(`${FIELD}[${i}].status`, status, allowed);
  }
  if (DECISIONS.every((type) => seen.has(type))) errors.invalid(FIELD, DECISIONS, "expected only one of these types");
  for (const type of FOR_GOOD) {
    const [now, before] = [ofType(request, type), ofType(old, type)];
    if (now.length < before.length) errors.forbidden(FIELD, `a condition of type ${type} stays`);
    else if (!mayDecide && DECISIONS.includes(type)) {
      if (now.length > before.length) errors.forbidden(FIELD, `${type} is decided through approval`);
      else if (!same(now, before)) {
        errors.forbidden(FIELD, `a condition of type ${type} is changed through approval`);
      }
    }
  }
}

const CERTIFICATE = "status.certificate";

/** A certificate is set once; it is PEM with at least one certificate, and nothing else. */
export function* validateCertificate(request: Request, old: Request, errors: FieldErrors): Steps<void> {
  const { certificate = "" } = request.status;
  const before = old.status.certificate ?? "";
  if (certificate === before) return;
  if (before !== "") errors.forbidden(CERTIFICATE, "it is set once, and there is one");
  const wrong =
    certificate === "" ? undefined : yield* wrongCertificates(Buffer.from(certificate, "base64").toString("latin1"));
  if (wrong !== undefined) errors.invalid(CERTIFICATE, "<certificate>", wrong);
}

function* wrongCertificates(pem: string): Steps<string | undefined> {
  let count = 0;
  for (const { type, hasHeaders, bytes } of pemBlocks(pem)) {
    if (type !== "CERTIFICATE") return `expected only CERTIFICATE blocks, found ${type.slice(0, 40)}`;
    if (hasHeaders) return "expected PEM blocks without headers";
    if (!certificateOf(bytes)) return `expected block ${count} to be an X.509 certificate`;
    count++;
    yield;
  }
  return count === 0 ? "expected at least one CERTIFICATE block" : undefined;
}
