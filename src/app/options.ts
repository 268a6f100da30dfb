/**
 * The options of a server: one table, read from flags, environment and a file, in that order of precedence, or given by
 * a program.
 *
 * A key is the same everywhere: `--event-ttl 2h`, `KEELSON_EVENT_TTL=2h`, and `event-ttl: 2h` in the file. An unknown
 * key is an error that names the nearest one.
 *
 * @module
 */
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { type Dialect, dialectOf, kubernetes, neutral } from "../meta/dialect.ts";
import { GATES, type Gate } from "../meta/gates.ts";
import { asJsonNumber } from "../value/value.ts";

/** Everything that can be set for a server; checked, complete, frozen. */
export interface ServeOptions {
  /** An absolute path; empty when nothing is kept and none was given. */
  readonly dataDir: string;
  readonly port: number;
  readonly bind: string;
  /** Undefined by default: that of the data directory, neutral for a new one. */
  readonly dialect: Dialect | undefined;
  readonly featureGates: Readonly<Partial<Record<Gate, boolean>>>;
  readonly store: "sqlite" | "memory" | "etcd";
  /** Set for the store `etcd` alone. */
  readonly etcd: EtcdOptions | undefined;
  /** Names of controllers, `*` for all, `-name` for all but that. */
  readonly controllers: readonly string[];
  readonly eventTtlMillis: number;
  readonly historyMillis: number;
  readonly graceMillis: number;
  /** How long a request may take; watches and backups have no such end. */
  readonly requestMillis: number;
  /** Fewer where the limit of open files leaves no room for so many. */
  readonly maxConnections: number;
  /** Undefined: nine of ten. */
  readonly maxConnectionsPerAddress: number | undefined;
  readonly dev: boolean;
  readonly insecureHttp: boolean;
  readonly logLevel: LogLevel;
  /** Names and addresses that the serving certificate is good for, beside the usual ones. */
  readonly tlsSans: readonly string[];
}

/** Where the store `etcd` is, and how it is reached. */
export interface EtcdOptions {
  /** `https://host:2379`, at least one. */
  readonly servers: readonly string[];
  readonly prefix: string;
  /** Files in PEM; empty when not given. */
  readonly caFile: string;
  readonly certFile: string;
  readonly keyFile: string;
}

/** How much is logged. */
export type LogLevel = "error" | "warn" | "info" | "debug";

/** The key of an option in flags, files and programs. */
export type OptionKey =
  | "data-dir"
  | "port"
  | "bind"
  | "dialect"
  | "feature-gates"
  | "store"
  | "etcd-servers"
  | "etcd-cacert"
  | "etcd-cert"
  | "etcd-key"
  | "etcd-prefix"
  | "controllers"
  | "event-ttl"
  | "history"
  | "shutdown-grace"
  | "request-timeout"
  | "max-connections"
  | "max-connections-per-address"
  | "tls-san"
  | "log-level"
  | "dev"
  | "insecure-http";

/** One option as the table describes it. */
export interface OptionSpec {
  readonly key: OptionKey;
  /** What the value looks like in help; empty for switches. */
  readonly value: string;
  readonly default: string;
  readonly about: string;
}

