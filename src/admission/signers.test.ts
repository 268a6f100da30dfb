import { describe, expect, test } from "vitest";
import type { Authorizer } from "../auth/contract.ts";
import { ApiError } from "../meta/status.ts";
import { requestBase64 } from "../pki/testing/requests.ts";
import type { AdmissionRequest, AdmissionStep } from "./contract.ts";
import {
  certificateApproval,
  certificateSigning,
  certificateSubjectRestriction,
  clusterTrustBundleAttest,
  podCertificateSigning,
} from "./signers.ts";
import { objectOf, requestOf } from "./testing/requests.ts";

const group = "certificates.k8s.io";
const REQUESTS = { group, plural: "certificatesigningrequests", kind: "CertificateSigningRequest" };
const BUNDLES = { group, plural: "clustertrustbundles", kind: "ClusterTrustBundle" };
const POD_REQUESTS = { group, plural: "podcertificaterequests", kind: "PodCertificateRequest" };
const spec = { signerName: "example.com/signer" };

/** Allows a verb on some signers. */
const allowing = (verb: string, ...names: string[]): Authorizer => ({
  authorize: (_, info) => {
    const isSigner = info.isResource && info.group === group && info.resource === "signers";
    return { allowed: isSigner && info.verb === verb && names.includes(info.name), reason: "" };
  },
  rightsOf: () => ({ resourceRules: [], pathRules: [], incomplete: false }),
});

/** The code of a refusal, 200 where there is none. */
async function code(step: AdmissionStep, more: Partial<AdmissionRequest>): Promise<number> {
  try {
    await step.validate?.(requestOf(more));
    return 200;
  } catch (error) {
    if (error instanceof ApiError) return error.code;
    throw error;
  }
}

const update = (
  ref: AdmissionRequest["ref"],
  subresource: string,
  before: object,
  after: object,
): Partial<AdmissionRequest> => ({
  operation: "UPDATE",
  ref,
  subresource,
  old: objectOf({ name: "a" }, { spec, ...before }),
  object: objectOf({ name: "a" }, { spec, ...after }),
});

describe.each([
  ["the signer", "example.com/signer", 200],
  ["its domain", "example.com/*", 200],
  ["another signer", "example.com/other", 403],
  ["everything of another domain", "*", 403],
])("with the right on %s", (_, name, expected) => {
  test("CERT-7: decisions need approve", async () => {
    const request = update(REQUESTS, "approval", {}, {});
    expect(await code(certificateApproval(allowing("approve", name)), request)).toBe(expected);
    expect(await code(certificateApproval(allowing("sign", name)), request)).toBe(403);
  });

  test("CERT-7: a certificate or a failure needs sign", async () => {
    const request = update(REQUESTS, "status", {}, { status: { certificate: "AA==" } });
    expect(await code(certificateSigning(allowing("sign", name)), request)).toBe(expected);
  });

  test("CERT-13: a bundle needs attest", async () => {
    const request: Partial<AdmissionRequest> = { ref: BUNDLES, object: objectOf({ name: "a" }, { spec }) };
    expect(await code(clusterTrustBundleAttest(allowing("attest", name)), request)).toBe(expected);
  });

  test("CERT-16: the outcome of a Pod's request needs sign, and says so of a field", async () => {
    const request = update(POD_REQUESTS, "status", {}, { status: { conditions: [] } });
    expect(await code(podCertificateSigning(allowing("sign", name)), request)).toBe(expected === 200 ? 200 : 422);
  });
});

const nobody = allowing("nothing");

test("CERT-7: what says nothing new needs no right on the signer", async () => {
  const same = { status: { conditions: [] } };
  expect(await code(certificateSigning(nobody), update(REQUESTS, "status", same, same))).toBe(200);
  expect(await code(certificateSigning(nobody), update(REQUESTS, "", {}, same))).toBe(200);
  expect(await code(certificateApproval(nobody), update(REQUESTS, "status", {}, same))).toBe(200);
  expect(await code(podCertificateSigning(nobody), update(POD_REQUESTS, "status", same, same))).toBe(200);
});

test("CERT-13: deleting a bundle, one without a signer, and what collectors write needs no right; labels alone do", async () => {
  const step = clusterTrustBundleAttest(nobody);
  expect(await code(step, { ref: BUNDLES, operation: "DELETE", object: undefined })).toBe(200);
  expect(await code(step, { ref: BUNDLES, object: objectOf({ name: "a" }, { spec: {} }) })).toBe(200);
  const old = objectOf({ name: "a" }, { spec });
  const changed = (metadata: object): Partial<AdmissionRequest> => ({
    ref: BUNDLES,
    operation: "UPDATE",
    old,
    object: objectOf({ name: "a", ...metadata }, { spec }),
  });
  expect(await code(step, changed({ finalizers: ["x"], ownerReferences: [] }))).toBe(200);
  expect(await code(step, changed({ labels: { a: "b" } }))).toBe(403);
});

test("CERT-8: no request may be for system:masters", async () => {
  const ask = (signerName: string, ...organizations: string[]): Promise<number> => {
    const object = objectOf({ name: "a" }, { spec: { signerName, request: requestBase64({ organizations }) } });
    return code(certificateSubjectRestriction, { ref: REQUESTS, object });
  };
  expect(await ask("kubernetes.io/kube-apiserver-client", "a", "system:masters")).toBe(403);
  expect(await ask("kubernetes.io/kube-apiserver-client", "a")).toBe(200);
  expect(await ask("example.com/x", "system:masters")).toBe(200);
});
