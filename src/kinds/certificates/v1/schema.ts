import {
  type Static,
  atomicList,
  bytes,
  int32,
  map,
  nullable,
  optional,
  pointer,
  replacedList,
  required,
  requiredOrNull,
  struct,
  text,
  time,
} from "../../../meta/types.ts";
import type { ApiObject } from "../../../schema/definition.ts";

/** The schema of `spec`. */
export const Spec = struct("What is asked for, and by whom; it cannot change.", {
  request: requiredOrNull(bytes("The request, PKCS#10 in a PEM block CERTIFICATE REQUEST.")),
  signerName: required(text("Who is to sign it, as DOMAIN/PATH.")),
  expirationSeconds: pointer(
    int32("For how long the certificate should be good; the signer may give less. At least 600."),
  ),
  usages: optional(atomicList(text(), "What the certificate should be good for, such as `client auth`.")),
  username: optional(text("Who asks; written by the server.")),
  uid: optional(text("The UID of who asks; written by the server.")),
  groups: optional(atomicList(text(), "The groups of who asks; written by the server.")),
  extra: optional(map(atomicList(text()), "What else is known of who asks; written by the server.")),
});

const Condition = struct("What became of the request.", {
  type: required(text("Approved, Denied, Failed, or what else a signer says.")),
  status: required(text("True, False or Unknown; only True for Approved, Denied and Failed.")),
  reason: optional(text("Why, for programs.")),
  message: optional(text("Why, for people.")),
  lastUpdateTime: nullable(time("When the condition was last written.")),
  lastTransitionTime: nullable(time("When its status last changed.")),
});

/** The schema of `status`. */
export const RequestStatus = struct("What became of the request.", {
  conditions: optional(
    replacedList(Condition, ["type"], "What was decided; Approved and Denied stay, and exclude each other."),
  ),
  certificate: optional(bytes("The certificate and those that lead to its root, PEM; written once by the signer.")),
});

/** A CertificateSigningRequest. */
export type CertificateSigningRequest = ApiObject & {
  spec: Static<typeof Spec>;
  status: Static<typeof RequestStatus>;
};
