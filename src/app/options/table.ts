/**
 * Every option of `keelson serve`, one row each. Flags, environment variables, keys of the configuration file, help,
 * completion, the reference page and the types of `ServeOptions` are derived from this table.
 *
 * A row has the name, the type (which reads and checks a value), the default, and what the option does. To add an option, add a
 * row and use its value: `event-ttl` is `eventTtl` in `ServeOptions`, unless the row has `as`.
 *
 * @module
 */
import { POD_MODES } from "../../node/pod-modes.ts";
import { SERVICE_RANGES } from "../../meta/service-ranges.ts";
import { simulatedNodes, speed } from "./simulated-nodes.ts";
import { LOG_LEVELS } from "../../util/log.ts";
import {
  type OptionType,
  authorizationModes,
  controllers,
  count,
  dialect,
  directory,
  directoryOrNone,
  duration,
  durationWithin,
  etcdServers,
  file,
  fileOrOutput,
  files,
  gates,
  issuers,
  keyPrefix,
  list,
  limit,
  networks,
  nodeName,
  onOff,
  oneOf,
  plugins,
  port,
  portRange,
  rate,
  readValue,
  seconds,
  serviceAddresses,
  serviceNetworks,
  text,
} from "./types.ts";

/** Optional members of a row. */
interface OptionDetails {
  /** The default in words, if it has no text. */
  readonly otherwise?: string;
  /** The name of the flag of kube-apiserver, accepted as a second name. */
  readonly also?: string;
  /** The name of the value in `ServeOptions`, if it is not the key in camel case. */
  readonly as?: string;
  /** The option that must be given with this one. */
  readonly needs?: string;
  /** The options that may not be given with this one. */
  readonly excludes?: readonly string[];
}

/** One option, without the types of its row. */
export interface OptionSpec extends OptionDetails {
  /** The heading in help and on the reference page. */
  readonly group: string;
  readonly type: OptionType<unknown>;
  /** The text of the default; undefined if there is no default. */
  readonly default: string | undefined;
  /** One sentence that says what the option does. */
  readonly about: string;
  /** The first version of Keelson with the option. */
  readonly since: string;
}

const option = <T, const Preset extends string | undefined, const Rest extends OptionDetails = object>(
  type: OptionType<T>,
  preset: Preset,
  about: string,
  more?: Rest,
) => ({ type, default: preset, about, ...more }) as { type: OptionType<T>; default: Preset; about: string } & Rest;

/** Rows under one heading, with the first version that has them. */
const section = <Rows extends Readonly<Record<string, object>>>(group: string, since: string, rows: Rows) =>
  Object.fromEntries(Object.entries(rows).map(([key, row]) => [key, { ...row, group, since }])) as {
    [Key in keyof Rows]: Rows[Key] & { group: string; since: string };
  };

const auditMode = oneOf("batch", "blocking", "blocking-strict");
const auditVersion = oneOf("audit.k8s.io/v1");

/** Rows and texts that the log file and the webhook of audit share. */
const AUDIT = {
  mode: "Whether responses wait for their events; with blocking-strict a request fails if its event is lost.",
  version: option(auditVersion, "audit.k8s.io/v1", "The API version of events; there is one."),
  bufferSize: option(count("events"), "10000", "Size of the buffer in mode batch; further events are dropped."),
  maxSize: "Maximum events of a batch.",
  maxWait: "Maximum wait of a batch that is not full.",
  throttle: "Whether batches are throttled.",
  qps: "Batches per second with throttling.",
  burst: option(count("batches"), "15", "Burst of batches with throttling."),
  truncate: option(onOff, "false", "Remove objects from events that are too large."),
  batchBytes: option(count("bytes"), "10485760", "Maximum bytes of a batch with truncation."),
  eventBytes: option(count("bytes"), "102400", "Maximum bytes of an event with truncation."),
};

