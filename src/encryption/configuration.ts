/**
 * `EncryptionConfiguration` of `apiserver.config.k8s.io/v1`: the file that names the encrypted resources and the keys.
 *
 * Decoding is strict: an unknown field is a mistake, and all mistakes are reported together, with their paths. Messages never
 * contain a `secret` (CRYPT-1, CRYPT-2).
 *
 * @module
 */
import { parseDuration } from "../util/duration.ts";
import { type Value, type ValueObject, isObject } from "../value/value.ts";
import { type Pattern, checkPatterns, isMasked, patternOf } from "./patterns.ts";

/** The entries of a file; the first one that covers a resource applies. */
export interface EncryptionConfiguration {
  readonly entries: readonly EncryptionEntry[];
}

/** One entry: resources and their providers. */
export interface EncryptionEntry {
  readonly resources: readonly Pattern[];
  /** The first one writes, all of them read. */
  readonly providers: readonly Provider[];
}

/** A provider with its keys, or the plugin that holds them. */
export type Provider =
  | { readonly type: "identity" }
  | { readonly type: "aescbc" | "aesgcm" | "secretbox"; readonly keys: readonly NamedKey[] }
  | KmsSettings;

/** A key, and its name in stored values. */
export interface NamedKey {
  readonly name: string;
  readonly secret: Buffer;
}

/** A plugin and its socket. */
export interface KmsSettings {
  readonly type: "kms";
  readonly name: string;
  /** The path of its unix socket. */
  readonly socket: string;
  /** Timeout of one call. */
  readonly timeoutMillis: number;
}

/** All mistakes of a file; the message has a line for each. */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
  readonly mistakes: readonly string[];

  constructor(mistakes: readonly string[]) {
    super(mistakes.join("\n"));
    this.mistakes = mistakes;
  }
}

const API_VERSION = "apiserver.config.k8s.io/v1";
const KIND = "EncryptionConfiguration";
const KEY_SIZES = { aescbc: [16, 24, 32], aesgcm: [16, 24, 32], secretbox: [32] } as const;
const PROVIDERS = ["aescbc", "aesgcm", "secretbox", "identity", "kms"] as const;
/** As in kube-apiserver. */
const KMS_TIMEOUT_MS = 3000;

/** Decodes the content of a file. @throws ConfigurationError with every mistake */
export function encryptionConfigurationOf(content: Value): EncryptionConfiguration {
  const reader = new Reader();
  const configuration = reader.configuration(content);
  if (reader.mistakes.length > 0) throw new ConfigurationError(reader.mistakes);
  return configuration;
}

/** Decodes on after a mistake, to find the next ones. */
class Reader {
  readonly mistakes: string[] = [];
  readonly #plugins = new Set<string>();

