/**
 * Encryption at rest as a server has it: the file that says with which keys, plugins on their sockets, and the store that
 * encrypts. See docs/guides/encryption.md.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import {
  ConfigurationError,
  type EncryptionConfiguration,
  encryptionConfigurationOf,
} from "../../encryption/configuration.ts";
import { KmsProvider } from "../../encryption/kms/provider.ts";
import { resourceAt } from "../../encryption/patterns.ts";
import { systemBytes } from "../../encryption/random.ts";
import { Rules } from "../../encryption/rules.ts";
import { EncryptedStore } from "../../encryption/store.ts";
import { TransformationCounts } from "../../encryption/transformation-counts.ts";
import type { Dialect } from "../../meta/dialect.ts";
import type { HealthCheck } from "../../server/index.ts";
import type { Bytes, Store } from "../../storage/contract.ts";
import type { Clock, Random } from "../../util/clock.ts";
import type { Collector } from "../../util/exposition.ts";
import type { Log } from "../../util/log.ts";
import { fileError } from "../../util/file-error.ts";
import { decodeYaml } from "../../value/yaml.ts";
import { encryptionMetrics } from "./encryption-metrics.ts";
import { SocketPlugin } from "./kms-plugin.ts";
import { OptionError } from "../options/options.ts";
import { PluginTimes } from "./plugin-times.ts";
import { NotYet, WatchedFile, hashOf } from "../files/watched-file.ts";

/** What encryption is made of. */
export interface EncryptionParts {
  readonly file: string;
  /** Whether the file is read again when it changes. */
  readonly reload: boolean;
  /** Read when a resource is met for the first time. */
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** What was made of one version of the file. */
interface Loaded {
  readonly rules: Rules;
  readonly plugins: readonly KmsProvider[];
  /** SHA-256 of the file. */
  readonly hash: string;
  /** The timeouts of all plugins together, in ms. */
  readonly millis: number;
}

/** How often the file is looked at; a change counts within a minute (CRYPT-13). */
const LOOK_MS = 30_000;
const WHAT = "encryption configuration";

/** See the head of this file. */
export class Encryption implements Disposable {
  readonly #parts: EncryptionParts;
  readonly #counts = new TransformationCounts();
  readonly #times = new PluginTimes();
  /** Follows the file, where that is asked for. */
  readonly #watched: WatchedFile | undefined;
  #loaded: Loaded;
  #store: EncryptedStore | undefined;
  /** Told when what could not be read may be readable. */
  #readable = (): void => {};
  #isClosed = false;

  private constructor(parts: EncryptionParts) {
    this.#parts = parts;
    const { file, reload, clock, log } = parts;
    const text = read(file);
    this.#loaded = this.#load(text);
    const use = (changed: Buffer): Promise<void> => this.#change(changed);
    if (reload) this.#watched = new WatchedFile({ file, what: WHAT, text, lookMs: LOOK_MS, clock, log, use });
  }

