/**
 * The format of the data below a prefix of etcd, and its owner: the dialect of the servers.
 *
 * @module
 */
import { cutText } from "../../util/cut-text.ts";
import { type ClientOptions, EtcdClient } from "./client.ts";
import { StoreError } from "../contract.ts";
import { Layout } from "./layout.ts";
import { CALLS, rangeRequest, readRange } from "./messages.ts";

/** The version of {@link Layout}. */
export const FORMAT = 1;

/** The format that the data below a prefix has. */
export interface StoredFormat {
  readonly format: number;
  /** The owner of the data; undefined where the first server had none. */
  readonly owner: string | undefined;
}

const MAX_SHOWN_BYTES = 100;

/** Reads a stored format. @throws StoreError `corrupt` for a text that is none */
function formatIn(text: string): StoredFormat {
  let found: { readonly format?: unknown; readonly owner?: unknown } | null;
  try {
    found = JSON.parse(text) as typeof found;
  } catch {
    found = null;
  }
  const { format, owner } = found ?? {};
  if (typeof format === "number") return { format, owner: typeof owner === "string" ? owner : undefined };
  const shown = cutText(text, MAX_SHOWN_BYTES);
  throw new StoreError("corrupt", `Expected the format of the data in etcd as JSON, got ${shown}`);
}

/**
 * Checks whether this program may use data of a format.
 *
 * @throws StoreError `failed` for another format or another owner, `corrupt` for a text that is none
 */
export function checkFormat(text: string, owner: string | undefined): void {
  const found = formatIn(text);
  if (found.format !== FORMAT) {
    throw new StoreError("failed", `Expected format ${FORMAT} in etcd, got ${found.format}: use a newer keelson`);
  }
  if (owner !== undefined && found.owner !== undefined && found.owner !== owner) {
    const message = `Expected data of ${owner} below this prefix of etcd, found that of ${JSON.stringify(found.owner)}`;
    throw new StoreError("failed", message);
  }
}

/** What {@link readFormat} found: the version of a member, and the format; undefined where nothing is stored. */
export interface FoundFormat {
  readonly version: string;
  readonly stored: StoredFormat | undefined;
}

/**
 * Reads the format below a prefix, and writes nothing.
 *
 * @throws StoreError `unavailable` where no member responds within the time, `corrupt` for a text that is no format
 */
export async function readFormat(
  options: Pick<ClientOptions, "endpoints" | "credentials" | "clock" | "random" | "log">,
  prefix: string,
  timeoutMillis: number,
): Promise<FoundFormat> {
  const { format: key } = new Layout(prefix);
  const client = new EtcdClient({ ...options, probe: key, floor: () => 0, onRevision: () => {} });
  try {
    const { version, session } = await client.member(timeoutMillis);
    const { records } = readRange(await session.call(CALLS.range, rangeRequest({ key }), timeoutMillis));
    const [record] = records;
    return { version, stored: record && formatIn(Buffer.from(record.value).toString()) };
  } finally {
    client.close();
  }
}
