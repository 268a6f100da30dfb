/**
 * The certificates of a server, from its options and its data directory.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import { hostname, networkInterfaces } from "node:os";
import type { CertificateInfo } from "../../cli/actions.ts";
import {
  type CertificateFacts,
  type Pki,
  type PkiOptions,
  type Renewable,
  certificateFacts,
  createPki,
  configuredKeyPair,
  openPki,
  storedFacts,
} from "../../pki/index.ts";
import type { Clock } from "../../util/clock.ts";
import type { DataDirectory } from "../storage/data-directory.ts";
import { OptionError, type ServeOptions } from "../options/options.ts";
import { stampOf } from "../files/watched-file.ts";
import { messageOf } from "../../util/error.ts";

/** The certificates of a server, and what their renewal needs. */
export interface ServerCertificates {
  readonly pki: Pki;
  /** Facts of the client certificate for etcd, if there is one. */
  others(): readonly CertificateFacts[];
  /** Changes when a file of certificates changes. */
  stamp(): string;
}

/** Opens the certificates of a server. @throws OptionError for files of the options that are not valid */
export function openCertificates(
  options: ServeOptions,
  directory: DataDirectory | undefined,
  clock: Clock,
): ServerCertificates {
  const { tls, etcd } = options;
  const configured = tls && ((): ReturnType<typeof configuredKeyPair> => readConfigured(tls.certFile, tls.keyFile));
  configured?.();
  const pkiOptions: PkiOptions = {
    clock,
    configured,
    // Addresses of the machine may change while the server runs.
    get hosts() {
      return hostsOf(options);
    },
  };
  const files = [tls?.certFile ?? "", tls?.keyFile ?? "", etcd?.certFile ?? ""].filter((file) => file !== "");
  return {
    pki: directory ? openPki(directory.pki, pkiOptions) : createPki(pkiOptions),
    others: () => (etcd?.certFile ? factsOf("etcd-client", etcd.certFile) : []),
    stamp: () => [...files, ...(directory?.pkiFiles ?? [])].map(stampOf).join(" "),
  };
}

function readConfigured(certFile: string, keyFile: string): ReturnType<typeof configuredKeyPair> {
  try {
    return configuredKeyPair(readFileSync(certFile, "utf8"), readFileSync(keyFile, "utf8"), certFile, keyFile);
  } catch (error) {
    throw new OptionError(
      `expected --tls-cert-file and --tls-private-key-file to be a certificate and its key: ${messageOf(error)}`,
    );
  }
}

/** Reads the facts of a certificate; nothing if it is not valid, which its user reports. */
function factsOf(name: string, file: string): readonly CertificateFacts[] {
  try {
    return [certificateFacts(name, readFileSync(file, "utf8"))];
  } catch {
    return [];
  }
}

/** Whether an address to listen on means all addresses of the machine. */
export const isAny = (bind: string): boolean => bind === "0.0.0.0" || bind === "::";

/** The names and addresses for the serving certificate. */
const hostsOf = ({ bind, tlsSans }: ServeOptions): readonly string[] => [
  ...new Set([...localHosts(), ...(isAny(bind) ? machineAddresses() : [bind]), ...tlsSans]),
];

const localHosts = (): readonly string[] => ["localhost", "127.0.0.1", "::1", hostname()];

/** Reads the certificates of a data directory. @throws OptionError if there are none */
export function shownCertificates(directory: DataDirectory): readonly CertificateInfo[] {
  const found = storedFacts(directory.pki);
  if (found.length === 0)
    throw new OptionError(
      `expected certificates in ${directory.file("pki")}; name another data directory with --data-dir, or start a server there first`,
    );
  const iso = (time: number): string => new Date(time).toISOString();
  return found.map(({ begins, ends, renewedFrom = ends, ...facts }) => ({
    ...facts,
    file: `pki/${facts.name}.crt`,
    begins: iso(begins),
    ends: iso(ends),
    renewedFrom: iso(renewedFrom),
  }));
}

/** Renews certificates of a data directory; the serving certificate keeps its names and gets those of `sans`. */
export async function renewCertificates(
  directory: DataDirectory,
  { renew, sans }: { readonly renew: readonly Renewable[]; readonly sans: readonly string[] },
  clock: Clock,
): Promise<void> {
  shownCertificates(directory);
  void openPki(directory.pki, { hosts: [...new Set([...localHosts(), ...sans])], clock, renew }).ca;
  await directory.save();
}

/** The addresses of this machine that other machines can connect to. */
export const machineAddresses = (): readonly string[] =>
  Object.values(networkInterfaces())
    .flatMap((all) => all ?? [])
    .filter(({ internal, scopeid }) => !internal && !scopeid)
    .map(({ address }) => address);
