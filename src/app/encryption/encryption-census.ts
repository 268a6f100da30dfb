/**
 * What of a store is encrypted, and what of it cannot be decrypted, for tools that work on its files.
 *
 * @module
 */
import { isEncrypted } from "../../encryption/transformer.ts";
import type { EncryptedRecords, UnreadRecord } from "../../cli/actions.ts";
import { CliError } from "../../cli/cli-error.ts";
import type { Dialect } from "../../meta/dialect.ts";
import { visitRecords } from "../../storage/sqlite/current-records.ts";
import { type Clock, systemRandom } from "../../util/clock.ts";
import { silentLog } from "../../util/log.ts";
import { EncryptedGroups } from "./encrypted-groups.ts";
import { Encryption } from "./encryption.ts";

/** What of a store is encrypted. */
export interface Census {
  readonly encrypted: readonly EncryptedRecords[];
  /** Records that the configuration cannot decrypt, or would not read as they are; none without one. */
  readonly unread: readonly UnreadRecord[];
}

/** Where keys are read from. */
export interface KeysPlace {
  /** An EncryptionConfiguration. */
  readonly file: string;
  readonly clock: Clock;
  /** Of the store; asked for when the first record is looked at. */
  readonly dialect: () => Dialect;
}

/**
 * Does something to a store, with keys where a place of them is given: they are open before anything is done.
 *
 * @param work is handed what looks at each record of the store in a directory, and rejects as `visitRecords` does
 * @throws OptionError for a configuration with mistakes; CliError where a plugin of it is unwell
 */
export async function withCensus<T>(
  place: KeysPlace | undefined,
  work: (census: (store: string) => Promise<Census>) => Promise<T>,
): Promise<T> {
  using keys = place && (await openKeys(place));
  return await work((store) => takeCensus(store, keys));
}

async function takeCensus(directory: string, keys: Encryption | undefined): Promise<Census> {
  const groups = new EncryptedGroups<string>();
  const unread: UnreadRecord[] = [];
  await visitRecords(directory, ({ key, revision, value }) => {
    if (isEncrypted(value)) groups.add(key, value, key);
    const explained = keys?.explain(key, value);
    return explained?.then(({ why }) => {
      if (why !== undefined) unread.push({ key, revision, why });
    });
  });
  const encrypted = groups.all().map(({ resource, stored, records }) => ({ resource, stored, records }));
  return { encrypted, unread };
}

/** With a plugin that does not answer every record of its keys would wait for it. */
async function openKeys({ file, clock, dialect }: KeysPlace): Promise<Encryption> {
  const keys = await Encryption.open({
    file,
    reload: false,
    get dialect() {
      return dialect();
    },
    clock,
    random: systemRandom,
    log: silentLog,
  });
  const { wrong } = keys;
  if (wrong === undefined) return keys;
  keys[Symbol.dispose]();
  throw new CliError(`expected the KMS plugins of ${file} to be well, found ${wrong}`);
}
