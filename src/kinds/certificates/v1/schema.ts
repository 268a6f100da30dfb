import * as t from "../../../meta/types.ts";
import type { ApiObject } from "../../../schema/definition.ts";

/** The schema of `spec`. */
export const Spec = t.struct("The request and its user; it is immutable.", {
  request: t.requiredOrNull(t.bytes("The request, PKCS#10 in a PEM block CERTIFICATE REQUEST.")),
  signerName: t.required(t.text("The signer, as DOMAIN/PATH.")),
  expirationSeconds: t.pointer(
    t.int32("For how long the certificate should be good; the signer may give less. At least 600."),
  ),
  usages: t.optional(t.atomicList(t.text(), "The usages of the certificate, such as `client auth`.")),
  username: t.optional(t.text("The name of the requesting user; set by the server.")),
  uid: t.optional(t.text("The UID of the requesting user; set by the server.")),
  groups: t.optional(t.atomicList(t.text(), "The groups of the requesting user; set by the server.")),
  extra: t.optional(t.map(t.atomicList(t.text()), "Further attributes of the requesting user; set by the server.")),
});

const Condition = t.struct("The result of the request.", {
  type: t.required(t.text("Approved, Denied, Failed, or a type of the signer.")),
  status: t.required(t.text("True, False or Unknown; only True for Approved, Denied and Failed.")),
  reason: t.optional(t.text("Why, for programs.")),
  message: t.optional(t.text("Why, for people.")),
  lastUpdateTime: t.nullable(t.time("When the condition was last written.")),
  lastTransitionTime: t.nullable(t.time("When its status last changed.")),
});

/** The schema of `status`. */
export const RequestStatus = t.struct("The result of the request.", {
  conditions: t.optional(
    t.replacedList(Condition, ["type"], "The decision; Approved and Denied are permanent, and exclude each other."),
  ),
  certificate: t.optional(t.bytes("The certificate and those that lead to its root, PEM; written once by the signer.")),
});

/** A CertificateSigningRequest. */
export type CertificateSigningRequest = ApiObject & {
  spec: t.Static<typeof Spec>;
  status: t.Static<typeof RequestStatus>;
};
