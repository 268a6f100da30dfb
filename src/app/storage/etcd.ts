import type { Credentials } from "../../grpc/session.ts";
import type { Dialect } from "../../meta/dialect.ts";
import type { Store } from "../../storage/contract.ts";
import type { CallObserver } from "../../storage/etcd/client.ts";
import { readNamed } from "../files/named-file.ts";
import type { EtcdOptions } from "../options/options.ts";
import type { TracedSystemParts } from "../process/system-parts.ts";

/** Reads the certificates of a connection to etcd. @throws OptionError for a file that cannot be read */
export const credentialsOf = ({ caFile, certFile, keyFile }: EtcdOptions): Credentials => ({
  ...(caFile === "" ? {} : { ca: readNamed("etcd-cacert", caFile) }),
  ...(certFile === "" ? {} : { cert: readNamed("etcd-cert", certFile), key: readNamed("etcd-key", keyFile) }),
});

/** Opens the store on etcd; certificates are read for each connection, so they can be renewed. */
export async function openEtcd(
  options: EtcdOptions,
  dialect: Dialect,
  system: TracedSystemParts & { readonly onCall?: CallObserver | undefined },
): Promise<Store> {
  const { servers, prefix } = options;
  const credentials = (): Credentials => credentialsOf(options);
  // A file that is missing at the start is an error of the user; later it is a failed connection.
  credentials();
  const { openEtcdStore } = await import("../../storage/etcd/store.ts");
  return openEtcdStore({ endpoints: servers, prefix, credentials, owner: dialect.name, ...system });
}
