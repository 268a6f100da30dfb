/**
 * The options of a server: one table, read from flags, environment and a file, in that order of precedence, or given by
 * a program.
 *
 * A key is the same everywhere: `--event-ttl 2h`, `KEELSON_EVENT_TTL=2h`, and `event-ttl: 2h` in the file. An unknown
 * key is an error that names the nearest one; an unknown variable is told, and nothing more: nobody has meant us by it for sure.
 *
 * @module
 */
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { PLUGIN_CONTROLLERS, type PluginChoice } from "../admission/names.ts";
import { isControllerChosen } from "../controllers/names.ts";
import type { Dialect } from "../meta/dialect.ts";
import type { Gate } from "../meta/gates.ts";
import type { KindSet } from "../kinds/index.ts";
import type { PodMode } from "../node/pod-modes.ts";
import { dnsSubdomain } from "../meta/names.ts";
import type { ServiceRanges } from "../meta/service-ranges.ts";
import type { LogLevel } from "../util/log.ts";
import { suggestion } from "../util/nearest.ts";
import { withoutTrailing } from "../util/scan.ts";
import { asJsonNumber } from "../value/value.ts";
import { type AuditOptions, auditOf } from "./audit/audit-options.ts";
import type { AccountSettings, AuthenticationSettings } from "./authentication-settings.ts";
import type { AuthorizationSettings } from "./authorization/settings.ts";
import type { LogFormat } from "./log-format.ts";
import { OPTIONS, OPTION_KEYS, OPTION_NAMES, type OptionKey, type OptionValues, envName } from "./option-table.ts";
import { OptionError, expected } from "./option-types.ts";

export type { OptionKey } from "./option-table.ts";
export { OptionError } from "./option-types.ts";

/** Everything that can be set for a server; checked, complete, frozen. */
export interface ServeOptions {
  /** An absolute path; empty when nothing is kept and none was given. */
  readonly dataDir: string;
  readonly port: number;
  readonly bind: string;
  /** Undefined by default: that of the data directory, neutral for a new one. */
  readonly dialect: Dialect | undefined;
  readonly featureGates: Readonly<Partial<Record<Gate, boolean>>>;
  readonly store: OptionValues["store"];
  /** Set for the store `etcd` alone. */
  readonly etcd: EtcdOptions | undefined;
  /** Which built-in kinds are served. */
  readonly kinds: KindSet;
  /** Names of controllers, `*` for all, `-name` for all but that. */
  readonly controllers: readonly string[];
  /** Which steps of admission run. */
  readonly plugins: PluginChoice;
  readonly authorization: AuthorizationSettings;
  readonly eventTtlMillis: number;
  /** The addresses and ports that Services are given. */
  readonly serviceRanges: ServiceRanges;
  readonly allowsPrivileged: boolean;
  /** The node that runs in this process; undefined for none. */
  readonly node: NodeOptions | undefined;
  /** Whether nodes that are not ready for six minutes lose volumes that they use. */
  readonly forceDetach: boolean;
  /** So many Pods that have ended are kept; 0 for all. */
  readonly endedPods: number;
  readonly historyMillis: number;
  readonly graceMillis: number;
  /** How long a request may take; watches and backups have no such end. */
  readonly requestMillis: number;
  readonly watchMillis: number;
  /** Whether requests run by priority and fairness. */
  readonly fairness: boolean;
  /** Reads, and writes, that run at the same time, 0 for any number; their sum is the seats of fairness. */
  readonly maxReads: number;
  readonly maxWrites: number;
  /** Fewer where the limit of open files leaves no room for so many. */
  readonly maxConnections: number;
  /** Undefined: nine of ten. */
  readonly maxConnectionsPerAddress: number | undefined;
  /** Undefined: half of all; 0 for no limit. */
  readonly maxConnectionsPerUser: number | undefined;
  readonly maxRequestsPerUser: number;
  readonly maxWatchesPerUser: number;
  readonly dev: boolean;
  /** The data directory is only read. */
  readonly readOnly: boolean;
  readonly insecureHttp: boolean;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
  /** A file, `-` for standard output, empty for none. */
  readonly accessLog: string;
  /** Requests that take longer are logged. */
  readonly slowMillis: number;
  readonly audit: AuditOptions;
  /** A file for the kubeconfig beside that of the data directory; empty for none. */
  readonly kubeconfigOut: string;
  /** Files with a serving certificate that others make; undefined for an own one. */
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined;
  /** What is stored encrypted, and with which keys; undefined for nothing. */
  readonly encryption: { readonly file: string; readonly reload: boolean } | undefined;
  /** Names and addresses that the serving certificate is good for, beside the usual ones. */
  readonly tlsSans: readonly string[];
  /** Who is believed to be who. */
  readonly authentication: AuthenticationSettings;
  /** What was said and is not the default, as text, for the log: without passwords. */
  readonly said: Texts;
}

