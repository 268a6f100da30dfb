import * as t from "../../../meta/types.ts";
import type { ApiObject } from "../../../schema/definition.ts";

/** The schema of `spec`. */
export const Spec = t.struct("What is asked for, and by whom; it cannot change.", {
  request: t.requiredOrNull(t.bytes("The request, PKCS#10 in a PEM block CERTIFICATE REQUEST.")),
  signerName: t.required(t.text("Who is to sign it, as DOMAIN/PATH.")),
  expirationSeconds: t.pointer(
    t.int32("For how long the certificate should be good; the signer may give less. At least 600."),
  ),
  usages: t.optional(t.atomicList(t.text(), "What the certificate should be good for, such as `client auth`.")),
  username: t.optional(t.text("Who asks; written by the server.")),
  uid: t.optional(t.text("The UID of who asks; written by the server.")),
  groups: t.optional(t.atomicList(t.text(), "The groups of who asks; written by the server.")),
  extra: t.optional(t.map(t.atomicList(t.text()), "What else is known of who asks; written by the server.")),
});

const Condition = t.struct("What became of the request.", {
  type: t.required(t.text("Approved, Denied, Failed, or what else a signer says.")),
  status: t.required(t.text("True, False or Unknown; only True for Approved, Denied and Failed.")),
  reason: t.optional(t.text("Why, for programs.")),
  message: t.optional(t.text("Why, for people.")),
  lastUpdateTime: t.nullable(t.time("When the condition was last written.")),
  lastTransitionTime: t.nullable(t.time("When its status last changed.")),
});

/** The schema of `status`. */
export const RequestStatus = t.struct("What became of the request.", {
  conditions: t.optional(
    t.replacedList(Condition, ["type"], "What was decided; Approved and Denied stay, and exclude each other."),
  ),
  certificate: t.optional(t.bytes("The certificate and those that lead to its root, PEM; written once by the signer.")),
});

/** A CertificateSigningRequest. */
export type CertificateSigningRequest = ApiObject & {
  spec: t.Static<typeof Spec>;
  status: t.Static<typeof RequestStatus>;
};
