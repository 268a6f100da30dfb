import * as t from "../../../meta/types.ts";
import type { ApiObject } from "../../../schema/definition.ts";
import { Condition } from "../../rules/condition.ts";

/** The default lifetime of a certificate, and the limit for signers of Kubernetes. */
export const DAY_SECONDS = 86_400;

/** The schema of `spec`. */
export const Spec = t.struct("The request; it is immutable.", {
  signerName: t.required(t.text("The signer, as DOMAIN/PATH.")),
  podName: t.required(t.text("The name of the Pod.")),
  podUID: t.required(t.text("The UID of the Pod.")),
  serviceAccountName: t.required(t.text("The name of the Pod's ServiceAccount.")),
  serviceAccountUID: t.required(t.text("The UID of the ServiceAccount.")),
  nodeName: t.required(t.text("The name of the node that the Pod is on.")),
  nodeUID: t.required(t.text("The UID of the node.")),
  maxExpirationSeconds: t.pointer(
    t.int32(
      "For how long the certificate may be good at most; an hour to 91 days, to one day for signers of kubernetes.io.",
      {
        default: DAY_SECONDS,
      },
    ),
  ),
  pkixPublicKey: t.requiredOrNull(
    t.bytes(
      "The key for the certificate, as SubjectPublicKeyInfo: Ed25519, ECDSA P-256, P-384, P-521, RSA 3072, 4096.",
    ),
  ),
  proofOfPossession: t.requiredOrNull(
    t.bytes(
      "The signature of the Pod's UID by that key: ECDSA over its SHA-256, RSA as PSS over its SHA-256, or Ed25519.",
    ),
  ),
  unverifiedUserAnnotations: t.optional(t.map(t.text(), "Information of the Pod for the signer; it is not verified.")),
});

/** The schema of `status`. */
export const RequestStatus = t.struct("The result of the request.", {
  conditions: t.optional(t.keyedList(Condition, ["type"], "At most one of Issued, Denied and Failed, for good.")),
  certificateChain: t.optional(t.text("The certificate of the Pod and those that lead to its root, PEM.")),
  notBefore: t.pointer(t.time("When the certificate begins to be good.")),
  beginRefreshAt: t.pointer(t.time("When to ask for the next one.")),
  notAfter: t.pointer(t.time("When the certificate ends.")),
});

/** A PodCertificateRequest. */
export type PodCertificateRequest = ApiObject & { spec: t.Static<typeof Spec>; status: t.Static<typeof RequestStatus> };