/** A node in the process of a server. */
export interface NodeOptions {
  readonly name: string;
  /** An absolute path. */
  readonly directory: string;
  readonly pods: PodMode;
  /** In which images lie as directories (NODE-63); an absolute path. */
  readonly imageDirectory?: string;
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

/** What an option may be given as: its text, or the number, switch, list or map that the text stands for. */
export type OptionValue =
  | string
  | number
  | boolean
  | readonly (string | number)[]
  | Readonly<Record<string, string | number | boolean>>;

/** Values of options by key. */
export type RawOptions = { readonly [Key in OptionKey]?: OptionValue | undefined };

/**
 * What Kubernetes puts into the environment of a container when a Service beside it is called `keelson` or `keelson-x`
 * (https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables): nobody has told us anything.
 */
const isServiceLink = (name: string, value: string): boolean =>
  (/^\w+$/.test(name) && /_SERVICE_(?:HOST|PORT)(?:_\w|$)/.test(name)) ||
  /_PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?$/.test(name) ||
  (name.endsWith("_PORT") && /^(tcp|udp|sctp):\/\//.test(value));

/** What `keelson run` tells its command, and a node its containers: either may be `keelson` again. */
const TOLD_BY_US: ReadonlySet<string> = new Set(["KEELSON_URL", "KEELSON_TOKEN", "KEELSON_ROOT"]);

/** What was said of options, as text; of the file that has more of it, `config` says where it is. */
export type Texts = { readonly [Key in OptionKey | "config"]?: string };

/**
 * Takes the options out of the environment; an empty variable says nothing.
 *
 * @param unknown hears of `KEELSON_` variables that are no options, and of the nearest option: whatever runs the program may have put
 *   them there, so they stop nothing
 */
export function fromEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  unknown: (name: string, nearest: string) => void = () => {},
): Texts {
  const known = new Map([...OPTION_NAMES.keys(), "config"].map((name) => [envName(name), name]));
  const said: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (!name.startsWith("KEELSON_") || value === undefined) continue;
    if (TOLD_BY_US.has(name) || isServiceLink(name, value)) continue;
    const option = known.get(name);
    if (option === undefined) unknown(name, suggestion(name, known.keys()));
    else if (value !== "") said[option] = value;
  }
  const { config, ...options } = said;
  return { ...textsOf(options, "in the environment"), ...(config === undefined ? {} : { config }) };
}

/** Checks the keys of a file that was read; a key without value says nothing. */
export function fromFile(content: unknown, file: string): Texts {
  if (content === null || content === undefined) return {};
  if (typeof content !== "object" || Array.isArray(content)) {
    throw new OptionError(`expected ${file} to hold keys and values, got ${JSON.stringify(content)}`);
  }
  return textsOf(content, `in ${file}`);
}

