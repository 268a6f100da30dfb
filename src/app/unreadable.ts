import { prefixOf } from "../encryption/chain.ts";
import { isEncrypted } from "../encryption/transformer.ts";
import type { UnreadableRecord } from "../registry/index.ts";
import type { Log } from "../util/log.ts";
import type { Encryption } from "./encryption.ts";

/** Records of one resource that say the same of how they are encrypted. */
interface Group {
  readonly resource: string;
  readonly prefix: string;
  readonly example: UnreadableRecord;
  count: number;
}

/** Most groups that are told one by one. */
const MOST_GROUPS = 50;

/** Logs what cannot be read: how many objects of which resource, with which provider and key they are stored, and why. */
export async function tellUnreadableRecords(
  records: readonly UnreadableRecord[],
  encryption: Pick<Encryption, "explain"> | undefined,
  log: Log,
): Promise<void> {
  const groups = groupsOf(records);
  for (const { resource, prefix, example, count } of groups.slice(0, MOST_GROUPS)) {
    const { file = "", why } = (await encryption?.explain(example.key, example.stored)) ?? { why: prefix && UNNAMED };
    log.error("stored objects cannot be read", {
      resource,
      objects: count,
      stored: prefix,
      file,
      why: why || "damaged",
    });
  }
  if (groups.length > MOST_GROUPS) log.error("more stored objects cannot be read", { groups: groups.length });
}

const UNNAMED = "they are encrypted, and --encryption-provider-config names no file";

function groupsOf(records: readonly UnreadableRecord[]): readonly Group[] {
  const groups = new Map<string, Group>();
  for (const record of records) {
    const [, group = "", plural = ""] = record.key.split("/");
    const resource = group === "core" ? plural : `${plural}.${group}`;
    const prefix = isEncrypted(record.stored) ? prefixOf(record.stored) : "";
    const id = JSON.stringify([resource, prefix]);
    const known = groups.get(id);
    if (known) known.count++;
    else groups.set(id, { resource, prefix, example: record, count: 1 });
  }
  return [...groups.values()];
}
