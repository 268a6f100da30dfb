import type { Cluster } from "../../cluster/index.ts";
import type { UnreadableRecord } from "../../registry/index.ts";
import type { Log } from "../../util/log.ts";
import { EncryptedGroups } from "./encrypted-groups.ts";
import type { Encryption } from "./encryption.ts";

const MAX_LOGGED_GROUPS = 50;

/** Logs the records of a cluster that cannot be read at its start, and reads them again when keys or plugins change. */
export async function followUnreadable(
  cluster: Pick<Cluster, "unreadable" | "readAgain">,
  encryption: Encryption | undefined,
  log: Log,
): Promise<void> {
  encryption?.whenReadable(() => {
    if (cluster.unreadable().length === 0) return;
    cluster.readAgain().then(
      (objects) => objects > 0 && log.info("stored objects can be read now", { objects }),
      (error: unknown) => log.error("stored objects could not be read again", { error: String(error) }),
    );
  });
  await logUnreadable(cluster.unreadable(), encryption, log);
}

/** Logs unreadable records by resource and key, with the reason. */
async function logUnreadable(
  records: readonly UnreadableRecord[],
  encryption: Pick<Encryption, "explain"> | undefined,
  log: Log,
): Promise<void> {
  const found = new EncryptedGroups<UnreadableRecord>();
  for (const record of records) found.add(record.key, record.stored, record);
  const groups = found.all();
  for (const { resource, stored, example, records: objects } of groups.slice(0, MAX_LOGGED_GROUPS)) {
    const { file = "", why } = (await encryption?.explain(example.key, example.stored)) ?? {
      why: stored && NO_CONFIGURATION,
    };
    log.error("stored objects cannot be read", { resource, objects, stored, file, why: why || "damaged" });
  }
  if (groups.length > MAX_LOGGED_GROUPS) log.error("more stored objects cannot be read", { groups: groups.length });
}

const NO_CONFIGURATION = "they are encrypted, and --encryption-provider-config is not set";
