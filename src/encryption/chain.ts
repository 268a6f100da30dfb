import type { Bytes } from "../storage/contract.ts";
import type { Tally } from "./tally.ts";
import { CipherError, type Transformer, isEncrypted, startsWith } from "./transformer.ts";

/** The name of a key in a prefix that is told; longer ones are no prefixes. */
const PREFIX = /^k8s:enc:[^:]{1,64}:[^:]{1,16}:(?:[\x20-\x39\x3b-\x7e]{1,253}:)?/;

/** What a stored value says of its provider and key, for people: `k8s:enc:aesgcm:v1:key1:`; they are no secrets. */
export function prefixOf(stored: Bytes): string {
  const head = Buffer.from(stored.buffer, stored.byteOffset, Math.min(stored.length, 512)).toString("latin1");
  return PREFIX.exec(head)?.[0] ?? "k8s:enc:";
}

/**
 * The keys of one entry, in order: the first writes, and whichever a stored value names reads (CRYPT-3).
 *
 * Several keys may have one prefix; each is tried.
 */
export class Chain {
  readonly #transformers: readonly [Transformer, ...Transformer[]];
  readonly #tally: Tally;

  constructor(transformers: readonly [Transformer, ...Transformer[]], tally: Tally) {
    this.#transformers = transformers;
    this.#tally = tally;
  }

  /** The stored form of a value. @throws CipherError */
  encrypt(plain: Bytes, key: string): Buffer {
    const [first] = this.#transformers;
    try {
      const stored = first.encrypt(plain, key);
      this.#tally.count("to_storage", first.provider, true);
      return stored;
    } catch (error) {
      this.#tally.count("to_storage", first.provider, false);
      throw error;
    }
  }

  /** The value of a stored form; a promise where a plugin must be asked. @throws CipherError, or rejects with it */
  decrypt(stored: Bytes, key: string): Bytes | Promise<Bytes> {
    const able = this.#transformers.filter((transformer) => canRead(transformer, stored));
    const [first] = able;
    if (first === undefined) {
      this.#tally.count("from_storage", "unknown", false);
      throw new CipherError(`no provider and key for values that begin with ${prefixOf(stored)}`);
    }
    // Mostly there is one, and it needs nobody.
    if (able.length > 1) return this.#tryAll(able, stored, key);
    try {
      const plain = proven(first, first.decrypt(stored, key));
      if (plain instanceof Promise) return this.#counted(plain, first);
      this.#tally.count("from_storage", first.provider, true);
      return plain;
    } catch (error) {
      this.#tally.count("from_storage", first.provider, false);
      throw error;
    }
  }

  /** Whether a stored form is not what the first key would write today (CRYPT-7). */
  isOutdated(stored: Bytes): boolean {
    const [first] = this.#transformers;
    if (!canRead(first, stored)) return true;
    return first.isOutdated?.(stored) ?? false;
  }

  async #tryAll(able: readonly Transformer[], stored: Bytes, key: string): Promise<Bytes> {
    let failure: unknown;
    for (const transformer of able) {
      try {
        return await this.#counted(Promise.resolve(proven(transformer, transformer.decrypt(stored, key))), transformer);
      } catch (error) {
        if (!(error instanceof CipherError)) throw error;
        failure ??= error;
      }
    }
    throw failure;
  }

  async #counted(plain: Promise<Bytes>, { provider }: Transformer): Promise<Bytes> {
    try {
      const value = await plain;
      this.#tally.count("from_storage", provider, true);
      return value;
    } catch (error) {
      this.#tally.count("from_storage", provider, false);
      throw error;
    }
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** A value whose provider cannot tell that it was damaged must at least be JSON, as all objects are. */
function proven({ unproven }: Transformer, plain: Bytes | Promise<Bytes>): Bytes | Promise<Bytes> {
  if (!unproven || plain instanceof Promise) return plain;
  try {
    JSON.parse(utf8.decode(plain));
    return plain;
  } catch {
    throw new CipherError("the key does not fit the value, or the value is damaged");
  }
}

const canRead = ({ prefix }: Transformer, stored: Bytes): boolean =>
  prefix.length === 0 ? !isEncrypted(stored) : startsWith(stored, prefix);
