/**
 * Encryption at rest of a server: the configuration file, the KMS plugins on their sockets, and the store that encrypts. See
 * docs/guides/encryption.md.
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
import type { Collector } from "../../util/exposition.ts";
import { fileError } from "../../util/file-error.ts";
import { decodeYaml } from "../../value/yaml.ts";
import { encryptionMetrics } from "./encryption-metrics.ts";
import { SocketPlugin } from "./kms-plugin.ts";
import { OptionError } from "../options/options.ts";
import type { TracedSystemParts } from "../process/system-parts.ts";
import { PluginTimes } from "./plugin-times.ts";
import { RetryLater, WatchedFile, hashOf } from "../files/watched-file.ts";

/** What encryption is built from. */
export interface EncryptionParts extends TracedSystemParts {
  readonly file: string;
  /** Whether the file is read again when it changes. */
  readonly reload: boolean;
  /** Read with the first record of a resource. */
  readonly dialect: Dialect;
}

/** The rules and plugins of one version of the file. */
interface Loaded {
  readonly rules: Rules;
  readonly plugins: readonly KmsProvider[];
  /** SHA-256 of the file. */
  readonly hash: string;
  /** The sum of the timeouts of all plugins. */
  readonly timeoutMillis: number;
}

/** A change takes effect within a minute (CRYPT-13). */
const POLL_INTERVAL_MS = 30_000;
const WHAT = "encryption configuration";

/** The encryption of a server; its file is watched until it is disposed of. */
export class Encryption implements Disposable {
  readonly #parts: EncryptionParts;
  readonly #counts = new TransformationCounts();
  readonly #times = new PluginTimes();
  /** Undefined without `reload`. */
  readonly #watched: WatchedFile | undefined;
  #loaded: Loaded;
  #store: EncryptedStore | undefined;
  #onReadable = (): void => {};
  #isClosed = false;

  private constructor(parts: EncryptionParts) {
    this.#parts = parts;
    const { file, reload, clock, log } = parts;
    const text = read(file);
    this.#loaded = this.#load(text);
    const use = (changed: Buffer): Promise<void> => this.#change(changed);
    if (reload)
      this.#watched = new WatchedFile({ file, what: WHAT, text, intervalMs: POLL_INTERVAL_MS, clock, log, use });
  }

  /**
   * Reads the file and the status of every plugin; a plugin that is not healthy is polled.
   *
   * @throws OptionError with every error in the file
   */
  static async open(parts: EncryptionParts): Promise<Encryption> {
    const encryption = new Encryption(parts);
    await Promise.all(encryption.#loaded.plugins.map((plugin) => plugin.start()));
    return encryption;
  }

  /** Returns the store that encrypts in front of another one; a server has one. */
  over(store: Store): EncryptedStore {
    return (this.#store ??= new EncryptedStore(store, this.#loaded.rules, this.#parts.clock.loop));
  }

  /** Sets the observer that is notified when unreadable records may be readable: keys changed, or a plugin became healthy. */
  whenReadable(onReadable: () => void): void {
    this.#onReadable = onReadable;
  }

  /** The health check of the plugins, with the name of kube-apiserver. */
  get health(): readonly HealthCheck[] {
    if (this.#loaded.plugins.length === 0 && !this.#parts.reload) return [];
    return [{ name: "kms-providers", check: () => this.wrong }];
  }

  /** The errors of the plugins; undefined while all are healthy. */
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

  /** Explains why a record cannot be read, with the file whose keys it needs. */
  async explain(key: string, stored: Bytes): Promise<{ readonly file: string; readonly why: string | undefined }> {
    return { file: this.#parts.file, why: await this.#loaded.rules.explain(key, stored) };
  }

  /** Checks the file now; a change is used if all of its plugins are healthy. */
  async checkFile(): Promise<void> {
    await this.#watched?.check();
  }

  async #change(text: Buffer): Promise<void> {
    const next = this.#load(text);
    await Promise.all(next.plugins.map((plugin) => plugin.start()));
    const wrong = wrongIn(next.plugins);
    if (wrong === undefined && !this.#isClosed) return this.#use(next);
    close(next.plugins);
    throw new RetryLater(wrong ?? "the server stops");
  }

  #use(next: Loaded): void {
    const before = this.#loaded;
    this.#loaded = next;
    this.#store?.use(next.rules);
    this.#onReadable();
    // Running reads may still call the previous plugins.
    this.#parts.clock.after(2 * before.timeoutMillis, () => close(before.plugins));
  }

  #load(text: Buffer): Loaded {
    const { file, clock, random, log, currentSpan } = this.#parts;
    const plugins: KmsProvider[] = [];
    const configuration = configurationIn(text, file);
    let timeoutMillis = 0;
    const rules = new Rules(configuration, {
      random: systemBytes,
      counts: this.#counts,
      resourceAt: (prefix) => resourceAt(prefix, `events.${this.#parts.dialect.domain}`),
      kms: (settings) => {
        const { name } = settings;
        timeoutMillis += settings.timeoutMillis;
        const plugin = new SocketPlugin(settings, clock, (...call) => this.#times.add(name, ...call));
        const onHealthChange = (wrong: string | undefined): void => {
          if (wrong === undefined) log.info("the KMS plugin is healthy", { plugin: name });
          else log.error("the KMS plugin is not healthy", { plugin: name, wrong });
        };
        const provider = new KmsProvider({
          currentSpan,
          name,
          plugin,
          clock,
          random,
          bytes: systemBytes,
          onHealthChange,
          onHealthy: () => this.#onReadable(),
        });
        plugins.push(provider);
        return provider;
      },
    });
    return { rules, plugins, hash: hashOf(text), timeoutMillis };
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
    // The message of the parser is left out: it may quote a key.
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
