/**
 * Counts the encrypted records of a store and finds those that cannot be decrypted, for commands that work on its files.
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

/** The encrypted records of a store. */
export interface Census {
  readonly encrypted: readonly EncryptedRecords[];
  /** Records that cannot be read with the configuration; none without one. */
  readonly unread: readonly UnreadRecord[];
}

/** The source of the keys. */
export interface KeySource {
  /** A file with an EncryptionConfiguration. */
  readonly file: string;
  readonly clock: Clock;
  /** The dialect of the store; called with the first record. */
  readonly dialect: () => Dialect;
}

/**
 * Runs `work` after the keys are open, if there is a source of keys.
 *
 * @param work gets a function that reads all records of the store in a directory; it rejects as `visitRecords` does
 * @throws OptionError for an invalid configuration; CliError if one of its plugins is not healthy
 */
export async function withCensus<T>(
  source: KeySource | undefined,
  work: (census: (store: string) => Promise<Census>) => Promise<T>,
): Promise<T> {
  using keys = source && (await openKeys(source));
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

/** Opens the keys. It refuses a plugin that does not respond: each of its records would wait for the timeout. */
async function openKeys({ file, clock, dialect }: KeySource): Promise<Encryption> {
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
  throw new CliError(`expected the KMS plugins of ${file} to be healthy, found ${wrong}`);
}
