/**
 * The certificates of a server as its options have them: names, files of others, and what changes when a file does.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import { hostname, networkInterfaces } from "node:os";
import type { CertificateInfo } from "../../cli/actions.ts";
import {
  type CertificateFacts,
  type Pki,
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

/** Certificates with what it takes to keep them. */
export interface ServerCertificates {
  readonly pki: Pki;
  /** The client certificate for etcd, where there is one. */
  others(): readonly CertificateFacts[];
  /** Changes when a file does that certificates are read from. */
  stamp(): string;
}

/** Opens the certificates of a server. @throws OptionError where those that were given are none */
export function openCertificates(
  options: ServeOptions,
  directory: DataDirectory | undefined,
  clock: Clock,
): ServerCertificates {
  const { tls, etcd } = options;
  const configured = tls && ((): ReturnType<typeof configuredKeyPair> => readConfigured(tls.certFile, tls.keyFile));
  configured?.();
  const pkiOptions = {
    clock,
    configured,
    // Addresses may come while the server runs.
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
    throw new OptionError(`expected --tls-cert-file and --tls-private-key-file to fit: ${(error as Error).message}`);
  }
}

/** A certificate of others; whoever uses it says what is wrong with it. */
function factsOf(name: string, file: string): readonly CertificateFacts[] {
  try {
    return [certificateFacts(name, readFileSync(file, "utf8"))];
  } catch {
    return [];
  }
}

const ANY = new Set(["0.0.0.0", "::"]);

/** Whether an address to listen on stands for all of the machine. */
export const isAny = (bind: string): boolean => ANY.has(bind);

/** The names and addresses under which clients reach the server. */
const hostsOf = ({ bind, tlsSans }: ServeOptions): readonly string[] => [
  ...new Set([...localHosts(), ...(isAny(bind) ? machineAddresses() : [bind]), ...tlsSans]),
];

/** The names and addresses that every server has. */
const localHosts = (): readonly string[] => ["localhost", "127.0.0.1", "::1", hostname()];

/** What the files of a data directory hold. @throws OptionError when that is nothing */
export function shownCertificates(directory: DataDirectory): readonly CertificateInfo[] {
  const found = storedFacts(directory.pki);
  if (found.length === 0)
    throw new OptionError(`expected certificates in ${directory.file("pki")}; start a server there first`);
  const iso = (time: number): string => new Date(time).toISOString();
  return found.map(({ begins, ends, renewedFrom = ends, ...facts }) => ({
    ...facts,
    file: `pki/${facts.name}.crt`,
    begins: iso(begins),
    ends: iso(ends),
    renewedFrom: iso(renewedFrom),
  }));
}

/** Makes certificates of a data directory anew; the serving one keeps its names and gets some more. */
export async function renewCertificates(
  directory: DataDirectory,
  { renew, sans }: { readonly renew: readonly Renewable[]; readonly sans: readonly string[] },
  clock: Clock,
): Promise<void> {
  shownCertificates(directory);
  void openPki(directory.pki, { hosts: [...new Set([...localHosts(), ...sans])], clock, renew }).ca;
  await directory.save();
}

/** The addresses at which other machines reach this one. */
export const machineAddresses = (): readonly string[] =>
  Object.values(networkInterfaces())
    .flatMap((all) => all ?? [])
    .filter(({ internal, scopeid }) => !internal && !scopeid)
    .map(({ address }) => address);
