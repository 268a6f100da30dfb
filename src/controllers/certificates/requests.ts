/**
 * What the controllers of certificates know of a request: who is to sign it, what was decided, and which forms the signers of
 * the server itself take (CERT-10).
 *
 * @module
 */
import type { CertificateSigningRequest } from "../../client/kinds/index.ts";
import { type CertificateRequest, DerError, GRANTED_USAGES, type GrantedUsage, readRequest } from "../../pki/index.ts";

type Condition = NonNullable<NonNullable<CertificateSigningRequest["status"]>["conditions"]>[number];

/** The signers that the server itself is. */
export const SIGNERS = {
  /** Client certificates for people and programs. */
  client: "kubernetes.io/kube-apiserver-client",
  /** Client certificates of nodes. */
  nodeClient: "kubernetes.io/kube-apiserver-client-kubelet",
  /** Serving certificates of nodes. */
  nodeServing: "kubernetes.io/kubelet-serving",
} as const;

/** The condition of a type, undefined where there is none. */
export const conditionOf = (request: CertificateSigningRequest, type: string): Condition | undefined =>
  request.status?.conditions?.find((condition) => condition.type === type);

/** Whether a certificate was issued. */
export const isIssued = (request: CertificateSigningRequest): boolean => Boolean(request.status?.certificate);

/** A text of base64 that an object holds. */
export const textOf = (base64: string | null | undefined): string =>
  Buffer.from(base64 ?? "", "base64").toString("latin1");

/** What a request asks for; undefined where nobody can read it. */
export function requestIn(request: CertificateSigningRequest): CertificateRequest | undefined {
  try {
    return readRequest(textOf(request.spec.request));
  } catch (error) {
    if (error instanceof DerError) return undefined;
    throw error;
  }
}

const SIGNATURE: GrantedUsage = "digital signature";
const ENCIPHERMENT: GrantedUsage = "key encipherment";

/** Why a request is not one that its signer takes; undefined where it is, with the usages that the certificate gets. */
export function problemWith(
  signer: string,
  requested: CertificateRequest,
  usages: readonly string[],
): string | undefined {
  if (signer === SIGNERS.client) return problemWithUsages(usages, "client auth", false);
  const { organizations, commonName } = requested.subject;
  if (organizations.length !== 1 || organizations[0] !== "system:nodes")
    return "expected the organization system:nodes";
  if (!commonName.startsWith("system:node:")) return "expected a common name that begins with system:node:";
  const { dns, addresses, emails, uris } = requested.names;
  if (emails.length + uris.length > 0) return "expected no email address and no URI";
  if (signer === SIGNERS.nodeServing) {
    if (dns.length + addresses.length === 0) return "expected a DNS name or an IP address";
    return problemWithUsages(usages, "server auth", true);
  }
  if (dns.length + addresses.length > 0) return "expected no DNS name and no IP address";
  return problemWithUsages(usages, "client auth", true);
}

/** Usages are that of the purpose, and what keys are used for; `needsSignature` where they must be signed with. */
function problemWithUsages(
  usages: readonly string[],
  purpose: GrantedUsage,
  needsSignature: boolean,
): string | undefined {
  const allowed: readonly string[] = [purpose, SIGNATURE, ENCIPHERMENT];
  const other = usages.find((usage) => !allowed.includes(usage));
  if (other !== undefined) return `expected the usages ${allowed.join(", ")}, found ${other}`;
  const missing = [purpose, ...(needsSignature ? [SIGNATURE] : [])].find((usage) => !usages.includes(usage));
  return missing === undefined ? undefined : `expected the usage ${missing}`;
}

/** The usages that a certificate can have, of those that were requested for. */
export const grantedOf = (usages: readonly string[]): readonly GrantedUsage[] =>
  GRANTED_USAGES.filter((usage) => usages.includes(usage));
