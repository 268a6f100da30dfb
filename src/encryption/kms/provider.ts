/**
 * The provider kms (v2): this server makes a seed, a plugin encrypts it once, and every value is encrypted with a key that is
 * derived from the seed.
 *
 * A write needs no call. A read needs one for each sealed seed that is not in memory. The plugin's status names its current
 * key; for another key a new seed is made. A seed is used for writes until three minutes after the last good status, so that a
 * short outage of the plugin blocks no write (CRYPT-11, CRYPT-12).
 *
 * @module
 */
import { createHash } from "node:crypto";
import type { Bytes } from "../../storage/contract.ts";
import { type Clock, type Random, type Timer } from "../../util/clock.ts";
import { type CurrentSpan, NO_SPAN, type SpanAttributes, inSpan } from "../../util/span.ts";
import type { RandomBytes } from "../random.ts";
import { CipherError, type Transformer } from "../transformer.ts";
import { decodeEnvelope, encodeEnvelope, wrongKeyId, wrongSeed } from "./envelope.ts";
import type { KmsPlugin, PluginStatus, SealedSeed } from "./plugin.ts";
import { SEED, SeedKey } from "./seed-key.ts";
import { errorText } from "../../util/cut-text.ts";

/** The parts of a provider. */
export interface KmsParts {
  readonly name: string;
  readonly plugin: KmsPlugin;
  readonly clock: Clock;
  readonly random: Random;
  readonly bytes: RandomBytes;
  /** The span of which a call of the plugin is a part; none by default. */
  readonly currentSpan?: CurrentSpan | undefined;
  /** Called when the plugin becomes unhealthy, with the reason, and when it is healthy again. */
  readonly onHealthChange?: (wrong: string | undefined) => void;
  /** Called after each good status: values that could not be read may be readable now. */
  readonly onHealthy?: () => void;
}

/** Metrics of a provider, for `/metrics`. */
export interface KmsFigures {
  readonly provider: string;
  readonly keys: readonly SeenKey[];
  /** Status responses without a valid key id. */
  readonly invalidKeyIds: number;
  readonly openedSeeds: number;
}

/** A key that was used for reads or writes, or that a status has named. */
export interface SeenKey {
  readonly how: "from_storage" | "to_storage" | "status";
  /** SHA-256 of its id. */
  readonly hash: string;
  readonly count: number;
  /** The wall time of the last use, in ms. */
  readonly at: number;
}

/** The seed of new values. */
interface Writing {
  readonly key: SeedKey;
  readonly sealed: SealedSeed;
  /** On the steady clock. */
  until: number;
}

const PREFIX = "k8s:enc:kms:v2:";
const STATUS_INTERVAL_MS = 60_000;
const UNHEALTHY_INTERVAL_MS = 10_000;
const WRITES_MS = 180_000;
/** Decrypted seeds in memory: one for each key and start of a server. */
const MAX_SEEDS = 1000;
const VERSIONS: readonly string[] = ["v2", "v2beta1"];
/** What kube-apiserver calls a decryption; here only those that call the plugin have a span. */
const OPENING_SPAN = "TransformFromStorage with envelopeTransformer";

/** See the head of this file. */
export class KmsProvider implements Transformer {
  readonly prefix: Buffer;
  readonly provider = PREFIX;
  readonly name: string;
  readonly #parts: KmsParts;
  readonly #seeds = new Map<string, SeedKey | Promise<SeedKey>>();
  readonly #seen = new Map<string, { -readonly [K in keyof SeenKey]: SeenKey[K] }>();
  #writing: Writing | undefined;
  #wrong: string | undefined = "its status has not been asked yet";
  #isReported = false;
  #version: string | undefined;
  #invalidKeyIds = 0;
  #timer: Timer | undefined;
  #isClosed = false;

  constructor(parts: KmsParts) {
    this.#parts = parts;
    this.name = parts.name;
    this.prefix = Buffer.from(`${PREFIX}${parts.name}:`);
  }

  /** Why the plugin is unhealthy; undefined when it is healthy. */
  get wrong(): string | undefined {
    return this.#wrong;
  }

  /** Calls Status, then every minute, or every ten seconds while the plugin is unhealthy; resolves after the first response. */
  async start(): Promise<void> {
    await this.#check();
    this.#scheduleCheck();
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
    this.#parts.plugin.close();
  }

