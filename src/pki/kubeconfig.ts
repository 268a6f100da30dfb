/**
 * A kubeconfig for the admin: one cluster, one user, one context; everything inline, so that the file can be moved.
 *
 * @module
 */
import type { Pki } from "./pki.ts";

const base64 = (text: string): string => Buffer.from(text).toString("base64");

/**
 * The text of a kubeconfig (YAML).
 *
 * @param url base address of the server
 * @param pki its certificates; without them (plain HTTP) the token is all there is
 */
export function kubeconfig(url: string, pki: Pick<Pki, "ca" | "admin" | "adminToken">): string {
  const secure = url.startsWith("https:");
  const cluster = secure
    ? [`    certificate-authority-data: ${base64(pki.ca.cert)}`]
    : ["    insecure-skip-tls-verify: true"];
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
