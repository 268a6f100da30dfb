import { readFileSync } from "node:fs";
import type { Dialect } from "../../meta/dialect.ts";
import type { Store } from "../../storage/contract.ts";
import type { Clock, Random } from "../../util/clock.ts";
import type { Log } from "../../util/log.ts";
import { type EtcdOptions, OptionError } from "../options/options.ts";

/** What the store is given beside its options. */
interface Around {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** Opens the store on etcd; certificates are read anew for each connection, so that they can be exchanged. */
export async function openEtcd(options: EtcdOptions, dialect: Dialect, around: Around): Promise<Store> {
  const { servers, prefix, caFile, certFile, keyFile } = options;
  const credentials = () => ({
    ...(caFile === "" ? {} : { ca: read("etcd-cacert", caFile) }),
    ...(certFile === "" ? {} : { cert: read("etcd-cert", certFile), key: read("etcd-key", keyFile) }),
  });
  // A file that is missing now is a mistake of the user; one that is missing later is only a connection that fails.
  credentials();
  const { openEtcdStore } = await import("../../storage/etcd/store.ts");
  return openEtcdStore({ endpoints: servers, prefix, credentials, owner: dialect.name, ...around });
}

function read(option: string, file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new OptionError(`expected --${option} to name a file that can be read: ${(error as Error).message}`);
  }
}