/** Values as text, by the keys of their options: lists become comma separated, maps `k=v` pairs. */
function textsOf(values: object, where: string): Texts {
  const texts: Partial<Record<OptionKey, string>> = {};
  for (const [name, value] of Object.entries(values)) {
    const key = OPTION_NAMES.get(name);
    if (key === undefined) {
      throw new OptionError(`unknown key ${JSON.stringify(name)} ${where}${suggestion(name, OPTION_NAMES.keys())}`);
    }
    if (value === null || value === undefined) continue;
    if (texts[key] !== undefined) throw new OptionError(`expected one of ${key} and ${OPTIONS[key].also} ${where}`);
    texts[key] = textOf(value);
  }
  return texts;
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
  const texts = Object.assign(
    {},
    ...sources.map((source) => textsOf(source, "among the options")).toReversed(),
  ) as Texts;
  const said = valuesOf(texts);
  const { dev, bind, "insecure-http": insecureHttp } = said;
  if (insecureHttp && !isLoopback(bind)) {
    throw new OptionError(`expected a loopback address with --insecure-http, got ${bind}`);
  }
  const store = dev ? "memory" : said.store;
  const dataDir = dev && said["data-dir"] === undefined ? "" : resolve(said["data-dir"] ?? defaultDataDir());
  return Object.freeze({
    dataDir,
    port: said.port,
    bind,
    dialect: said.dialect,
    featureGates: said["feature-gates"],
    store,
    etcd: store === "etcd" ? etcdOf(said) : undefined,
    controllers: said.controllers,
    plugins: pluginsOf(said),
    authorization: authorizationOf(said),
    kinds: said.kinds,
    eventTtlMillis: said["event-ttl"],
    allowsPrivileged: said["allow-privileged"],
    serviceRanges: { networks: said["service-cluster-ip-range"], nodePorts: said["service-node-port-range"] },
    node: nodeOf(said, dataDir),
    forceDetach: !said["disable-force-detach-on-timeout"],
    endedPods: said["terminated-pod-gc-threshold"],
    historyMillis: said.history,
    graceMillis: said["shutdown-grace"],
    requestMillis: said["request-timeout"],
    watchMillis: said["min-request-timeout"] * 1000,
    ...concurrencyOf(said),
    maxConnections: said["max-connections"],
    maxConnectionsPerAddress: said["max-connections-per-address"],
    maxConnectionsPerUser: said["max-connections-per-user"],
    maxRequestsPerUser: said["max-requests-per-user"],
    maxWatchesPerUser: said["max-watches-per-user"],
    dev,
    readOnly: said["read-only"],
    insecureHttp,
    logLevel: said["log-level"],
    logFormat: said["log-format"],
    accessLog: said["access-log"] === "-" ? "-" : pathOf(said["access-log"]),
    slowMillis: said["slow-request"],
    audit: auditOf(said),
    kubeconfigOut: pathOf(said["kubeconfig-out"]),
    tls: tlsOf(said),
    encryption: encryptionOf(said),
    tlsSans: said["tls-san"],
    authentication: authenticationOf(said),
    said: tellable(texts),
  });
}

/** The node in this process: where nothing is kept its directory has to be named. */
function nodeOf(said: OptionValues, dataDir: string): NodeOptions | undefined {
  const { node: name, "node-dir": directory, "node-pods": pods, "node-image-dir": images } = said;
  if (name === "") return undefined;
  if (dnsSubdomain(name) !== undefined) throw expected("node", "a name such as node-1.example", name);
  if (directory === "" && dataDir === "") throw expected("node-dir", "given with --dev and --node", directory);
  const imageDirectory = images === "" ? {} : { imageDirectory: resolve(images) };
  return { name, directory: directory === "" ? join(dataDir, "node") : resolve(directory), pods, ...imageDirectory };
}

/** Who decides: who is a node as well asks the authorizer of nodes, which has nothing to say of anybody else. */
const modesOf = ({ "authorization-mode": modes, node }: OptionValues): OptionValues["authorization-mode"] =>
  node === "" || modes.includes("Node") ? modes : ["Node", ...modes];

