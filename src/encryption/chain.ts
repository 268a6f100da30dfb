import type { Bytes } from "../storage/contract.ts";
import type { TransformationCounts } from "./transformation-counts.ts";
import { CipherError, type Transformer, isEncrypted, startsWith, wrongKey } from "./transformer.ts";

/** A prefix with a key name of at most 253 characters. */
const PREFIX = /^k8s:enc:[^:]{1,64}:[^:]{1,16}:(?:[\x20-\x39\x3b-\x7e]{1,253}:)?/;

/** The prefix of a stored value, `k8s:enc:aesgcm:v1:key1:`, for messages: it names provider and key, which are no secrets. */
export function prefixOf(stored: Bytes): string {
  const head = Buffer.from(stored.buffer, stored.byteOffset, Math.min(stored.length, 512)).toString("latin1");
  return PREFIX.exec(head)?.[0] ?? "k8s:enc:";
}

/**
 * The transformers of one entry, in order: the first one writes; those with the prefix of a stored value read it (CRYPT-3).
 * Several keys may have one prefix; each is tried.
 */
export class Chain {
  readonly #transformers: readonly [Transformer, ...Transformer[]];
  readonly #counts: TransformationCounts;

  constructor(transformers: readonly [Transformer, ...Transformer[]], counts: TransformationCounts) {
    this.#transformers = transformers;
    this.#counts = counts;
  }

  /** Encrypts a value. @throws CipherError */
  encrypt(plain: Bytes, key: string): Buffer {
    const [first] = this.#transformers;
    try {
      const stored = first.encrypt(plain, key);
      this.#counts.count("to_storage", first.provider, true);
      return stored;
    } catch (error) {
      this.#counts.count("to_storage", first.provider, false);
      throw error;
    }
  }

  /** Decrypts a stored value; returns a promise where a plugin has to be called. @throws CipherError, or rejects with it */
  decrypt(stored: Bytes, key: string): Bytes | Promise<Bytes> {
    const able = this.#transformers.filter((transformer) => canRead(transformer, stored));
    const [first] = able;
    if (first === undefined) {
      this.#counts.count("from_storage", "unknown", false);
      throw new CipherError(`no provider and key for values that begin with ${prefixOf(stored)}`);
    }
    // The usual case: one transformer, without a call.
    if (able.length > 1) return this.#tryAll(able, stored, key);
    try {
      const plain = proven(first, first.decrypt(stored, key));
      if (plain instanceof Promise) return this.#counted(plain, first);
      this.#counts.count("from_storage", first.provider, true);
      return plain;
    } catch (error) {
      this.#counts.count("from_storage", first.provider, false);
      throw error;
    }
  }

  /** Whether the first transformer would write a value with another prefix or key now (CRYPT-7). */
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
      this.#counts.count("from_storage", provider, true);
      return value;
    } catch (error) {
      this.#counts.count("from_storage", provider, false);
      throw error;
    }
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Checks that a value without authentication is at least JSON, as all objects are. */
function proven({ unproven }: Transformer, plain: Bytes | Promise<Bytes>): Bytes | Promise<Bytes> {
  if (!unproven || plain instanceof Promise) return plain;
  try {
    JSON.parse(utf8.decode(plain));
    return plain;
  } catch {
    throw wrongKey();
  }
}

const canRead = ({ prefix }: Transformer, stored: Bytes): boolean =>
  prefix.length === 0 ? !isEncrypted(stored) : startsWith(stored, prefix);
