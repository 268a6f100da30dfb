/**
 * A kubeconfig for the admin: one cluster, one user, one context; everything inline, so that the file can be moved.
 *
 * @module
 */
import { X509Certificate } from "node:crypto";
import { hostsOf } from "./facts.ts";
import type { Pki } from "./pki.ts";

const trustOf = ({ trust }: Identity): string[] =>
  trust === "" ? [] : [`    certificate-authority-data: ${base64(trust)}`];

function nameOf(url: string, { server }: Identity): string[] {
  if (!server) return [];
  const certificate = new X509Certificate(server.cert);
  const host = new URL(url).hostname.replace(/^\[(.*)\]$/, "$1");
  if (certificate.checkHost(host) ?? certificate.checkIP(host)) return [];
  const [name] = hostsOf(certificate);
  return name === undefined ? [] : [`    tls-server-name: ${name}`];
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");

/** What a kubeconfig is made of. */
type Identity = Pick<Pki, "trust" | "admin" | "adminToken"> & Partial<Pick<Pki, "server">>;

/**
 * The text of a kubeconfig (YAML). Where the certificate of the server does not name the address, clients are told which
 * name it has.
 *
 * @param url base address of the server
 * @param pki its certificates; without them (plain HTTP) the token is all there is
 */
export function kubeconfig(url: string, pki: Identity): string {
  const secure = url.startsWith("https:");
  const cluster = secure ? [...trustOf(pki), ...nameOf(url, pki)] : ["    insecure-skip-tls-verify: true"];
  const user = secure
    ? [`    client-certificate-data: ${base64(pki.admin.cert)}`, `    client-key-data: ${base64(pki.admin.key)}`]
    : [`    token: ${pki.adminToken}`];
  return [
    "apiVersion: v1",
    "kind: Config",
    "clusters:",
    "- name: keelson",
    "  cluster:",
    `    server: ${url}`,
    ...cluster,
    "users:",
    "- name: admin",
    "  user:",
    ...user,
    "contexts:",
    "- name: keelson",
    "  context:",
    "    cluster: keelson",
    "    user: admin",
    "current-context: keelson",
    "",
  ].join("\n");
}