/** Every option of `keelson serve`. */
export const SERVE_OPTIONS: readonly OptionSpec[] = [
  {
    key: "data-dir",
    value: "DIR",
    default: "",
    about: "where everything is kept (default: a place of the user's own)",
  },
  { key: "port", value: "N", default: "6443", about: "port to listen on; 0 takes any free one" },
  { key: "bind", value: "ADDR", default: "127.0.0.1", about: "address to listen on" },
  {
    key: "dialect",
    value: "neutral|kubernetes",
    default: "",
    about: "names and rules; fixed on the first start (default: those of the data directory, neutral for a new one)",
  },
  { key: "feature-gates", value: "A=true,B=false", default: "", about: "feature gates to switch on or off" },
  { key: "store", value: "sqlite|memory|etcd", default: "sqlite", about: "where objects are kept" },
  { key: "etcd-servers", value: "URL,...", default: "", about: "members of the etcd cluster, for --store etcd" },
  { key: "etcd-cacert", value: "FILE", default: "", about: "authority that signed the certificates of etcd" },
  { key: "etcd-cert", value: "FILE", default: "", about: "client certificate for etcd" },
  { key: "etcd-key", value: "FILE", default: "", about: "key of the client certificate for etcd" },
  { key: "etcd-prefix", value: "PREFIX", default: "/keelson", about: "what all keys in etcd begin with" },
  { key: "controllers", value: "LIST", default: "*", about: "controllers to run: *, none, NAME,... or -NAME,..." },
  { key: "event-ttl", value: "DURATION", default: "1h", about: "how long Events are kept after their last write" },
  { key: "history", value: "DURATION", default: "24h", about: "how long superseded versions are kept" },
  { key: "shutdown-grace", value: "DURATION", default: "30s", about: "how long running requests may take to end" },
  { key: "request-timeout", value: "DURATION", default: "1m", about: "how long a request may take, but for watches" },
  {
    key: "max-connections",
    value: "N",
    default: "20000",
    about: "connections at the same time; fewer where the limit of open files leaves no room",
  },
  {
    key: "max-connections-per-address",
    value: "N",
    default: "",
    about: "connections from one address at the same time (default: nine of ten)",
  },
  { key: "tls-san", value: "NAME,...", default: "", about: "more names or addresses for the serving certificate" },
  { key: "log-level", value: "error|warn|info|debug", default: "info", about: "how much is logged" },
  { key: "dev", value: "", default: "false", about: "memory store and throw-away certificates; nothing is kept" },
  { key: "insecure-http", value: "", default: "false", about: "plain HTTP; loopback addresses only" },
];

/** A mistake in the options: the message says what was expected and what was found. */
export class OptionError extends Error {
  override readonly name = "OptionError";
}

/** What an option may be given as: its text, or the number, switch, list or map that the text stands for. */
export type OptionValue =
  | string
  | number
  | boolean
  | readonly (string | number)[]
  | Readonly<Record<string, string | number | boolean>>;

/** Values of options by key. */
export type RawOptions = { readonly [Key in OptionKey]?: OptionValue | undefined };

/** The environment variable of an option. */
export const envName = (key: string): string => `KEELSON_${key.toUpperCase().replaceAll("-", "_")}`;

/**
 * What Kubernetes puts into the environment of a container when a Service beside it is called `keelson` or `keelson-x`
 * (https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables): nobody has told us anything.
 */
const isServiceLink = (name: string, value: string): boolean =>
  /_SERVICE_(HOST|PORT)(_\w+)?$|_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/.test(name) ||
  (name.endsWith("_PORT") && /^(tcp|udp|sctp):\/\//.test(value));

/** What `keelson run` tells its command, which may be `keelson` again. */
const TOLD_BY_RUN: ReadonlySet<string> = new Set(["KEELSON_URL", "KEELSON_TOKEN"]);

/** Takes the options out of the environment; an unknown `KEELSON_` variable is an error, an empty one says nothing. */
export function fromEnvironment(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const known = new Map([...SERVE_OPTIONS.map((o) => o.key), "config"].map((key) => [envName(key), key]));
  const options: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (!name.startsWith("KEELSON_") || value === undefined) continue;
    if (TOLD_BY_RUN.has(name) || isServiceLink(name, value)) continue;
    const key = known.get(name);
    if (key === undefined)
      throw new OptionError(`unknown environment variable ${name}${suggestion(name, known.keys())}`);
    if (value !== "") options[key] = value;
  }
  return options;
}

