/**
 * Kubeconfigs: one cluster, one user, one context; everything inline, so that the file can be moved.
 *
 * @module
 */
import { X509Certificate } from "node:crypto";
import { hostsOf } from "./certificate-facts.ts";
import type { KeyPair } from "./certificate.ts";
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

type Identity = Pick<Pki, "trust" | "admin" | "adminToken"> & Partial<Pick<Pki, "server">>;

/** The credential of a user: a certificate with its key, PEM, or a token. */
export type Credential = KeyPair | { readonly token: string };

/** The user of a kubeconfig. */
export interface KubeconfigUser {
  readonly name: string;
  readonly credential: Credential;
}

/**
 * The kubeconfig (YAML) of the admin. Where the server's certificate is not valid for the host of `url`, it sets
 * `tls-server-name`.
 *
 * @param pki the server's certificates; plain HTTP uses the admin's token alone
 */
export function kubeconfig(url: string, pki: Identity): string {
  const secure = url.startsWith("https:");
  const cluster = secure ? [...trustOf(pki), ...nameOf(url, pki)] : ["    insecure-skip-tls-verify: true"];
  const credential = secure ? pki.admin : { token: pki.adminToken };
  return textOf([`    server: ${url}`, ...cluster], { name: "admin", credential });
}

const CLUSTER = /^ {2}cluster:\n((?: {4}\S.*\n)+)/m;

/** The kubeconfig of another user, from one that {@link kubeconfig} has written; `server` replaces its URL. */
export function kubeconfigLike(text: string, user: KubeconfigUser, server?: string): string {
  const [, lines] = CLUSTER.exec(text) ?? [];
  if (lines === undefined) throw new Error("expected a kubeconfig with a cluster, found none");
  const cluster = lines.trimEnd().split("\n");
  return textOf(
    server === undefined
      ? cluster
      : cluster.map((line) => (line.startsWith("    server: ") ? `    server: ${server}` : line)),
    user,
  );
}

function textOf(cluster: readonly string[], { name, credential }: KubeconfigUser): string {
  const user = /^[a-z][-a-z0-9.]*$/.test(name) ? name : JSON.stringify(name);
  return [
    "apiVersion: v1",
    "kind: Config",
    "clusters:",
    "- name: keelson",
    "  cluster:",
    ...cluster,
    "users:",
    `- name: ${user}`,
    "  user:",
    ...linesOf(credential),
    "contexts:",
    "- name: keelson",
    "  context:",
    "    cluster: keelson",
    `    user: ${user}`,
    "current-context: keelson",
    "",
  ].join("\n");
}

const linesOf = (credential: Credential): string[] =>
  "token" in credential
    ? [`    token: ${credential.token}`]
    : [`    client-certificate-data: ${base64(credential.cert)}`, `    client-key-data: ${base64(credential.key)}`];