  configuration(content: Value): EncryptionConfiguration {
    const object = this.#object(content, "", ["apiVersion", "kind", "resources"]);
    if (object["apiVersion"] !== API_VERSION) this.#expected("apiVersion", API_VERSION, object["apiVersion"]);
    if (object["kind"] !== KIND) this.#expected("kind", KIND, object["kind"]);
    const earlier: Pattern[] = [];
    const entries = this.#list(object["resources"], "resources").map((entry, i) => {
      const read = this.#entry(entry, `resources[${i}]`, earlier);
      earlier.push(...read.resources);
      return read;
    });
    return { entries };
  }

  #entry(content: Value, at: string, earlier: readonly Pattern[]): EncryptionEntry {
    const object = this.#object(content, at, ["resources", "providers"]);
    const names = this.#list(object["resources"], `${at}.resources`);
    const texts = names.map((name, i) => this.#text(name, `${at}.resources[${i}]`));
    this.mistakes.push(...checkPatterns(texts, `${at}.resources`));
    const resources = texts.map(patternOf);
    for (const [i, pattern] of resources.entries()) {
      const mask = isMasked(pattern, earlier);
      if (mask) this.mistakes.push(`${at}.resources[${i}]: ${texts[i]} is covered by an earlier entry already`);
    }
    const providers = this.#list(object["providers"], `${at}.providers`);
    return { resources, providers: providers.map((provider, i) => this.#provider(provider, `${at}.providers[${i}]`)) };
  }

  #provider(content: Value, at: string): Provider {
    const object = this.#object(content, at, PROVIDERS);
    const present = PROVIDERS.filter((name) => object[name] !== undefined && object[name] !== null);
    const [type] = present;
    if (type === undefined || present.length > 1) {
      this.#expected(at, `exactly one of ${PROVIDERS.join(", ")}`, present.length === 0 ? "none" : present.join(", "));
      return { type: "identity" };
    }
    if (type === "kms") return this.#kms(object[type]!, `${at}.kms`);
    if (type !== "identity") return { type, keys: this.#keys(object[type]!, `${at}.${type}`, KEY_SIZES[type]) };
    this.#object(object[type], `${at}.identity`, []);
    return { type };
  }

  #keys(content: Value, at: string, sizes: readonly number[]): NamedKey[] {
    const object = this.#object(content, at, ["keys"]);
    return this.#list(object["keys"], `${at}.keys`).map((key, i) => this.#key(key, `${at}.keys[${i}]`, sizes));
  }

  #key(content: Value, at: string, sizes: readonly number[]): NamedKey {
    const object = this.#object(content, at, ["name", "secret"]);
    const name = this.#text(object["name"], `${at}.name`);
    const text = typeof object["secret"] === "string" ? object["secret"] : "";
    const secret = Buffer.from(text, "base64");
    const expected = `${at}.secret: expected base64 of ${sizes.join(", ").replace(/, (\d+)$/, " or $1")} bytes`;
    if (text === "") this.mistakes.push(`${expected}, got none`);
    // The decoder ignores invalid characters, so compare with the encoded form.
    else if (secret.toString("base64") !== text.replaceAll(/[\r\n]/g, ""))
      this.mistakes.push(`${expected}, got no base64`);
    else if (!sizes.includes(secret.length)) this.mistakes.push(`${expected}, got ${secret.length}`);
    return { name, secret };
  }

  #kms(content: Value, at: string): KmsSettings {
    const object = this.#object(content, at, ["apiVersion", "name", "endpoint", "timeout", "cachesize"]);
    const version = object["apiVersion"] ?? "v1";
    if (version !== "v2") this.#expected(`${at}.apiVersion`, "v2 (v1 asks the plugin for every write)", version);
    if (object["cachesize"] !== undefined) this.#expected(`${at}.cachesize`, "left out with v2", object["cachesize"]);
    const name = this.#text(object["name"], `${at}.name`);
    if (name.includes(":")) this.#expected(`${at}.name`, "a name without a colon", name);
    if (this.#plugins.has(name)) this.#expected(`${at}.name`, "a name that no other plugin has", name);
    this.#plugins.add(name);
    return {
      type: "kms",
      name,
      socket: this.#socket(object["endpoint"], `${at}.endpoint`),
      ...this.#timeout(object, at),
    };
  }

  #socket(content: Value | undefined, at: string): string {
    const text = this.#text(content, at);
    // `unix:///run/kms.sock` and `unix:/run/kms.sock`; `@` begins the name of an abstract socket of Linux.
    const path = /^unix:(?:\/\/)?(\/.+|@.+)$/s.exec(text)?.[1];
    if (path === undefined && text !== "") this.#expected(at, "a socket such as unix:///run/kms.sock", text);
    return path?.startsWith("/@") || path?.startsWith("@") ? `\0${path.slice(path.indexOf("@") + 1)}` : (path ?? "");
  }

  #timeout(object: ValueObject, at: string): { timeoutMillis: number } {
    const { timeout } = object;
    if (timeout === undefined || timeout === null) return { timeoutMillis: KMS_TIMEOUT_MS };
    const millis = typeof timeout === "string" ? parseDuration(timeout) : undefined;
    if (millis === undefined || millis <= 0) this.#expected(`${at}.timeout`, "a duration such as 3s", timeout);
    return { timeoutMillis: millis ?? KMS_TIMEOUT_MS };
  }

  /** An object with these members only; an empty one for any other value. */
  #object(content: Value | undefined, at: string, members: readonly string[]): ValueObject {
    if (!isObject(content)) {
      this.#expected(at || "the file", "an object", kindOf(content));
      return {};
    }
    for (const name of Object.keys(content)) {
      if (!members.includes(name)) this.mistakes.push(`${at === "" ? "" : `${at}.`}${name}: unknown field`);
    }
    return content;
  }

  #list(content: Value | undefined, at: string): readonly Value[] {
    if (Array.isArray(content) && content.length > 0) return content;
    this.#expected(at, "a list of at least one", kindOf(content));
    return [];
  }

  #text(content: Value | undefined, at: string): string {
    if (typeof content === "string" && content !== "") return content;
    this.#expected(at, "a text that is not empty", content);
    return "";
  }

  #expected(at: string, expected: string, got: Value | undefined): void {
    const found = typeof got === "object" || got === undefined || got === "" ? kindOf(got) : String(got).slice(0, 200);
    this.mistakes.push(`${at}: expected ${expected}, got ${found}`);
  }
}

/** The type of a value, without its content, which may be a secret. */
function kindOf(value: Value | undefined): string {
  if (value === undefined || value === null || value === "") return "none";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  return isObject(value) ? "an object" : `a ${typeof value === "string" ? "text" : typeof value}`;
}