  /**
   * Reads the file and asks every plugin how it is; one that is unwell is asked on.
   *
   * @throws OptionError with every mistake in the file
   */
  static async open(parts: EncryptionParts): Promise<Encryption> {
    const encryption = new Encryption(parts);
    await Promise.all(encryption.#loaded.plugins.map((plugin) => plugin.start()));
    return encryption;
  }

  /** The store over another one; there is one for all of a server. */
  over(store: Store): EncryptedStore {
    return (this.#store ??= new EncryptedStore(store, this.#loaded.rules, this.#parts.clock.loop));
  }

  /** Says who is told when what could not be read may be readable: there are other keys, or a plugin that is well. */
  whenReadable(told: () => void): void {
    this.#readable = told;
  }

  /** Whether the plugins are well, under the name that kube-apiserver gives it. */
  get health(): readonly HealthCheck[] {
    if (this.#loaded.plugins.length === 0 && !this.#parts.reload) return [];
    return [{ name: "kms-providers", check: () => this.wrong }];
  }

  /** What is wrong with the plugins; undefined while all are well. */
  get wrong(): string | undefined {
    return wrongIn(this.#loaded.plugins);
  }

  get metrics(): Collector {
    return () =>
      encryptionMetrics({
        counts: this.#counts,
        plugins: this.#loaded.plugins.map((plugin) => plugin.figures()),
        times: this.#times,
        reloads: this.#watched?.reloads,
        hash: this.#loaded.hash,
      });
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#watched?.[Symbol.dispose]();
    close(this.#loaded.plugins);
  }

  /** Why a record cannot be read, and which file would have to say how. */
  async explain(key: string, stored: Bytes): Promise<{ readonly file: string; readonly why: string | undefined }> {
    return { file: this.#parts.file, why: await this.#loaded.rules.explain(key, stored) };
  }

  /** Looks at the file now; a change is used when all of its plugins are well. */
  async look(): Promise<void> {
    await this.#watched?.look();
  }

  async #change(text: Buffer): Promise<void> {
    const next = this.#load(text);
    await Promise.all(next.plugins.map((plugin) => plugin.start()));
    const wrong = wrongIn(next.plugins);
    if (wrong === undefined && !this.#isClosed) return this.#use(next);
    close(next.plugins);
    throw new NotYet(wrong ?? "the server stops");
  }

  #use(next: Loaded): void {
    const before = this.#loaded;
    this.#loaded = next;
    this.#store?.use(next.rules);
    this.#readable();
    // Reads that have begun may still ask the plugins of before.
    this.#parts.clock.after(2 * before.millis, () => close(before.plugins));
  }

  #load(text: Buffer): Loaded {
    const { file, clock, random, log } = this.#parts;
    const plugins: KmsProvider[] = [];
    const configuration = configurationIn(text, file);
    let millis = 0;
    const rules = new Rules(configuration, {
      random: systemBytes,
      counts: this.#counts,
      resourceAt: (prefix) => resourceAt(prefix, `events.${this.#parts.dialect.domain}`),
      kms: (settings) => {
        const { name } = settings;
        millis += settings.timeoutMillis;
        const plugin = new SocketPlugin(settings, clock, (...call) => this.#times.add(name, ...call));
        const told = (wrong: string | undefined): void => {
          if (wrong === undefined) log.info("the KMS plugin is well", { plugin: name });
          else log.error("the KMS plugin is not well", { plugin: name, wrong });
        };
        const well = (): void => this.#readable();
        const provider = new KmsProvider({
          name,
          plugin,
          clock,
          random,
          bytes: systemBytes,
          onHealthChange: told,
          onHealthy: well,
        });
        plugins.push(provider);
        return provider;
      },
    });
    return { rules, plugins, hash: hashOf(text), millis };
  }
}

const close = (plugins: readonly KmsProvider[]): void => plugins.forEach((plugin) => plugin.close());

function wrongIn(plugins: readonly KmsProvider[]): string | undefined {
  const wrong = plugins.flatMap((plugin) => (plugin.wrong === undefined ? [] : [`${plugin.name}: ${plugin.wrong}`]));
  return wrong.length === 0 ? undefined : wrong.join("; ");
}

function read(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new OptionError(fileError(file, "readable", error).message);
  }
}

function configurationIn(text: Buffer, file: string): EncryptionConfiguration {
  let decoded: ReturnType<typeof decodeYaml>;
  try {
    decoded = decodeYaml(text);
  } catch {
    // What is wrong with it is not told: a message of a parser may quote a key.
    throw new OptionError(`expected ${file} to be YAML or JSON`);
  }
  const { value, duplicates } = decoded;
  if (duplicates.length > 0)
    throw new OptionError(`expected each field of ${file} once, got ${duplicates.join(", ")} again`);
  try {
    return encryptionConfigurationOf(value);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const { mistakes } = error;
    throw new OptionError(
      `expected ${file} to be an encryption configuration:\n${mistakes.map((m) => `  ${m}`).join("\n")}`,
    );
  }
}