const ROWS = {
  ...section("Network", "0.1", {
    bind: option(
      text("ADDRESS"),
      "127.0.0.1",
      "The address to listen on; 0.0.0.0 and :: are all addresses of the machine.",
      { also: "bind-address" },
    ),
    port: option(port, "6443", "The port to listen on; 0 is any free port.", { also: "secure-port" }),
  }),
  ...section("Store", "0.1", {
    "data-dir": option(directory, undefined, "The directory of objects, certificates and the kubeconfig.", {
      otherwise: "$STATE_DIRECTORY where it is set, /var/lib/keelson for root, $XDG_DATA_HOME/keelson for others",
    }),
    store: option(
      oneOf("sqlite", "memory", "etcd"),
      "sqlite",
      "The store of objects: in the data directory, in memory, or in an etcd cluster.",
    ),
    dev: option(onOff, "false", "Save nothing: a store in memory, and temporary certificates."),
    "read-only": option(onOff, "false", "Serve the data directory without writing to it, and refuse every write."),
    history: option(duration, "24h", "How long old versions of objects are kept.", {
      as: "historyMillis",
    }),
    "etcd-servers": option(etcdServers, "", "Members of the etcd cluster, for --store etcd."),
    "etcd-prefix": option(keyPrefix, "/keelson", "The prefix of all keys in etcd."),
    "etcd-cacert": option(file, "", "The CA of the certificates of etcd.", {
      otherwise: "the CAs of Node.js",
      also: "etcd-cafile",
    }),
    "etcd-cert": option(file, "", "The client certificate for etcd.", { also: "etcd-certfile", needs: "etcd-key" }),
    "etcd-key": option(file, "", "The key of the client certificate for etcd.", {
      also: "etcd-keyfile",
      needs: "etcd-cert",
    }),
  }),
  ...section("What is served", "0.1", {
    dialect: option(
      dialect,
      undefined,
      "The names and rules of the API; kubectl and other Kubernetes clients need kubernetes. Fixed by the first start.",
      { otherwise: "that of the data directory, neutral for a new one" },
    ),
    "feature-gates": option(gates, "", "Feature gates to enable or disable.", {
      otherwise: "the defaults of the dialect",
    }),
    kinds: option(
      oneOf("all", "documents"),
      "all",
      "The built-in kinds to serve: all, or those without workloads, networking and the like.",
    ),
    controllers: option(
      controllers,
      "*",
      "Controllers to run: * for all, none, NAME for that one, -NAME for all others.",
    ),
    "allow-privileged": option(
      onOff,
      "true",
      "Whether containers may be privileged or processes of the node; if not, such Pods are refused.",
      { as: "allowsPrivileged" },
    ),
    "enable-admission-plugins": option(plugins, "", "Admission plugins to run in addition to the default ones.", {
      otherwise: "those marked below",
    }),
    "disable-admission-plugins": option(plugins, "", "Default admission plugins to disable.", {
      otherwise: "none",
    }),
    "event-ttl": option(duration, "1h", "How long Events are kept after their last write.", { as: "eventTtlMillis" }),
    "service-cluster-ip-range": option(
      serviceNetworks,
      SERVICE_RANGES.networks.join(","),
      "The network for the addresses of Services, or one of each family; the first is the default.",
    ),
    "service-node-port-range": option(
      portRange,
      SERVICE_RANGES.nodePorts.join("-"),
      "The range of node ports for Services.",
    ),
    "service-resolver": option(
      serviceAddresses,
      "",
      "Addresses of Services of webhooks, instead of their endpoints: for webhooks that run outside of the cluster.",
      { as: "services" },
    ),
    "load-balancer-addresses": option(
      networks,
      "",
      "The network for the addresses of Services of the type LoadBalancer, or one of each family.",
      { otherwise: "no addresses" },
    ),
    "horizontal-pod-autoscaler-sync-period": option(
      durationWithin("1ms", "1h"),
      "15s",
      "How often the metrics of each autoscaler are read.",
      { as: "autoscalerSyncMillis" },
    ),
    "disable-force-detach-on-timeout": option(
      onOff,
      "false",
      "Never detach volumes that a node reports in use, however long the node is not ready.",
    ),
    "terminated-pod-gc-threshold": option(
      limit("pods"),
      "12500",
      "Maximum number of terminated Pods; further ones are deleted, the oldest first.",
      { as: "endedPods" },
    ),
  }),
  ...section("Node", "0.1", {
    node: option(
      nodeName,
      "",
      "Run the agent of a node of this name in the same process, and use the authorizer Node.",
      { otherwise: "none", as: "nodeName" },
    ),
    "node-dir": option(directoryOrNone, "", "The directory of the volumes of the node.", {
      otherwise: "node in the data directory",
    }),
    "node-pods": option(
      oneOf(...POD_MODES),
      "hold",
      "What the node does with containers once their volumes are mounted: hold them, report them as running, or run them.",
    ),
    "node-image-dir": option(
      directoryOrNone,
      "",
      "The directory of images, each a directory, for image volumes; no image is pulled.",
      { otherwise: "no images" },
    ),
  }),
  ...section("Simulated nodes", "0.1", {
    nodes: option(
      simulatedNodes,
      "",
      "The number of simulated nodes, whose Pods run without containers; missing ones are created. The scheduler runs, too. After the number: zone=NAME (several are used in turn), region=NAME, prefix=NAME, cpu=, memory=, pods=, ephemeral-storage=QUANTITY.",
      { otherwise: "none" },
    ),
    stages: option(files, "", "Files with Stages of kwok, which then change simulated nodes or their Pods.", {
      otherwise: "none",
    }),
    speed: option(
      speed,
      "1",
      "How many times faster time passes for objects, controllers and simulated nodes. Sockets, credentials and logs use real time.",
    ),
  }),
  ...section("Security", "0.1", {
    "authorization-mode": option(authorizationModes, "RBAC", "The authorizers, in their order."),
    "authorization-config": option(
      file,
      "",
      "A file with an AuthorizationConfiguration, in place of the mode: authorizers and webhooks, each with its rules.",
      { excludes: ["authorization-mode", "authorization-webhook-config-file"] },
    ),
    "authorization-webhook-config-file": option(
      file,
      "",
      "A kubeconfig with the address of the webhook for the mode Webhook.",
    ),
    "authorization-webhook-version": option(
      oneOf("v1", "v1beta1"),
      "v1",
      "The version of the SubjectAccessReview for the webhook.",
    ),
    "authorization-webhook-cache-authorized-ttl": option(
      duration,
      "5m",
      "How long an allowed decision of the webhook is cached.",
    ),
    "authorization-webhook-cache-unauthorized-ttl": option(
      duration,
      "30s",
      "How long a denied decision of the webhook is cached.",
    ),
    "tls-san": option(list("NAME"), "", "Further names and addresses for the certificate of the server.", {
      as: "tlsSans",
    }),
    "tls-cert-file": option(
      file,
      "",
      "The certificate of the server, with its chain; read again when the file changes.",
      { needs: "tls-private-key-file" },
    ),
    "tls-private-key-file": option(file, "", "The key of that certificate.", { needs: "tls-cert-file" }),
    "anonymous-auth": option(
      onOff,
      undefined,
      "Whether requests without a credential are accepted as system:anonymous, whose permissions come from roles; never with the mode AlwaysAllow.",
      { otherwise: "true in the kubernetes dialect, false in the neutral one" },
    ),
    "client-ca-file": option(file, "", "CAs of client certificates, in addition to the CA of the server."),
    "token-auth-file": option(
      file,
      "",
      'A file of tokens with their users: lines of token,user,uid,"group1,group2". Read at the start.',
    ),
    "enable-bootstrap-token-auth": option(
      onOff,
      "false",
      "Accept Secrets of type bootstrap.kubernetes.io/token in kube-system as bootstrap tokens.",
    ),
    "authentication-token-webhook-config-file": option(
      file,
      "",
      "A kubeconfig with the address of a webhook that reviews unknown tokens (TokenReview).",
    ),
    "authentication-token-webhook-cache-ttl": option(
      duration,
      "2m",
      "How long responses of the token webhook are cached.",
    ),
    "authentication-token-webhook-version": option(
      oneOf("v1", "v1beta1"),
      "v1",
      "The version of the TokenReview for the webhook.",
    ),
    "authentication-config": option(
      file,
      "",
      "A file with an AuthenticationConfiguration: OIDC issuers, and paths for anonymous requests. Read again when it changes.",
    ),
    "oidc-issuer-url": option(
      text("URL"),
      "",
      "The https URL of an OpenID Connect issuer whose tokens name users; needs oidc-client-id.",
    ),
    "oidc-client-id": option(text("ID"), "", "The audience of tokens of the issuer."),
    "oidc-username-claim": option(text("CLAIM"), "sub", "The claim with the name of the user."),
    "oidc-username-prefix": option(
      text("TEXT"),
      "",
      "The prefix of the name, - for none; by default the issuer and #, or none for the claim email.",
    ),
    "oidc-groups-claim": option(text("CLAIM"), "", "The claim with the groups of the user."),
    "oidc-groups-prefix": option(text("TEXT"), "", "The prefix of each group."),
    "oidc-required-claim": option(list("CLAIM=VALUE"), "", "Claims with their required values."),
    "oidc-signing-algs": option(list("NAME"), "RS256", "The accepted signing algorithms of the issuer."),
    "oidc-ca-file": option(file, "", "The CA of the issuer; by default the CAs of this machine."),
    "api-audiences": option(list("NAME"), "", "The accepted audiences of tokens.", {
      otherwise: "the issuers of tokens of service accounts",
    }),
    "service-account-issuer": option(
      issuers,
      "",
      "Issuers of tokens of service accounts: the first signs, all are accepted.",
      { otherwise: "https://kubernetes.default.svc.cluster.local, in the neutral dialect https://svc.io" },
    ),
    "service-account-signing-key-file": option(file, "", "The private key that signs tokens of service accounts.", {
      otherwise: "the key in the data directory",
    }),
    "service-account-key-file": option(
      files,
      "",
      "Further keys that verify tokens of service accounts; they are published, too.",
    ),
    "service-account-jwks-uri": option(
      text("URL"),
      "",
      "The URL of the keys of tokens in the discovery document of the issuer.",
      { otherwise: "this server" },
    ),
    "service-account-max-token-expiration": option(
      durationWithin("1h", `${2 ** 32}s`),
      undefined,
      "The maximum validity of a token of a service account; a request for more gets a warning.",
      { otherwise: "no limit" },
    ),
    "service-account-extend-token-expiration": option(
      onOff,
      "true",
      "Tokens of Pods are valid for a year, and their use after one hour is recorded.",
    ),
    "requestheader-client-ca-file": option(
      file,
      "",
      "The CA of authenticating proxies, which send the user in headers.",
    ),
    "requestheader-allowed-names": option(list("NAME"), "", "The accepted common names of proxies.", {
      otherwise: "any",
    }),
    "requestheader-username-headers": option(
      list("HEADER"),
      "X-Remote-User",
      "Headers with the user; the first one that is set wins.",
    ),
    "requestheader-uid-headers": option(list("HEADER"), "X-Remote-Uid", "Headers with the UID of the user."),
    "requestheader-group-headers": option(list("HEADER"), "X-Remote-Group", "Headers with the groups of the user."),
    "requestheader-extra-headers-prefix": option(
      list("PREFIX"),
      "X-Remote-Extra-",
      "Prefixes of headers with extra attributes of the user.",
    ),
    "kubeconfig-out": option(
      file,
      "",
      "A file for the kubeconfig of the admin, written when the server is ready; with --dev it is removed at the end.",
    ),
    "encryption-provider-config": option(
      file,
      "",
      "A file with an EncryptionConfiguration: which resources are stored encrypted, and with which keys.",
      { otherwise: "objects are stored as they are" },
    ),
    "encryption-provider-config-automatic-reload": option(
      onOff,
      "false",
      "Read that file again when it changes, and use it if all of its KMS plugins are healthy.",
      { needs: "encryption-provider-config" },
    ),
    "insecure-http": option(onOff, "false", "Serve plain HTTP; on loopback addresses only."),
  }),
  ...section("Console", "0.2", {
    console: option(onOff, "true", "Whether the console is served, below /console/."),
    "console-session-duration": option(
      durationWithin("5m", "168h"),
      "12h",
      "How long an unused session of the console lasts.",
      { as: "consoleSessionMillis" },
    ),
  }),
  ...section("Limits", "0.1", {
    "max-connections": option(
      count("connections"),
      "20000",
      "Maximum number of connections; the limit of open files may reduce it.",
    ),
    "max-connections-per-address": option(
      count("connections"),
      undefined,
      "Maximum number of connections from one address.",
      { otherwise: "90 % of all" },
    ),
    "max-connections-per-user": option(
      limit("connections"),
      undefined,
      "Maximum number of connections of one user, except users who may do everything; 0 for no limit.",
      { otherwise: "half of all" },
    ),
    "max-requests-per-user": option(
      limit("requests"),
      "5000",
      "Maximum number of requests of one user at the same time, without watches, except users who may do everything; 0 for no limit.",
    ),
    "max-watches-per-user": option(
      limit("watches"),
      "10000",
      "Maximum number of watches of one user, except users who may do everything; 0 for no limit.",
    ),
    "max-sessions-per-user": option(
      limit("sessions"),
      "100",
      "Maximum number of sessions (exec, attach) of one user, except users who may do everything; 0 for no limit.",
    ),
    "enable-priority-and-fairness": option(
      onOff,
      "true",
      "Whether API Priority and Fairness limits requests; without it only the numbers of reads and writes are limited.",
      { as: "fairness" },
    ),
    "max-requests-inflight": option(
      limit("requests"),
      "400",
      "Maximum number of reads at the same time, 0 for no limit; with priority and fairness, seats for all levels.",
      { as: "maxReads" },
    ),
    "max-mutating-requests-inflight": option(
      limit("requests"),
      "200",
      "Maximum number of writes at the same time, 0 for no limit; with priority and fairness, further seats.",
      { as: "maxWrites" },
    ),
    "request-timeout": option(duration, "1m", "Maximum duration of a request, except watches and backups.", {
      as: "requestMillis",
    }),
    "min-request-timeout": option(
      seconds,
      "1800",
      "Minimum seconds of a watch without a timeout of its own, which lasts at most twice as long; 0 for no end.",
      { as: "watchMillis" },
    ),
    "shutdown-grace": option(duration, "30s", "How long running requests may continue when the server stops.", {
      as: "graceMillis",
    }),
  }),
  ...section("Log", "0.1", {
    "log-level": option(oneOf(...LOG_LEVELS), "info", "The lowest level that is logged."),
    "log-format": option(
      oneOf("text", "json"),
      "text",
      "The format of the log; with json standard error has one object per line, and nothing else.",
    ),
    "access-log": option(fileOrOutput, "", "A file with one line of JSON for each request; - is standard output."),
    "slow-request": option(duration, "1s", "Requests that take longer are logged with the time of each step.", {
      as: "slowMillis",
    }),
    "tracing-config-file": option(
      file,
      "",
      "A file with a TracingConfiguration: which requests are traced, and where spans are sent to over OTLP.",
    ),
  }),
  ...section("Audit", "0.2", {
    "audit-policy-file": option(
      file,
      "",
      "A file with the audit policy (audit.k8s.io/v1); without it there is no audit.",
    ),
    "audit-log-path": option(fileOrOutput, "", "A file for audit events; - is standard output."),
    "audit-log-format": option(
      oneOf("json", "legacy"),
      "json",
      "The format of a line: the whole event as JSON, or a part of it.",
    ),
    "audit-log-maxage": option(limit("days"), "0", "Maximum age in days of old files.", { otherwise: "any age" }),
    "audit-log-maxbackup": option(limit("files"), "0", "Maximum number of old files.", { otherwise: "any number" }),
    "audit-log-maxsize": option(limit("megabytes"), "0", "Maximum megabytes of a file before it is rotated.", {
      otherwise: "100",
    }),
    "audit-log-compress": option(onOff, "false", "Compress rotated files."),
    "audit-log-version": AUDIT.version,
    "audit-log-mode": option(auditMode, "blocking", AUDIT.mode),
    "audit-log-batch-buffer-size": AUDIT.bufferSize,
    "audit-log-batch-max-size": option(count("events"), "1", AUDIT.maxSize),
    "audit-log-batch-max-wait": option(duration, "0s", AUDIT.maxWait),
    "audit-log-batch-throttle-enable": option(onOff, "false", AUDIT.throttle),
    "audit-log-batch-throttle-qps": option(rate, "0", AUDIT.qps),
    "audit-log-batch-throttle-burst": option(limit("batches"), "0", "Burst of batches with throttling."),
    "audit-log-truncate-enabled": AUDIT.truncate,
    "audit-log-truncate-max-batch-size": AUDIT.batchBytes,
    "audit-log-truncate-max-event-size": AUDIT.eventBytes,
    "audit-webhook-config-file": option(file, "", "A kubeconfig with the address that audit events are posted to."),
    "audit-webhook-initial-backoff": option(duration, "10s", "The delay before the first retry; it grows."),
    "audit-webhook-version": AUDIT.version,
    "audit-webhook-mode": option(auditMode, "batch", AUDIT.mode),
    "audit-webhook-batch-buffer-size": AUDIT.bufferSize,
    "audit-webhook-batch-max-size": option(count("events"), "400", AUDIT.maxSize),
    "audit-webhook-batch-max-wait": option(duration, "30s", AUDIT.maxWait),
    "audit-webhook-batch-throttle-enable": option(onOff, "true", AUDIT.throttle),
    "audit-webhook-batch-throttle-qps": option(rate, "10", AUDIT.qps),
    "audit-webhook-batch-throttle-burst": AUDIT.burst,
    "audit-webhook-truncate-enabled": AUDIT.truncate,
    "audit-webhook-truncate-max-batch-size": AUDIT.batchBytes,
    "audit-webhook-truncate-max-event-size": AUDIT.eventBytes,
  }),
};

