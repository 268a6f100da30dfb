import type { Bytes } from "../storage/contract.ts";
import { flatCopy } from "../util/flat-copy.ts";
import { aesCbc } from "./aes-cbc.ts";
import { aesGcm } from "./aes-gcm.ts";
import { Chain } from "./chain.ts";
import type { EncryptionConfiguration, EncryptionEntry, KmsSettings, Provider } from "./configuration.ts";
import { identity } from "./identity.ts";
import { type Pattern, covers } from "./patterns.ts";
import type { RandomBytes } from "./random.ts";
import { secretbox } from "./secretbox.ts";
import type { TransformationCounts } from "./transformation-counts.ts";
import { type Transformer, isEncrypted } from "./transformer.ts";
import { messageOf } from "../util/error.ts";

/** The parts of rules. */
export interface RuleParts {
  readonly random: RandomBytes;
  /** Keeps its counts when rules are replaced. */
  readonly counts: TransformationCounts;
  /** The transformer of a plugin. */
  readonly kms: (settings: KmsSettings) => Transformer;
  /** The resource of a store prefix, as a configuration names it. */
  readonly resourceAt: (prefix: string) => Pattern | undefined;
}

/** Finds the chain of a key. */
export class Rules {
  readonly #entries: readonly { readonly resources: readonly Pattern[]; readonly chain: Chain }[];
  readonly #resourceAt: RuleParts["resourceAt"];
  /** By resource prefix. */
  readonly #chains = new Map<string, Chain | undefined>();

  constructor(configuration: EncryptionConfiguration, parts: RuleParts) {
    this.#resourceAt = parts.resourceAt;
    this.#entries = configuration.entries.map((entry) => ({
      resources: entry.resources,
      chain: new Chain(transformersOf(entry, parts), parts.counts),
    }));
  }

  /** The chain of a store key; undefined for a value that is stored as it is. */
  of(key: string): Chain | undefined {
    const end = key.indexOf("/", key.indexOf("/", 1) + 1) + 1;
    const prefix = key.slice(0, end);
    if (this.#chains.has(prefix)) return this.#chains.get(prefix);
    const chain = this.#find(prefix);
    if (this.#chains.size >= MAX_PREFIXES) this.#chains.clear();
    this.#chains.set(flatCopy(prefix), chain);
    return chain;
  }

  /** Why a stored value cannot be read; undefined when it can. */
  async explain(key: string, stored: Bytes): Promise<string | undefined> {
    const chain = this.of(key);
    if (chain === undefined)
      return isEncrypted(stored) ? "it is encrypted, and no entry covers its resource" : undefined;
    try {
      await chain.decrypt(stored, key);
      return undefined;
    } catch (error) {
      return messageOf(error);
    }
  }

  #find(prefix: string): Chain | undefined {
    const resource = this.#resourceAt(prefix);
    if (resource === undefined) return undefined;
    return this.#entries.find(({ resources }) => resources.some((pattern) => covers(pattern, resource)))?.chain;
  }
}

/** Bounds the prefixes in memory: custom resources come and go. */
const MAX_PREFIXES = 4096;

/** The transformers of an entry, in order; a valid configuration has at least one. */
function transformersOf({ providers }: EncryptionEntry, parts: RuleParts): readonly [Transformer, ...Transformer[]] {
  return providers.flatMap((provider) => keysOf(provider, parts)) as unknown as [Transformer, ...Transformer[]];
}

const FACTORIES = { aescbc: aesCbc, aesgcm: aesGcm, secretbox };

function keysOf(provider: Provider, { random, kms }: RuleParts): Transformer[] {
  if (provider.type === "identity") return [identity];
  if (provider.type === "kms") return [kms(provider)];
  const family = `k8s:enc:${provider.type}:v1:`;
  return provider.keys.map(({ name, secret }) => FACTORIES[provider.type](`${family}${name}:`, family, secret, random));
}
