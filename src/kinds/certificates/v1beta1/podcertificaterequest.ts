/**
 * PodCertificateRequest: a node requests a certificate for a Pod that runs on it, with a key of the Pod's own (CERT-15). Its result is in
 * `outcome.ts`.
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import { dnsSubdomain, prefixedName } from "../../../meta/names.ts";
import * as t from "../../../meta/types.ts";
import { DerError, isSignedBy, readPublicKey } from "../../../pki/index.ts";
import { textColumn } from "../../../schema/columns.ts";
import { defineResource } from "../../../schema/define-resource.ts";
import type { ApiContext, ResourceDefinition } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { keepAllButStatus, keepStatus } from "../../rules/status.ts";
import { isOfKubernetes, validateSigner } from "../signer.ts";
import { DAY_SECONDS, type PodCertificateRequest, RequestStatus, Spec } from "./pod-request-schema.ts";
import { stateOf, validateOutcome } from "./outcome.ts";
import { same } from "../../rules/same.ts";

const MIN_SECONDS = 3600;
const MAX_SECONDS = 91 * DAY_SECONDS;
const MAX_UID_LENGTH = 128;
const LARGEST_KEY = 10 * 1024;
const MAX_ANNOTATION_BYTES = 256 * 1024;
const RSA_BITS: readonly number[] = [3072, 4096];
const CURVES: readonly string[] = ["prime256v1", "secp384r1", "secp521r1"];

function validate(object: PodCertificateRequest, errors: FieldErrors): void {
  const { spec } = object;
  validateSigner(spec.signerName, "spec.signerName", errors);
  validateAnnotations(spec.unverifiedUserAnnotations ?? {}, errors);
  for (const member of ["podName", "serviceAccountName", "nodeName"] as const) {
    const wrong = dnsSubdomain(spec[member]);
    if (wrong !== undefined) errors.invalid(`spec.${member}`, spec[member], wrong);
  }
  for (const member of ["podUID", "serviceAccountUID", "nodeUID"] as const) {
    if (spec[member] === "") errors.invalid(`spec.${member}`, "", "expected a UID");
    if (Buffer.byteLength(spec[member]) > MAX_UID_LENGTH) errors.tooLong(`spec.${member}`, MAX_UID_LENGTH);
  }
  validateLifetime(spec, errors);
  validateKey(spec, errors);
}

function validateAnnotations(annotations: Readonly<Record<string, string>>, errors: FieldErrors): void {
  const field = "spec.unverifiedUserAnnotations";
  let size = 0;
  for (const [key, value] of Object.entries(annotations)) {
    size += Buffer.byteLength(key) + Buffer.byteLength(value);
    const wrong = prefixedName(key.toLowerCase());
    if (wrong !== undefined) errors.invalid(field, key, wrong);
  }
  if (size > MAX_ANNOTATION_BYTES) errors.tooLong(field, MAX_ANNOTATION_BYTES);
}

function validateLifetime(
  { signerName, maxExpirationSeconds: seconds }: PodCertificateRequest["spec"],
  errors: FieldErrors,
): void {
  const field = "spec.maxExpirationSeconds";
  const most = isOfKubernetes(signerName) ? DAY_SECONDS : MAX_SECONDS;
  if (seconds === undefined) errors.required(field);
  else if (seconds < MIN_SECONDS || seconds > most) {
    errors.invalid(field, seconds, `expected ${MIN_SECONDS} to ${most}`);
  }
}

/** Validates the type of the key, and the signature that proves its possession. */
function validateKey(
  { pkixPublicKey, proofOfPossession, podUID }: PodCertificateRequest["spec"],
  errors: FieldErrors,
): void {
  const [bytesOfKey, proof] = [pkixPublicKey, proofOfPossession].map((sent) => Buffer.from(sent ?? "", "base64"));
  if (bytesOfKey!.length > LARGEST_KEY) return errors.tooLong(KEY, LARGEST_KEY);
  if (proof!.length > LARGEST_KEY) return errors.tooLong(PROOF, LARGEST_KEY);
  try {
    const key = readPublicKey(bytesOfKey!);
    const { namedCurve, modulusLength } = key.asymmetricKeyDetails ?? {};
    if (namedCurve !== undefined && !CURVES.includes(namedCurve)) {
      errors.invalid(KEY, namedCurve, `expected one of the curves ${CURVES.join(", ")}`);
    } else if (modulusLength !== undefined && !RSA_BITS.includes(modulusLength)) {
      errors.invalid(KEY, modulusLength, `expected RSA with ${RSA_BITS.join(" or ")} bits`);
    } else if (!isSignedBy(key, podUID, proof!)) {
      errors.invalid(PROOF, "<signature>", "expected the signature of podUID by the key");
    }
  } catch (error) {
    if (!(error instanceof DerError)) throw error;
    errors.invalid(KEY, pkixPublicKey, error.message);
  }
}

