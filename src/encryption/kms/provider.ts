/**
 * The provider kms (v2): this server makes a seed, lets a plugin seal it once, and encrypts every value with a key derived from it.
 *
 * Writing needs no call: the seed is there. Reading needs one for each sealed seed that has not been seen. The plugin's
 * status says which key it uses now; with another one a new seed is made. A seed serves writes for three minutes after the
 * last good status, so that a plugin that is gone for a moment stops nobody (CRYPT-11, CRYPT-12).
 *
 * @module
 */
import { createHash } from "node:crypto";
import type { Bytes } from "../../storage/contract.ts";
import { type Clock, type Random, type Timer } from "../../util/clock.ts";
import type { RandomBytes } from "../random.ts";
import { CipherError, type Transformer } from "../transformer.ts";
import { decodeEnvelope, encodeEnvelope, wrongKeyId, wrongSeed } from "./envelope.ts";
import type { KmsPlugin, PluginStatus, SealedSeed } from "./plugin.ts";
import { SEED, SeedKey } from "./seed-key.ts";
import { errorText } from "../../util/cut-text.ts";

/** What a provider is made of. */
export interface KmsParts {
  readonly name: string;
  readonly plugin: KmsPlugin;
  readonly clock: Clock;
  readonly random: Random;
  readonly bytes: RandomBytes;
  /** Told when the plugin becomes unwell, and when it is well again. */
  readonly told?: (wrong: string | undefined) => void;
  /** Told with every answer of a plugin that is well: what could not be read may be readable now. */
  readonly well?: () => void;
}

/** Figures of a provider, for `/metrics`. */
export interface KmsFigures {
  readonly provider: string;
  readonly keys: readonly SeenKey[];
  /** Status answers without a key id that can be used. */
  readonly invalidKeyIds: number;
  readonly openedSeeds: number;
}

/** A key that values were read or written with, or that a status has named. */
export interface SeenKey {
  readonly how: "from_storage" | "to_storage" | "status";
  /** SHA-256 of its id. */
  readonly hash: string;
  readonly count: number;
  /** The wall time of the last time, in ms. */
  readonly at: number;
}

/** A seed that writes. */
interface Writing {
  readonly key: SeedKey;
  readonly sealed: SealedSeed;
  /** On the steady clock. */
  until: number;
}

const PREFIX = "k8s:enc:kms:v2:";
const STATUS_MS = 60_000;
const UNWELL_MS = 10_000;
const WRITES_MS = 180_000;
/** Opened seeds that are remembered: one for each key and start of a server. */
const MOST_SEEDS = 1000;
const VERSIONS: readonly string[] = ["v2", "v2beta1"];

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
  #isTold = false;
  #version: string | undefined;
  #invalidKeyIds = 0;
  #timer: Timer | undefined;
  #isClosed = false;

  constructor(parts: KmsParts) {
    this.#parts = parts;
    this.name = parts.name;
    this.prefix = Buffer.from(`${PREFIX}${parts.name}:`);
  }

  /** What is wrong with the plugin; undefined when it is well. */
  get wrong(): string | undefined {
    return this.#wrong;
  }

  /** Asks for the status, and again every minute, or every ten seconds while the plugin is unwell; resolves after the first answer. */
  async start(): Promise<void> {
    await this.#check();
    this.#again();
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
    this.#saw("to_storage", writing.sealed.keyId);
    return Buffer.concat([this.prefix, encodeEnvelope({ text, seed: writing.sealed, kind: "seed" })]);
  }

  decrypt(stored: Bytes, key: string): Bytes | Promise<Bytes> {
    const { text, seed, kind } = decodeEnvelope(stored.subarray(this.prefix.length));
    this.#saw("from_storage", seed.keyId);
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

  /** Lets the plugin open a seed; all who need it wait for the one call. */
  #open(id: string, kind: SeedKey["kind"], seed: SealedSeed): Promise<SeedKey> {
    const { plugin, random } = this.#parts;
    const opening = plugin.decrypt(seed, random.uuid()).then(
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
    if (this.#seeds.size >= MOST_SEEDS) this.#seeds.delete(this.#seeds.keys().next().value!);
    this.#seeds.set(id, seed);
  }

  #again(): void {
    if (this.#isClosed) return;
    const millis = this.#wrong === undefined ? STATUS_MS : UNWELL_MS;
    const work = (): void => void this.#check().then(() => this.#again());
    this.#timer = this.#parts.clock.after(millis, work, { owner: "status of a KMS plugin", upkeep: true });
  }

  /** Asks the plugin how it is, and takes on its key. */
  async #check(): Promise<void> {
    const { clock, plugin, told, well } = this.#parts;
    // The call counts as part of the three minutes, which are an upper bound.
    const asked = clock.steady();
    let wrong: string | undefined;
    try {
      wrong = await this.#judge(await plugin.status(), asked);
    } catch (error) {
      wrong = errorText(error);
    }
    const changed = !this.#isTold ? wrong !== undefined : wrong !== this.#wrong;
    this.#isTold = true;
    this.#wrong = wrong;
    if (this.#isClosed) return;
    if (changed) told?.(wrong);
    if (wrong === undefined) well?.();
  }

  async #judge(status: PluginStatus, asked: number): Promise<string | undefined> {
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
      this.#saw("status", keyId);
      const refused = await this.#useKey(keyId, asked);
      if (refused !== undefined) wrong.push(refused);
    }
    return wrong.length === 0 ? undefined : wrong.join("; ");
  }

  /** Sees to it that what is written is sealed by a key; what was there before stays until it has been done. */
  async #useKey(keyId: string, asked: number): Promise<string | undefined> {
    const until = asked + WRITES_MS;
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

  #saw(how: SeenKey["how"], keyId: string): void {
    const id = `${how} ${keyId}`;
    const known = this.#seen.get(id);
    const at = this.#parts.clock.now();
    if (known) {
      known.at = at;
      known.count++;
      return;
    }
    if (this.#seen.size >= MOST_SEEDS) this.#seen.clear();
    this.#seen.set(id, { how, hash: `sha256:${createHash("sha256").update(keyId).digest("hex")}`, count: 1, at });
  }
}

/** Names a sealed seed: everything that the plugin is given to open it. */
function idOf(kind: string, { keyId, ciphertext, annotations }: SealedSeed): string {
  const bytes = Buffer.from(ciphertext.buffer, ciphertext.byteOffset, ciphertext.byteLength);
  const id = `${kind}\n${JSON.stringify(keyId)}\n${bytes.toString("latin1")}`;
  if (annotations.size === 0) return id;
  const more = [...annotations].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `${id}\n${JSON.stringify(more.map(([name, value]) => [name, Buffer.from(value).toString("base64")]))}`;
}
