/**
 * CertificateSigningRequest: a user requests a certificate, another one approves it, and a signer issues it (CERT-1..9).
 * The spec has the request and its user; it never changes. A write of `approval` sets the decision, a write of `status` the certificate;
 * neither changes the members of the other.
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import { pathSegmentName } from "../../../meta/names.ts";
import { humanDuration } from "../../../meta/time.ts";
import * as t from "../../../meta/types.ts";
import { DerError, isSigned, readRequest } from "../../../pki/index.ts";
import { ageColumn, textColumn } from "../../../schema/columns.ts";
import { defineResource } from "../../../schema/define-resource.ts";
import type { Writer } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { keepCertificate, keepDecisions, stamp, validateCertificate, validateConditions } from "./outcome.ts";
import { type CertificateSigningRequest, RequestStatus, Spec } from "./schema.ts";
import { shownSigner, validateSigner } from "../signer.ts";
import { keepSpec, keepStatus } from "../../rules/status.ts";

/** The usages that a certificate may have (CERT-2). */
const USAGES: ReadonlySet<string> = new Set([
  "signing",
  "digital signature",
  "content commitment",
  "key encipherment",
  "key agreement",
  "data encipherment",
  "cert sign",
  "crl sign",
  "encipher only",
  "decipher only",
  "any",
  "server auth",
  "client auth",
  "code signing",
  "email protection",
  "s/mime",
  "ipsec end system",
  "ipsec tunnel",
  "ipsec user",
  "timestamping",
  "ocsp signing",
  "microsoft sgc",
  "netscape sgc",
]);

const MIN_SECONDS = 600;
const LEGACY_SIGNER = "kubernetes.io/legacy-unknown";

/** Sets the user of the request (CERT-4). Changes `object`. */
function signIn(object: CertificateSigningRequest, { user, uid, groups, extra }: Writer): void {
  const { spec } = object;
  for (const member of ["username", "uid", "groups", "extra"] as const) delete spec[member];
  Object.assign(spec, {
    ...(user && { username: user }),
    ...(uid && { uid }),
    ...(groups.length > 0 && { groups: [...groups] }),
    ...(extra && Object.keys(extra).length > 0 && { extra: { ...extra } }),
  });
}

/** CERT-1..3. */
function validate(object: CertificateSigningRequest, errors: FieldErrors): void {
  const { request, signerName, usages, expirationSeconds } = object.spec;
  const wrong = wrongRequest(request ?? "");
  if (wrong !== undefined) errors.invalid("spec.request", request, wrong);
  validateUsages(usages ?? [], errors);
  if (signerName === LEGACY_SIGNER) errors.invalid("spec.signerName", signerName, "expected a signer that is served");
  else validateSigner(signerName, "spec.signerName", errors);
  if (expirationSeconds !== undefined && expirationSeconds < MIN_SECONDS) {
    errors.invalid("spec.expirationSeconds", expirationSeconds, `expected at least ${MIN_SECONDS}`);
  }
}

function wrongRequest(base64: string): string | undefined {
  try {
    const request = readRequest(Buffer.from(base64, "base64").toString("latin1"));
    return isSigned(request) ? undefined : "expected the signature of the key that it is for";
  } catch (error) {
    if (error instanceof DerError) return error.message;
    throw error;
  }
}

function validateUsages(usages: readonly string[], errors: FieldErrors): void {
  if (usages.length === 0) errors.required("spec.usages", "expected one usage at least, such as 'client auth'");
  const seen = new Set<string>();
  for (const [i, usage] of usages.entries()) {
    if (!USAGES.has(usage)) errors.notSupported(`spec.usages[${i}]`, usage, USAGES);
    if (seen.has(usage)) errors.duplicate(`spec.usages[${i}]`, usage);
    seen.add(usage);
  }
}

function shownCondition(object: CertificateSigningRequest): string {
  const { conditions, certificate } = object.status;
  const types = new Set((conditions ?? []).map(({ type }) => type));
  const decided = ["Denied", "Approved"].find((type) => types.has(type)) ?? "Pending";
  return [decided, ...(types.has("Failed") ? ["Failed"] : []), ...(certificate ? ["Issued"] : [])].join(",");
}

const schema = objectSchema("A request for a certificate, signed by a signer once it is approved.", {
  spec: t.required(Spec),
  status: t.always(RequestStatus),
});

/** The definition of CertificateSigningRequest; its group is called alike in both dialects. */
export const certificateSigningRequest = defineResource(schema, {
  group: "certificates.k8s.io",
  version: "v1",
  kind: "CertificateSigningRequest",
  plural: "certificatesigningrequests",
  shortNames: ["csr"],
  scope: "Cluster",
  nameRule: pathSegmentName,
  resetFields: ["spec", "status"],
  selectableFields: { "spec.signerName": (object) => object.spec.signerName },
  prepareForCreate(object, { writer }) {
    if (writer) signIn(object, writer);
    object["status"] = {};
  },
  validate,
  prepareForUpdate(object, old) {
    keepSpec(object, old);
    keepStatus(object, old);
  },
  *validateInSteps(object, old, subresource, errors) {
    if (old && subresource === "status") yield* validateCertificate(object, old, errors);
  },
  subresources: {
    approval: {
      verbs: ["get", "patch", "update"],
      resetFields: ["spec", "status.certificate"],
      prepareForUpdate(object, old, { clock }) {
        keepSpec(object, old);
        keepCertificate(object, old);
        stamp(object, old, clock.now());
      },
      validateUpdate: (object, old, errors) => validateConditions(object, old, true, errors),
    },
    status: {
      verbs: ["get", "patch", "update"],
      resetFields: ["spec", "status.conditions"],
      prepareForUpdate(object, old, { clock }) {
        keepSpec(object, old);
        keepDecisions(object, old);
        stamp(object, old, clock.now());
      },
      validateUpdate: (object, old, errors) => validateConditions(object, old, false, errors),
    },
  },
  columns: [
    ageColumn,
    textColumn("SignerName", "The signer.", (object) => shownSigner(object.spec.signerName)),
    textColumn("Requestor", "The requesting user.", (object) => object.spec.username ?? ""),
    textColumn("RequestedDuration", "For how long the certificate should be good.", (object) => {
      const seconds = object.spec.expirationSeconds;
      return seconds === undefined ? "<none>" : humanDuration(seconds * 1000);
    }),
    textColumn("Condition", "The result of the request.", shownCondition),
  ],
});
