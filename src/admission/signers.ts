/**
 * The rights on signers: a user who approves, signs or attests for one needs the verb of that name on the resource `signers`, in addition
 * to the right to write the object (CERT-7, CERT-8, CERT-13, CERT-16).
 *
 * @module
 */
import type { Authorizer, Identity } from "../auth/contract.ts";
import { NO_REQUEST } from "../meta/request-info.ts";
import { invalid } from "../meta/status.ts";
import { DerError, readRequest } from "../pki/index.ts";
import type { ApiObject } from "../schema/definition.ts";
import { equal, isObject } from "../value/value.ts";
import { type AdmissionRequest, type AdmissionStep, concerns, refusal } from "./contract.ts";

const GROUP = "certificates.k8s.io";
const REQUESTS = { group: GROUP, plural: "certificatesigningrequests" };
const BUNDLES = { group: GROUP, plural: "clustertrustbundles" };
const POD_REQUESTS = { group: GROUP, plural: "podcertificaterequests" };

type Right = "approve" | "sign" | "attest";

/** A text in the spec of an object; empty where there is none. */
function inSpec(object: ApiObject | undefined, member: string): string {
  const spec = object?.["spec"];
  const value = isObject(spec) ? spec[member] : undefined;
  return typeof value === "string" ? value : "";
}

const signerOf = (object: ApiObject | undefined): string => inSpec(object, "signerName");

/** Whether a user has a right on a signer, by its name or for all of its domain (`example.com/*`). */
async function mayFor(authorizer: Authorizer, identity: Identity, right: Right, signer: string): Promise<boolean> {
  for (const name of [signer, `${signer.split("/", 1)[0]}/*`]) {
    const info = {
      ...NO_REQUEST,
      isResource: true,
      verb: right,
      group: GROUP,
      version: "*",
      resource: "signers",
      name,
    };
    if ((await authorizer.authorize(identity, info)).allowed) return true;
  }
  return false;
}

/** The use of a right, in the words of a refusal. */
const DEMANDED: Readonly<Record<Right, string>> = {
  approve: "approve requests with signerName",
  sign: "sign requests with signerName",
  attest: "attest for signerName",
};

/** Refuses users without a right on a signer, with 403. */
async function demand(authorizer: Authorizer, request: AdmissionRequest, right: Right, signer: string): Promise<void> {
  if (await mayFor(authorizer, request.identity, right, signer)) return;
  throw refusal(request, `user not permitted to ${DEMANDED[right]} "${signer}"`);
}

/** A decision on a request needs the right to approve for its signer. */
export const certificateApproval = (authorizer: Authorizer): AdmissionStep => ({
  name: "CertificateApproval",
  resources: [REQUESTS],
  validate(request) {
    if (!isUpdateOf(request, REQUESTS, "approval")) return undefined;
    return demand(authorizer, request, "approve", signerOf(request.old));
  },
});

/** An issued certificate, or the failure of a request, needs the right to sign for its signer. */
export const certificateSigning = (authorizer: Authorizer): AdmissionStep => ({
  name: "CertificateSigning",
  resources: [REQUESTS],
  validate(request) {
    if (!isUpdateOf(request, REQUESTS, "status") || isSame(request, "status")) return undefined;
    return demand(authorizer, request, "sign", signerOf(request.old));
  },
});

/** A write of a bundle needs the right to attest for its signer; the garbage collector may change its metadata. */
export const clusterTrustBundleAttest = (authorizer: Authorizer): AdmissionStep => ({
  name: "ClusterTrustBundleAttest",
  resources: [BUNDLES],
  validate(request) {
    const { operation, object, old } = request;
    const signer = signerOf(object);
    if (!concerns(request, BUNDLES) || signer === "" || operation === "DELETE") return undefined;
    return object && old && isCollected(object, old) ? undefined : demand(authorizer, request, "attest", signer);
  },
});

const API_CLIENT = "kubernetes.io/kube-apiserver-client";
const MASTERS = "system:masters";

/** Refuses requests for certificates of `system:masters`. */
export const certificateSubjectRestriction: AdmissionStep = {
  name: "CertificateSubjectRestriction",
  resources: [REQUESTS],
  validate(request) {
    const { operation, subresource, object } = request;
    if (operation !== "CREATE" || subresource !== "" || !concerns(request, REQUESTS)) return;
    if (signerOf(object) !== API_CLIENT || !organizationsOf(object).includes(MASTERS)) return;
    throw refusal(request, `use of ${API_CLIENT} signer with ${MASTERS} group is not allowed`);
  },
};

/** A result of a Pod's request needs the right to sign for its signer; the refusal is a field error. */
export const podCertificateSigning = (authorizer: Authorizer): AdmissionStep => ({
  name: "PodCertificateSigning",
  resources: [POD_REQUESTS],
  async validate(request) {
    if (!isUpdateOf(request, POD_REQUESTS, "status") || isSame(request, "status")) return;
    const signer = signerOf(request.old);
    if (await mayFor(authorizer, request.identity, "sign", signer)) return;
    const message = `Forbidden: expected the right to sign for the signer "${signer}"`;
    throw invalid(request.ref, request.name, [{ reason: "FieldValueForbidden", field: "spec.signerName", message }]);
  },
});

const isUpdateOf = (
  request: AdmissionRequest,
  resource: Pick<AdmissionRequest["ref"], "group" | "plural">,
  subresource: string,
): boolean => request.operation === "UPDATE" && request.subresource === subresource && concerns(request, resource);

const isSame = ({ object, old }: AdmissionRequest, member: string): boolean =>
  equal(object?.[member] ?? null, old?.[member] ?? null);

/** The members of the metadata that the garbage collector and the server write. */
const COLLECTED = { finalizers: null, ownerReferences: null, managedFields: null, resourceVersion: null };

/** Whether a change is limited to members that the garbage collector writes. */
function isCollected(object: ApiObject, old: ApiObject): boolean {
  const rest = (one: ApiObject): object => ({ ...one, metadata: { ...one.metadata, ...COLLECTED } });
  return equal(rest(object), rest(old));
}

/** The organisations of the subject; none where the request, which its kind validates, cannot be read. */
function organizationsOf(object: ApiObject | undefined): readonly string[] {
  try {
    const bytes = Buffer.from(inSpec(object, "request"), "base64");
    return readRequest(bytes.toString("latin1")).subject.organizations;
  } catch (error) {
    if (error instanceof DerError) return [];
    throw error;
  }
}
