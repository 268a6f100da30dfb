/**
 * Certificates: written here, verified by `node:crypto`. This room opens no port and no file.
 *
 * @module
 */
export { GRANTED_USAGES, type GrantedUsage, type KeyPair, client, issue } from "./certificate.ts";
export { DerError } from "./der.ts";
export { altNamesOf, certificateOf, firstCertificate, isAuthority } from "./certificate-reader.ts";
export { type PemBlock, pemBlocks } from "../util/pem.ts";
export { isSignedBy, readPublicKey } from "./public-key.ts";
export { type CertificateRequest, isSigned, readRequest } from "./request.ts";
export { kubeconfig, kubeconfigLike } from "./kubeconfig.ts";
export { type CertificateFacts, certificateFacts } from "./certificate-facts.ts";
export {
  type Pki,
  type PkiFiles,
  type PkiOptions,
  type Renewable,
  createPki,
  configuredKeyPair,
  openPki,
  storedFacts,
} from "./pki.ts";