  encrypt(plain: Bytes, key: string): Buffer {
    const writing = this.#writing;
    if (writing === undefined) throw new CipherError(`the plugin ${this.name} has given no seed: ${this.#wrong ?? ""}`);
    if (this.#parts.clock.steady() > writing.until) {
      throw new CipherError(`the plugin ${this.name} has not been well for three minutes: ${this.#wrong ?? ""}`);
    }
    const text = writing.key.encrypt(plain, key, this.#parts.bytes);
    this.#count("to_storage", writing.sealed.keyId);
    return Buffer.concat([this.prefix, encodeEnvelope({ text, seed: writing.sealed, kind: "seed" })]);
  }

  decrypt(stored: Bytes, key: string): Bytes | Promise<Bytes> {
    const { text, seed, kind } = decodeEnvelope(stored.subarray(this.prefix.length));
    this.#count("from_storage", seed.keyId);
    const id = idOf(kind, seed);
    const known = this.#seeds.get(id);
    if (known instanceof SeedKey) return known.decrypt(text, key);
    const opening = known ?? this.#open(id, kind, seed);
    return opening.then((opened) => opened.decrypt(text, key));
  }

  isOutdated(stored: Bytes): boolean {
    const { seed, kind } = decodeEnvelope(stored.subarray(this.prefix.length));
    return kind !== "seed" || seed.keyId !== this.#writing?.sealed.keyId;
  }

  figures(): KmsFigures {
    return {
      provider: this.name,
      keys: [...this.#seen.values()],
      invalidKeyIds: this.#invalidKeyIds,
      openedSeeds: this.#seeds.size,
    };
  }

  /** Decrypts a seed by the plugin; all values that need it wait for one call. */
  #open(id: string, kind: SeedKey["kind"], seed: SealedSeed): Promise<SeedKey> {
    const { plugin, random, currentSpan = NO_SPAN } = this.#parts;
    const attributes = (): SpanAttributes => ({ "transformer.provider.name": this.name });
    const opening = inSpan(currentSpan(), OPENING_SPAN, attributes, () => plugin.decrypt(seed, random.uuid())).then(
      (secret) => new SeedKey(kind, secret),
      (error: unknown) => {
        throw new CipherError(`the plugin ${this.name} cannot open the seed: ${errorText(error)}`);
      },
    );
    this.#remember(id, opening);
    opening.then(
      (opened) => this.#remember(id, opened),
      () => this.#seeds.delete(id),
    );
    return opening;
  }

  #remember(id: string, seed: SeedKey | Promise<SeedKey>): void {
    this.#seeds.delete(id);
    if (this.#seeds.size >= MAX_SEEDS) this.#seeds.delete(this.#seeds.keys().next().value!);
    this.#seeds.set(id, seed);
  }

  #scheduleCheck(): void {
    if (this.#isClosed) return;
    const millis = this.#wrong === undefined ? STATUS_INTERVAL_MS : UNHEALTHY_INTERVAL_MS;
    const work = (): void => void this.#check().then(() => this.#scheduleCheck());
    this.#timer = this.#parts.clock.after(millis, work, { owner: "status of a KMS plugin", upkeep: true });
  }

  /** Calls Status, and uses its key. */
  async #check(): Promise<void> {
    const { clock, plugin, onHealthChange, onHealthy } = this.#parts;
    // The call counts as part of the three minutes, which are an upper bound.
    const begin = clock.steady();
    let wrong: string | undefined;
    try {
      wrong = await this.#evaluate(await plugin.status(), begin);
    } catch (error) {
      wrong = errorText(error);
    }
    const changed = !this.#isReported ? wrong !== undefined : wrong !== this.#wrong;
    this.#isReported = true;
    this.#wrong = wrong;
    if (this.#isClosed) return;
    if (changed) onHealthChange?.(wrong);
    if (wrong === undefined) onHealthy?.();
  }

  async #evaluate(status: PluginStatus, begin: number): Promise<string | undefined> {
    const { version, healthz, keyId } = status;
    const wrong: string[] = [];
    if (healthz !== "ok") wrong.push(`it says ${JSON.stringify(healthz.slice(0, 200))}`);
    this.#version ??= VERSIONS.includes(version) ? version : undefined;
    if (version !== this.#version)
      wrong.push(`expected version ${this.#version ?? "v2"}, got ${JSON.stringify(version)}`);
    const wrongId = wrongKeyId(keyId);
    if (wrongId !== undefined) {
      this.#invalidKeyIds++;
      wrong.push(wrongId);
    } else {
      this.#count("status", keyId);
      const refused = await this.#useKey(keyId, begin);
      if (refused !== undefined) wrong.push(refused);
    }
    return wrong.length === 0 ? undefined : wrong.join("; ");
  }

  /** Makes a seed for a key, unless writes use it already; the previous seed is used until the new one is sealed. */
  async #useKey(keyId: string, begin: number): Promise<string | undefined> {
    const until = begin + WRITES_MS;
    if (this.#writing?.sealed.keyId === keyId) {
      this.#writing.until = until;
      return undefined;
    }
    const { plugin, random, bytes } = this.#parts;
    const seed = bytes(SEED);
    const sealed = await plugin.encrypt(seed, random.uuid());
    const wrong = wrongSeed(sealed);
    if (wrong !== undefined) return wrong;
    if (sealed.keyId !== keyId) return "its status names another key than the one that it encrypts with";
    const key = new SeedKey("seed", seed);
    this.#remember(idOf("seed", sealed), key);
    this.#writing = { key, sealed, until };
    return undefined;
  }

  #count(how: SeenKey["how"], keyId: string): void {
    const id = `${how} ${keyId}`;
    const known = this.#seen.get(id);
    const at = this.#parts.clock.now();
    if (known) {
      known.at = at;
      known.count++;
      return;
    }
    if (this.#seen.size >= MAX_SEEDS) this.#seen.clear();
    this.#seen.set(id, { how, hash: `sha256:${createHash("sha256").update(keyId).digest("hex")}`, count: 1, at });
  }
}

/** The identity of a sealed seed: everything that the plugin needs to decrypt it. */
function idOf(kind: string, { keyId, ciphertext, annotations }: SealedSeed): string {
  const bytes = Buffer.from(ciphertext.buffer, ciphertext.byteOffset, ciphertext.byteLength);
  const id = `${kind}\n${JSON.stringify(keyId)}\n${bytes.toString("latin1")}`;
  if (annotations.size === 0) return id;
  const more = [...annotations].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `${id}\n${JSON.stringify(more.map(([name, value]) => [name, Buffer.from(value).toString("base64")]))}`;
}
