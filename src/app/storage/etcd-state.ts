import type { EtcdState } from "../../cli/actions.ts";
import { FORMAT, readFormat } from "../../storage/etcd/format.ts";
import { systemClock, systemRandom } from "../../util/clock.ts";
import { silentLog } from "../../util/log.ts";
import { OptionError, type ServeOptions } from "../options/options.ts";
import { DataDirectory } from "./data-directory.ts";
import { credentialsOf } from "./etcd.ts";

/**
 * Reads what an upgrade depends on in the etcd of a server, and changes nothing, so a server may run.
 *
 * @throws OptionError for options without etcd, StoreError where no member responds within the time
 */
export async function etcdState(options: ServeOptions, timeoutMillis: number): Promise<EtcdState> {
  const { etcd, dataDir } = options;
  if (!etcd) throw new OptionError("expected --store etcd");
  const credentials = credentialsOf(etcd);
  const { version, stored } = await readFormat(
    {
      endpoints: etcd.servers,
      credentials: () => credentials,
      clock: systemClock,
      random: systemRandom,
      log: silentLog,
    },
    etcd.prefix,
    timeoutMillis,
  );
  return {
    prefix: etcd.prefix,
    version,
    format: stored?.format,
    newestFormat: FORMAT,
    owner: stored?.owner,
    dialect: options.dialect?.name ?? new DataDirectory(dataDir).dialect?.name,
  };
}