function authorizationOf(said: OptionValues): AuthorizationSettings {
  const given = said["authorization-mode"];
  const modes = modesOf(said);
  const configFile = pathOf(said["authorization-config"]);
  const kubeconfig = pathOf(said["authorization-webhook-config-file"]);
  if (configFile !== "" && (kubeconfig !== "" || given.join(",") !== OPTIONS["authorization-mode"].default)) {
    throw expected("authorization-config", "given without --authorization-mode and its webhook", configFile);
  }
  if (modes.includes("Webhook") !== (kubeconfig !== "")) {
    throw expected("authorization-webhook-config-file", "given together with the mode Webhook", kubeconfig);
  }
  return {
    modes,
    configFile,
    webhook: {
      kubeconfig,
      version: said["authorization-webhook-version"],
      allowedMillis: said["authorization-webhook-cache-authorized-ttl"],
      refusedMillis: said["authorization-webhook-cache-unauthorized-ttl"],
    },
  };
}

/** Options that are not the default, without what may stand for a password in an address. */
const tellable = (texts: Texts): Texts =>
  Object.fromEntries(
    OPTION_KEYS.filter((key) => (texts[key] ?? OPTIONS[key].default) !== OPTIONS[key].default).map((key) => [
      key,
      texts[key]!.replaceAll(/\/\/[^/@,]*@/g, "//***@"),
    ]),
  );

/** The value of every option. */
function valuesOf(texts: Texts): OptionValues {
  const valueOf = (key: OptionKey): unknown => {
    const { type, default: preset } = OPTIONS[key];
    const text = texts[key] ?? preset;
    if (text === undefined) return undefined;
    const value = type.read(text);
    if (value === undefined) throw expected(key, type.expects, text);
    return value;
  };
  return Object.fromEntries(OPTION_KEYS.map((key) => [key, valueOf(key)])) as unknown as OptionValues;
}

/** The path of a file in full; none stays none. */
const pathOf = (file: string): string => (file === "" ? "" : resolve(file));

function tlsOf({ "tls-cert-file": certFile, "tls-private-key-file": keyFile }: OptionValues): ServeOptions["tls"] {
  if ((certFile === "") !== (keyFile === "")) {
    throw expected("tls-cert-file", "given together with --tls-private-key-file", certFile);
  }
  return certFile === "" ? undefined : { certFile: pathOf(certFile), keyFile: pathOf(keyFile) };
}

function authenticationOf(said: OptionValues): AuthenticationSettings {
  return {
    clientCaFile: pathOf(said["client-ca-file"]),
    proxy: {
      caFile: pathOf(said["requestheader-client-ca-file"]),
      allowedNames: said["requestheader-allowed-names"],
      userHeaders: said["requestheader-username-headers"],
      uidHeaders: said["requestheader-uid-headers"],
      groupHeaders: said["requestheader-group-headers"],
      extraPrefixes: said["requestheader-extra-headers-prefix"],
    },
    tokenFile: pathOf(said["token-auth-file"]),
    anonymous: said["anonymous-auth"],
    accounts: accountsOf(said),
    webhook: {
      configFile: pathOf(said["authentication-token-webhook-config-file"]),
      cacheMillis: said["authentication-token-webhook-cache-ttl"],
      version: said["authentication-token-webhook-version"],
    },
    bootstrapTokens: said["enable-bootstrap-token-auth"],
    oidc: {
      configFile: pathOf(said["authentication-config"]),
      caFile: pathOf(said["oidc-ca-file"]),
      issuerUrl: said["oidc-issuer-url"],
      clientId: said["oidc-client-id"],
      usernameClaim: said["oidc-username-claim"],
      usernamePrefix: said["oidc-username-prefix"],
      groupsClaim: said["oidc-groups-claim"],
      groupsPrefix: said["oidc-groups-prefix"],
      requiredClaims: said["oidc-required-claim"],
      algorithms: said["oidc-signing-algs"],
    },
  };
}