/** Checks the keys of a file that was read; a key without value says nothing. */
export function fromFile(content: unknown, file: string): Record<string, string> {
  if (content === null || content === undefined) return {};
  if (typeof content !== "object" || Array.isArray(content)) {
    throw new OptionError(`expected ${file} to hold keys and values, got ${JSON.stringify(content)}`);
  }
  return textsOf(content, `in ${file}`);
}

/** Values as text, by keys that are known: lists become comma separated, maps `k=v` pairs. */
function textsOf(values: object, where: string): Record<string, string> {
  const keys: readonly string[] = SERVE_OPTIONS.map((o) => o.key);
  const options: Record<string, string> = {};
  for (const [key, value] of Object.entries(values)) {
    if (!keys.includes(key)) throw new OptionError(`unknown key "${key}" ${where}${suggestion(key, keys)}`);
    if (value !== null && value !== undefined) options[key] = textOf(value);
  }
  return options;
}

function textOf(value: unknown): string {
  const exact = asJsonNumber(value);
  if (exact) return exact.text;
  if (Array.isArray(value)) return value.map(String).join(",");
  if (typeof value === "object" && value !== null) {
    return Object.entries(value)
      .map(([k, v]) => `${k}=${String(v)}`)
      .join(",");
  }
  return String(value);
}

/**
 * The options of a server from what was said of them, the first source that names a key wins.
 *
 *     resolveOptions({ dev: true, port: 0, "feature-gates": { ImageVolume: true } })
 *
 * @throws OptionError for a key that is unknown and for a value that is none of the option
 */
export function resolveOptions(...sources: readonly RawOptions[]): ServeOptions {
  const texts = sources.map((source) => textsOf(source, "among the options"));
  const said = (key: OptionKey): string =>
    texts.find((text) => text[key] !== undefined)?.[key] ?? SERVE_OPTIONS.find((o) => o.key === key)!.default;
  const dev = readBoolean("dev", said("dev"));
  const insecureHttp = readBoolean("insecure-http", said("insecure-http"));
  const bind = said("bind");
  if (insecureHttp && !isLoopback(bind)) {
    throw new OptionError(`expected a loopback address with --insecure-http, got ${bind}`);
  }
  const store = dev ? "memory" : readOneOf("store", said("store"), ["sqlite", "memory", "etcd"] as const);
  const dialect = said("dialect") === "" ? undefined : dialectOf(said("dialect"));
  if (!dialect && said("dialect") !== "") throw expected("dialect", [neutral.name, kubernetes.name], said("dialect"));
  return Object.freeze({
    dataDir: dev && said("data-dir") === "" ? "" : resolve(said("data-dir") || defaultDataDir()),
    port: readPort(said("port")),
    bind,
    dialect,
    featureGates: readGates(said("feature-gates")),
    store,
    etcd: store === "etcd" ? readEtcd(said) : undefined,
    controllers: list(said("controllers")),
    eventTtlMillis: readDuration("event-ttl", said("event-ttl")),
    historyMillis: readDuration("history", said("history")),
    graceMillis: readDuration("shutdown-grace", said("shutdown-grace")),
    requestMillis: readDuration("request-timeout", said("request-timeout")),
    maxConnections: readCount("max-connections", said("max-connections")),
    maxConnectionsPerAddress:
      said("max-connections-per-address") === ""
        ? undefined
        : readCount("max-connections-per-address", said("max-connections-per-address")),
    dev,
    insecureHttp,
    logLevel: readOneOf("log-level", said("log-level"), ["error", "warn", "info", "debug"] as const),
    tlsSans: list(said("tls-san")),
  });
}

