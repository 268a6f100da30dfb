/**
 * Certificates in process: written here, kept in files or in memory, judged by `node:crypto`. No port, no file of its own.
 *
 * @module
 */
export { type KeyPair, authority, client, serving } from "./certificate.ts";
export { kubeconfig } from "./kubeconfig.ts";
export { type CertificateFacts, certificateFacts } from "./facts.ts";
export { type Pki, type PkiFiles, type Renewable, createPki, givenPair, openPki, storedFacts } from "./pki.ts";