/** The type of the value of a row. */
type ValueOf<R> = R extends { type: OptionType<infer T>; default: infer Preset }
  ? T | (Preset extends string ? never : undefined)
  : never;

/** The type of the value of each option, by key; durations are milliseconds. */
export type OptionValues = { readonly [Key in keyof typeof ROWS]: ValueOf<(typeof ROWS)[Key]> };

/** The key of an option: the name of its flag, without dashes, and its key in a configuration file. */
export type OptionKey = keyof OptionValues;

/** The type `"eventTtl"` of `"event-ttl"`. */
export type CamelCase<Key extends string> = Key extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Key;

type PropertyOf<Key extends OptionKey> = (typeof ROWS)[Key] extends { as: infer Name extends string }
  ? Name
  : CamelCase<Key>;

/** The type of the value of each option, by its name in `ServeOptions`. */
export type NamedValues = { readonly [Key in OptionKey as PropertyOf<Key>]: OptionValues[Key] };

/** Every option, in the order of help. */
export const OPTIONS: { readonly [Key in OptionKey]: OptionSpec } = ROWS;

/** The keys of all options, in the order of help. */
export const OPTION_KEYS: readonly OptionKey[] = Object.keys(OPTIONS) as OptionKey[];

/** Returns the names of an option, its key first. */
export const namesOf = (key: OptionKey): readonly string[] =>
  [key, OPTIONS[key].also].filter((name) => name !== undefined);

/** The keys of options by all of their names. */
export const OPTION_NAMES: ReadonlyMap<string, OptionKey> = new Map(
  OPTION_KEYS.flatMap((key) => namesOf(key).map((name) => [name, key])),
);

/** Returns the environment variable of an option. */
export const envName = (key: string): string => `KEELSON_${key.toUpperCase().replaceAll("-", "_")}`;

/** Returns the name of an option in a program: `eventTtl` for `event-ttl`. */
export const camelCase = (key: string): string => key.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Reads the value of every option from its text or its default. @throws ValueError for an invalid text */
export function valuesOf(texts: { readonly [Key in OptionKey]?: string }): NamedValues {
  const entries = OPTION_KEYS.map((key) => {
    const { type, default: preset, as = camelCase(key) } = OPTIONS[key];
    const given = texts[key] ?? preset;
    return [as, given === undefined ? undefined : readValue(key, type, given)];
  });
  return Object.fromEntries(entries) as NamedValues;
}