const KEY = "spec.pkixPublicKey";
const PROOF = "spec.proofOfPossession";

const listed = (annotations: Readonly<Record<string, string>> = {}): string =>
  Object.entries(annotations)
    .map(([key, value]) => `${key}=${value}`)
    .toSorted()
    .join(",") || "<none>";

const specColumn = (
  name: string,
  member: "podName" | "serviceAccountName" | "nodeName" | "signerName",
  about: string,
) => textColumn(name, about, (object: PodCertificateRequest) => object.spec[member]);

const schema = objectSchema("A request of a node for a certificate of a Pod that runs on it.", {
  spec: t.required(Spec),
  status: t.always(RequestStatus),
});

/** The definition of PodCertificateRequest. */
export const podCertificateRequest = ({ gates, dialect }: ApiContext): ResourceDefinition =>
  defineResource(schema, {
    group: "certificates.k8s.io",
    version: "v1beta1",
    kind: "PodCertificateRequest",
    plural: "podcertificaterequests",
    scope: "Namespaced",
    served: gates.PodCertificateRequest,
    ...(dialect.rules.enforceUndocumented
      ? {
          deprecated: "certificates.k8s.io/v1beta1 PodCertificateRequest is a beta version and will be replaced",
          removedRelease: "1.41",
        }
      : {}),
    versionedUpdate: true,
    // A real server records who owns a status that it drops.
    ...(dialect.rules.enforceDocumented ? { resetFields: ["status"] } : {}),
    selectableFields: {
      "spec.signerName": (object) => object.spec.signerName,
      "spec.podName": (object) => object.spec.podName,
      // Those of one node: the only selector with which its agent may watch them.
      "spec.nodeName": (object) => object.spec.nodeName,
    },
    prepareForCreate(object) {
      object["status"] = {};
    },
    validate,
    prepareForUpdate: keepStatus,
    validateUpdate(object, old, errors) {
      if (!same(object["spec"], old["spec"])) errors.invalid("spec", "<spec>", "field is immutable");
    },
    subresources: {
      status: {
        verbs: ["get", "patch", "update"],
        prepareForUpdate: keepAllButStatus,
        validateUpdate: (object, old, errors, ctx) => validateOutcome(object, old, errors, ctx),
      },
    },
    columns: [
      specColumn("PodName", "podName", "The Pod."),
      specColumn("ServiceAccountName", "serviceAccountName", "Its ServiceAccount."),
      specColumn("NodeName", "nodeName", "The node that it is on."),
      specColumn("SignerName", "signerName", "The signer."),
      textColumn("State", "The result of the request.", (object) => stateOf(object) ?? "Pending"),
      textColumn(
        "UnverifiedUserAnnotations",
        "Annotations of the Pod for the signer.",
        (object) => listed(object.spec.unverifiedUserAnnotations),
        true,
      ),
    ],
  });