const HOUR_MS = 3_600_000;
const LONGEST_MS = 2 ** 32 * 1000;

function accountsOf(said: OptionValues): AccountSettings {
  const longest = said["service-account-max-token-expiration"];
  if (longest !== undefined && (longest < HOUR_MS || longest > LONGEST_MS)) {
    throw expected("service-account-max-token-expiration", "from 1h to 2^32 seconds", `${longest}ms`);
  }
  const issuers = said["service-account-issuer"];
  const wrong = issuers.find((issuer) => issuer.includes(":") && !URL.canParse(issuer));
  if (wrong !== undefined) throw expected("service-account-issuer", "a URL, or a text without a colon", wrong);
  return {
    issuers,
    audiences: said["api-audiences"],
    keyFiles: said["service-account-key-file"].map(pathOf),
    signingKeyFile: pathOf(said["service-account-signing-key-file"]),
    maxSeconds: longest === undefined ? undefined : Math.floor(longest / 1000),
    extendsExpiration: said["service-account-extend-token-expiration"],
    jwksUri: said["service-account-jwks-uri"],
  };
}

function encryptionOf(said: OptionValues): ServeOptions["encryption"] {
  const { "encryption-provider-config": file, "encryption-provider-config-automatic-reload": reload } = said;
  if (file !== "") return { file: pathOf(file), reload };
  if (reload)
    throw expected("encryption-provider-config-automatic-reload", "given with --encryption-provider-config", "true");
  return undefined;
}

function pluginsOf(said: OptionValues): PluginChoice {
  const { "enable-admission-plugins": enable, "disable-admission-plugins": disable } = said;
  const both = enable.find((name) => disable.includes(name));
  if (both !== undefined) throw expected("disable-admission-plugins", "without those that are enabled", both);
  const controllers = PLUGIN_CONTROLLERS.filter((name) => isControllerChosen(said.controllers, name));
  return { enable, disable, controllers };
}

function etcdOf(said: OptionValues): EtcdOptions {
  const servers = said["etcd-servers"].map((url) => url.replace(/\/$/, ""));
  if (servers.length === 0) throw expected("etcd-servers", "set with --store etcd", "");
  const wrong = servers.find((url) => !/^https?:\/\/[^/]+$/.test(url) || !URL.canParse(url));
  if (wrong !== undefined) throw expected("etcd-servers", "addresses such as https://10.0.0.1:2379", wrong);
  const { "etcd-cacert": caFile, "etcd-cert": certFile, "etcd-key": keyFile } = said;
  if ((certFile === "") !== (keyFile === "")) throw expected("etcd-cert", "given together with --etcd-key", certFile);
  const prefix = withoutTrailing(said["etcd-prefix"], "/");
  if (prefix === "") throw expected("etcd-prefix", "a prefix such as /keelson", said["etcd-prefix"]);
  return { servers, prefix, caFile, certFile, keyFile };
}

/** Where data goes by default: `/var/lib/keelson` for root, `$XDG_DATA_HOME/keelson` for a user. */
export function defaultDataDir(): string {
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

/** Whether an address is reached from this machine only. */
export const isLoopback = (address: string): boolean =>
  address === "localhost" || address === "::1" || /^127\.\d+\.\d+\.\d+$/.test(address);

/** How many requests run at a time. */
function concurrencyOf(said: OptionValues): Pick<ServeOptions, "fairness" | "maxReads" | "maxWrites"> {
  const fairness = said["enable-priority-and-fairness"];
  const maxReads = said["max-requests-inflight"];
  const maxWrites = said["max-mutating-requests-inflight"];
  if (fairness && maxReads + maxWrites === 0) {
    throw expected("max-requests-inflight", "more than 0, or enable-priority-and-fairness to be false", "0");
  }
  return { fairness, maxReads, maxWrites };
}