function readEtcd(said: (key: OptionKey) => string): EtcdOptions {
  const servers = list(said("etcd-servers")).map((text) => text.replace(/\/$/, ""));
  if (servers.length === 0) throw expected("etcd-servers", ["set with --store etcd"], "");
  const wrong = servers.find((text) => !/^https?:\/\/[^/]+$/.test(text) || !URL.canParse(text));
  if (wrong !== undefined) throw expected("etcd-servers", ["addresses such as https://10.0.0.1:2379"], wrong);
  const [caFile, certFile, keyFile] = [said("etcd-cacert"), said("etcd-cert"), said("etcd-key")];
  if ((certFile === "") !== (keyFile === "")) throw expected("etcd-cert", ["given together with --etcd-key"], certFile);
  const prefix = said("etcd-prefix").replace(/\/+$/, "");
  if (prefix === "") throw expected("etcd-prefix", ["a prefix such as /keelson"], said("etcd-prefix"));
  return { servers, prefix, caFile, certFile, keyFile };
}

/** Where data goes by default: `/var/lib/keelson` for root, `$XDG_DATA_HOME/keelson` for a user. */
function defaultDataDir(): string {
  // Set by systemd for a service with StateDirectory=, which may name several.
  const [state] = (process.env["STATE_DIRECTORY"] ?? "").split(":");
  if (state) return state;
  if (process.getuid?.() === 0) return "/var/lib/keelson";
  return join(process.env["XDG_DATA_HOME"] ?? join(homeDirectory(), ".local", "share"), "keelson");
}

/** The user's home. A user who is a number only (`docker run -u 12345`) has none unless HOME says so. */
function homeDirectory(): string {
  let home = "";
  try {
    home = homedir();
  } catch {
    // There is no such user.
  }
  if (home === "") throw new OptionError("expected --data-dir, or HOME to be set: this user has no home directory");
  return home;
}

const list = (text: string): string[] =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");

const expected = (key: string, wanted: readonly string[], got: string): OptionError =>
  new OptionError(`expected --${key} to be ${wanted.join(" or ")}, got "${got}"`);

function readOneOf<T extends string>(key: string, text: string, wanted: readonly T[]): T {
  const found = wanted.find((w) => w === text);
  if (found === undefined) throw expected(key, wanted, text);
  return found;
}

function readBoolean(key: string, text: string): boolean {
  if (text === "true") return true;
  if (text === "false") return false;
  throw expected(key, ["true", "false"], text);
}

function readPort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) throw expected("port", ["a number from 0 to 65535"], text);
  return port;
}

/** A whole number of 1 or more. */
function readCount(key: string, text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw expected(key, ["a whole number of 1 or more"], text);
  return Number(text);
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

function readDuration(key: string, text: string): number {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)];
  if (parts.length === 0 || parts.map((p) => p[0]).join("") !== text) {
    throw expected(key, ["a duration such as 30s, 90m or 1h30m"], text);
  }
  return parts.reduce((sum, [, n, unit]) => sum + Number(n) * UNITS[unit!]!, 0);
}

function readGates(text: string): Partial<Record<Gate, boolean>> {
  const gates: Partial<Record<Gate, boolean>> = {};
  for (const pair of list(text)) {
    const [name = "", value = ""] = pair.split("=");
    if (!(GATES as readonly string[]).includes(name)) {
      throw new OptionError(`unknown feature gate "${name}"${suggestion(name, GATES)}`);
    }
    if (value !== "true" && value !== "false") throw expected(`feature-gates ${name}`, ["true", "false"], value);
    gates[name as Gate] = value === "true";
  }
  return gates;
}

/** Whether an address is reached from this machine only. */
export const isLoopback = (address: string): boolean =>
  address === "localhost" || address === "::1" || /^127\.\d+\.\d+\.\d+$/.test(address);

/** `; did you mean "x"?` when something near is known. */
export function suggestion(got: string, known: Iterable<string>): string {
  let best = "";
  let least = Math.max(2, Math.floor(got.length / 3)) + 1;
  for (const word of known) {
    const d = distance(got, word);
    if (d < least) [best, least] = [word, d];
  }
  return best ? `; did you mean "${best}"?` : "";
}

/** Levenshtein distance. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1));
    }
    row = next;
  }
  return row[b.length]!;
}
