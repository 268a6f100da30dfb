/** CertificateSigningRequests: their signers, decisions, and the rules of the built-in signers (CERT-10). */
import type { CertificateSigningRequest } from "../../client/kinds/index.ts";
import { type CertificateRequest, DerError, GRANTED_USAGES, type GrantedUsage, readRequest } from "../../pki/index.ts";

type Condition = NonNullable<NonNullable<CertificateSigningRequest["status"]>["conditions"]>[number];

/** The built-in signers. */
export const SIGNERS = {
  client: "kubernetes.io/kube-apiserver-client",
  nodeClient: "kubernetes.io/kube-apiserver-client-kubelet",
  nodeServing: "kubernetes.io/kubelet-serving",
} as const;

/** Returns the condition of a type. */
export const conditionOf = (request: CertificateSigningRequest, type: string): Condition | undefined =>
  request.status?.conditions?.find((condition) => condition.type === type);

/** Whether a request has its certificate. */
export const isIssued = (request: CertificateSigningRequest): boolean => Boolean(request.status?.certificate);

/** Decodes a base64 field. */
export const textOf = (base64: string | null | undefined): string =>
  Buffer.from(base64 ?? "", "base64").toString("latin1");

/** Returns the PKCS #10 request; undefined where it is malformed. */
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

/** Returns why a signer does not accept a request; undefined where it does. */
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

/** Only the purpose and the key usages are allowed; `needsSignature` requires "digital signature". */
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

/** Returns the requested usages that the certificate can have. */
export const grantedOf = (usages: readonly string[]): readonly GrantedUsage[] =>
  GRANTED_USAGES.filter((usage) => usages.includes(usage));
