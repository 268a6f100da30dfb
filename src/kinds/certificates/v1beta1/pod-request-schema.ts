import {
  type Static,
  bytes,
  int32,
  keyedList,
  map,
  optional,
  pointer,
  required,
  requiredOrNull,
  struct,
  text,
  time,
} from "../../../meta/types.ts";
import type { ApiObject } from "../../../schema/definition.ts";
import { Condition } from "../../rules/condition.ts";

/** How long a certificate may be good where nothing is said, and at most for signers of Kubernetes. */
export const DAY_SECONDS = 86_400;

/** The schema of `spec`. */
export const Spec = struct("What is asked for; it cannot change.", {
  signerName: required(text("Who is to sign it, as DOMAIN/PATH.")),
  podName: required(text("The name of the Pod.")),
  podUID: required(text("The UID of the Pod.")),
  serviceAccountName: required(text("The name of the Pod's ServiceAccount.")),
  serviceAccountUID: required(text("The UID of the ServiceAccount.")),
  nodeName: required(text("The name of the node that the Pod is on.")),
  nodeUID: required(text("The UID of the node.")),
  maxExpirationSeconds: pointer(
    int32(
      "For how long the certificate may be good at most; an hour to 91 days, to one day for signers of kubernetes.io.",
      {
        default: DAY_SECONDS,
      },
    ),
  ),
  pkixPublicKey: requiredOrNull(
    bytes(
      "The key that is to be certified, as SubjectPublicKeyInfo: Ed25519, ECDSA P-256, P-384, P-521, RSA 3072, 4096.",
    ),
  ),
  proofOfPossession: requiredOrNull(
    bytes(
      "The signature of the Pod's UID by that key: ECDSA over its SHA-256, RSA as PSS over its SHA-256, or Ed25519.",
    ),
  ),
  unverifiedUserAnnotations: optional(map(text(), "What the Pod wants the signer to know; nobody has checked it.")),
});

/** The schema of `status`. */
export const RequestStatus = struct("What became of the request.", {
  conditions: optional(keyedList(Condition, ["type"], "At most one of Issued, Denied and Failed, for good.")),
  certificateChain: optional(text("The certificate of the Pod and those that lead to its root, PEM.")),
  notBefore: pointer(time("When the certificate begins to be good.")),
  beginRefreshAt: pointer(time("When to ask for the next one.")),
  notAfter: pointer(time("When the certificate ends.")),
});

/** A PodCertificateRequest. */
export type PodCertificateRequest = ApiObject & { spec: Static<typeof Spec>; status: Static<typeof RequestStatus> };
