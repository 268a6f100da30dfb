/**
 * Every option of `keelson serve`, one row each: flags, variables of the environment, keys of the configuration file, help,
 * completion, the page of the reference and the types of what a program is given come from here.
 *
 * A row says the name, the type (which reads and checks a value), the default, and what the option does. To add one, add a row
 * and use its value: `event-ttl` is `eventTtl` in `ServeOptions`, where the row has no other name for it.
 *
 * @module
 */
import { POD_MODES } from "../../node/pod-modes.ts";
import { SERVICE_RANGES } from "../../meta/service-ranges.ts";
import { LOG_LEVELS } from "../../util/log.ts";
import {
  type OptionType,
  authorizationModes,
  controllers,
  count,
  dialect,
  directory,
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
  most,
  nodeName,
  onOff,
  oneOf,
  plugins,
  port,
  portRange,
  rate,
  readValue,
  seconds,
  serviceNetworks,
  text,
} from "./types.ts";

/** What a row may say beside its type, its default and its sentence. */
interface More {
  /** What holds by default, in words, where no text says it. */
  readonly otherwise?: string;
  /** What kube-apiserver calls the same; taken as a second name. */
  readonly also?: string;
  /** What `ServeOptions` calls the value, where that is not the key in camel case. */
  readonly as?: string;
  /** The option that has to be given, too, where this one is. */
  readonly needs?: string;
  /** The options that may not be given where this one is. */
  readonly excludes?: readonly string[];
}

/** One option, as everything but the types sees it. */
export interface OptionSpec extends More {
  /** The heading that it stands under, in help and on the page. */
  readonly group: string;
  readonly type: OptionType<unknown>;
  /** The text of the default; undefined when there is no value by default. */
  readonly default: string | undefined;
  /** One sentence that says what the option does. */
  readonly about: string;
  /** The version of Keelson that promised it first. */
  readonly since: string;
}

/** A row: a value of a type, with the text of its default. */
const option = <T, const Preset extends string | undefined, const Rest extends More = object>(
  type: OptionType<T>,
  preset: Preset,
  about: string,
  more?: Rest,
) => ({ type, default: preset, about, ...more }) as { type: OptionType<T>; default: Preset; about: string } & Rest;

/** Rows under one heading, which a version has promised first. */
const section = <Rows extends Readonly<Record<string, object>>>(group: string, since: string, rows: Rows) =>
  Object.fromEntries(Object.entries(rows).map(([key, row]) => [key, { ...row, group, since }])) as {
    [Key in keyof Rows]: Rows[Key] & { group: string; since: string };
  };

const auditMode = oneOf("batch", "blocking", "blocking-strict");
const auditVersion = oneOf("audit.k8s.io/v1");

/** What says the same of a file of audit events and of a webhook for them. */
const AUDIT = {
  mode: "Whether answers wait for their events; strict: without an event there is no answer.",
  version: option(auditVersion, "audit.k8s.io/v1", "The form of events; there is one."),
  bufferSize: option(count("events"), "10000", "Events that may wait in mode batch; more are dropped."),
  maxSize: "Events of a batch.",
  maxWait: "How long a batch waits to become full.",
  throttle: "Whether batches are throttled.",
  qps: "Batches a second, where they are throttled.",
  burst: option(count("batches"), "15", "Batches at once after a quiet time, in mode batch."),
  truncate: option(onOff, "false", "Leave objects out of events that are too large."),
  batchBytes: option(count("bytes"), "10485760", "Bytes of a batch, where events are cut."),
  eventBytes: option(count("bytes"), "102400", "Bytes of an event, where events are cut."),
};

const ROWS = {
  ...section("Network", "0.1", {
    bind: option(
      text("ADDRESS"),
      "127.0.0.1",
      "The address to listen on; 0.0.0.0 and :: are all addresses of the machine.",
      { also: "bind-address" },
    ),
    port: option(port, "6443", "The port to listen on; 0 takes any free one.", { also: "secure-port" }),
  }),
  ...section("Store", "0.1", {
    "data-dir": option(directory, undefined, "Where objects, certificates and the kubeconfig are kept.", {
      otherwise: "$STATE_DIRECTORY where it is set, /var/lib/keelson for root, $XDG_DATA_HOME/keelson for others",
    }),
    store: option(
      oneOf("sqlite", "memory", "etcd"),
      "sqlite",
      "What objects are kept in: the data directory, nothing, or an etcd cluster.",
    ),
    dev: option(onOff, "false", "Keep nothing: a store in memory, and certificates that are thrown away."),
    "read-only": option(
      onOff,
      "false",
      "Serve what the data directory holds, write nothing to it, and refuse every write.",
    ),
    history: option(duration, "24h", "How long versions are kept that newer ones have taken the place of.", {
      as: "historyMillis",
    }),
    "etcd-servers": option(etcdServers, "", "Members of the etcd cluster, for --store etcd."),
    "etcd-prefix": option(keyPrefix, "/keelson", "What all keys in etcd begin with."),
    "etcd-cacert": option(file, "", "The authority that signed the certificates of etcd.", {
      otherwise: "the authorities that Node.js knows",
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
      "The names and rules of the API; kubectl and other Kubernetes clients want kubernetes. Fixed by the first start.",
      { otherwise: "that of the data directory, neutral for a new one" },
    ),
    "feature-gates": option(gates, "", "Feature gates to switch on or off.", {
      otherwise: "the defaults of the dialect",
    }),
    kinds: option(
      oneOf("all", "documents"),
      "all",
      "Which built-in kinds are served: all of them, or no workloads, networking and the like.",
    ),
    controllers: option(
      controllers,
      "*",
      "Controllers to run: * for all, none, NAME for that one, -NAME for all others.",
    ),
    "allow-privileged": option(
      onOff,
      "true",
      "Whether containers may be privileged, and processes of the node; where not, Pods that ask for it are refused.",
      { as: "allowsPrivileged" },
    ),
    "enable-admission-plugins": option(plugins, "", "Steps of admission to run beside those that run by default.", {
      otherwise: "those that are marked below",
    }),
    "disable-admission-plugins": option(plugins, "", "Steps of admission that run by default and are not to.", {
      otherwise: "none",
    }),
    "event-ttl": option(duration, "1h", "How long Events are kept after their last write.", { as: "eventTtlMillis" }),
    "service-cluster-ip-range": option(
      serviceNetworks,
      SERVICE_RANGES.networks.join(","),
      "The network whose addresses Services are given, or one of each family; the first is the usual one.",
    ),
    "service-node-port-range": option(
      portRange,
      SERVICE_RANGES.nodePorts.join("-"),
      "The ports on nodes that Services are given.",
    ),
    "disable-force-detach-on-timeout": option(
      onOff,
      "false",
      "Leave what a node says it uses attached to it, however long it is not ready.",
    ),
    "terminated-pod-gc-threshold": option(
      most("pods"),
      "12500",
      "How many Pods that have ended are kept; beyond that the oldest are deleted.",
      { as: "endedPods" },
    ),
  }),
  ...section("Node", "0.1", {
    node: option(
      nodeName,
      "",
      "Be a node of this name as well: its agent runs in the same process, and the authorizer Node is asked, too.",
      { otherwise: "none", as: "nodeName" },
    ),
    "node-dir": option(file, "", "Where the node has the volumes of its Pods.", {
      otherwise: "node in the data directory",
    }),
    "node-pods": option(
      oneOf(...POD_MODES),
      "hold",
      "What the node does with containers once their volumes are there: hold them, say that they run, or run them.",
    ),
    "node-image-dir": option(
      file,
      "",
      "Where images lie as directories, for volumes that are images; none is pulled.",
      { otherwise: "no images" },
    ),
  }),
  ...section("Security", "0.1", {
    "authorization-mode": option(
      authorizationModes,
      "RBAC",
      "Who decides what somebody may do, in the order in which they are asked.",
    ),
    "authorization-config": option(
      file,
      "",
      "An AuthorizationConfiguration that says who decides, in place of the mode; webhooks, too, each with its rules.",
      { excludes: ["authorization-mode", "authorization-webhook-config-file"] },
    ),
    "authorization-webhook-config-file": option(
      file,
      "",
      "A kubeconfig with the address of the webhook that the mode Webhook asks.",
    ),
    "authorization-webhook-version": option(
      oneOf("v1", "v1beta1"),
      "v1",
      "The version of the SubjectAccessReview that the webhook is sent.",
    ),
    "authorization-webhook-cache-authorized-ttl": option(
      duration,
      "5m",
      "How long it counts that the webhook has allowed something.",
    ),
    "authorization-webhook-cache-unauthorized-ttl": option(
      duration,
      "30s",
      "How long it counts that the webhook has not allowed something.",
    ),
    "tls-san": option(list("NAME"), "", "More names and addresses that the certificate of the server is good for.", {
      as: "tlsSans",
    }),
    "tls-cert-file": option(
      file,
      "",
      "A certificate of yours for the server, or the chain that begins with it; read again when the file changes.",
      { needs: "tls-private-key-file" },
    ),
    "tls-private-key-file": option(file, "", "The key of that certificate.", { needs: "tls-cert-file" }),
    "anonymous-auth": option(
      onOff,
      undefined,
      "Whether requests without a credential are those of system:anonymous, of whom roles say what they may; never beside the mode AlwaysAllow.",
      { otherwise: "true in the kubernetes dialect, false in the neutral one" },
    ),
    "client-ca-file": option(file, "", "Authorities, beside the server's own, whose certificates name users."),
    "token-auth-file": option(
      file,
      "",
      'A file of tokens with their users: lines of token,user,uid,"group1,group2". Read at the start.',
    ),
    "enable-bootstrap-token-auth": option(
      onOff,
      "false",
      "Take Secrets of type bootstrap.kubernetes.io/token in kube-system for tokens of nodes that come.",
    ),
    "authentication-token-webhook-config-file": option(
      file,
      "",
      "A kubeconfig of who judges tokens that nobody here knows; it is sent a TokenReview.",
    ),
    "authentication-token-webhook-cache-ttl": option(duration, "2m", "How long its answers count."),
    "authentication-token-webhook-version": option(
      oneOf("v1", "v1beta1"),
      "v1",
      "The version of the TokenReview that it is sent.",
    ),
    "authentication-config": option(
      file,
      "",
      "A file of kind AuthenticationConfiguration: issuers of tokens, and which paths are open to everybody. Read again when it changes.",
    ),
    "oidc-issuer-url": option(
      text("URL"),
      "",
      "The https URL of an OpenID Connect issuer whose tokens name users; needs oidc-client-id.",
    ),
    "oidc-client-id": option(text("ID"), "", "For whom tokens of the issuer must be."),
    "oidc-username-claim": option(text("CLAIM"), "sub", "The claim that is the name of the user."),
    "oidc-username-prefix": option(
      text("TEXT"),
      "",
      "What stands in front of the name; the issuer and # where nothing is said and the claim is not email, nothing for -.",
    ),
    "oidc-groups-claim": option(text("CLAIM"), "", "The claim that holds the groups of the user."),
    "oidc-groups-prefix": option(text("TEXT"), "", "What stands in front of each group."),
    "oidc-required-claim": option(list("CLAIM=VALUE"), "", "Claims that must have a value."),
    "oidc-signing-algs": option(list("NAME"), "RS256", "The algorithms that tokens of the issuer may be signed with."),
    "oidc-ca-file": option(file, "", "Authorities that the issuer is verified with; those of this machine by default."),
    "api-audiences": option(list("NAME"), "", "Whom tokens have to be for that are shown to this server.", {
      otherwise: "the issuers of tokens of service accounts",
    }),
    "service-account-issuer": option(
      issuers,
      "",
      "Who signs tokens of service accounts: the first does, those of all are accepted.",
      { otherwise: "https://kubernetes.default.svc.cluster.local, in the neutral dialect https://svc.io" },
    ),
    "service-account-signing-key-file": option(file, "", "The private key that signs tokens of service accounts.", {
      otherwise: "the key in the data directory",
    }),
    "service-account-key-file": option(
      files,
      "",
      "More keys that tokens of service accounts may be signed with; they are published, too.",
    ),
    "service-account-jwks-uri": option(
      text("URL"),
      "",
      "Where others read the keys of tokens, as the issuer's document says it.",
      { otherwise: "this server" },
    ),
    "service-account-max-token-expiration": option(
      durationWithin("1h", `${2 ** 32}s`),
      undefined,
      "The longest that a token of a service account is good; who asks for more is told.",
      { otherwise: "no bound but that of requests" },
    ),
    "service-account-extend-token-expiration": option(
      onOff,
      "true",
      "Tokens of Pods work for a year, and are noted when they are used after their hour.",
    ),
    "requestheader-client-ca-file": option(
      file,
      "",
      "Authorities of the certificates of proxies in front, which say in headers who asks.",
    ),
    "requestheader-allowed-names": option(list("NAME"), "", "Common names of the proxies that are believed.", {
      otherwise: "any",
    }),
    "requestheader-username-headers": option(
      list("HEADER"),
      "X-Remote-User",
      "Headers in which proxies name the user; the first that is there counts.",
    ),
    "requestheader-uid-headers": option(
      list("HEADER"),
      "X-Remote-Uid",
      "Headers in which proxies name the UID of the user.",
    ),
    "requestheader-group-headers": option(
      list("HEADER"),
      "X-Remote-Group",
      "Headers in which proxies name groups of the user.",
    ),
    "requestheader-extra-headers-prefix": option(
      list("PREFIX"),
      "X-Remote-Extra-",
      "What headers with further attributes of the user begin with.",
    ),
    "kubeconfig-out": option(
      file,
      "",
      "Where to write the kubeconfig of the admin when the server is ready; with --dev it is removed at the end.",
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
      "Read that file again when it changes, and use it when all of its KMS plugins are well.",
      { needs: "encryption-provider-config" },
    ),
    "insecure-http": option(onOff, "false", "Speak plain HTTP; on loopback addresses only."),
  }),
  ...section("Limits", "0.1", {
    "max-connections": option(
      count("connections"),
      "20000",
      "Connections at the same time; fewer where the limit of open files leaves no room.",
    ),
    "max-connections-per-address": option(
      count("connections"),
      undefined,
      "Connections from one address at the same time.",
      { otherwise: "nine of ten of all" },
    ),
    "max-connections-per-user": option(
      most("connections"),
      undefined,
      "Connections of one user at the same time, of whom may do everything aside; 0 for no limit.",
      { otherwise: "half of all" },
    ),
    "max-requests-per-user": option(
      most("requests"),
      "5000",
      "Requests of one user at the same time, watches aside, until their answers were taken, of whom may do everything aside; 0 for no limit.",
    ),
    "max-watches-per-user": option(
      most("watches"),
      "10000",
      "Watches of one user at the same time, of whom may do everything aside; 0 for no limit.",
    ),
    "enable-priority-and-fairness": option(
      onOff,
      "true",
      "Whether requests wait for each other by flow schemas and priority levels; else reads and writes are counted.",
      { as: "fairness" },
    ),
    "max-requests-inflight": option(
      most("requests"),
      "400",
      "Reads that run at the same time, 0 for no limit; with priority and fairness, seats that all levels share.",
      { as: "maxReads" },
    ),
    "max-mutating-requests-inflight": option(
      most("requests"),
      "200",
      "Writes that run at the same time, 0 for no limit; with priority and fairness, further seats.",
      { as: "maxWrites" },
    ),
    "request-timeout": option(duration, "1m", "How long a request may take; watches and backups have no such end.", {
      as: "requestMillis",
    }),
    "min-request-timeout": option(
      seconds,
      "1800",
      "Seconds that a watch lasts at the least that asks for no time, and at most twice as long; 0 for no end.",
      { as: "watchMillis" },
    ),
    "shutdown-grace": option(duration, "30s", "How long running requests may take to end when the server stops.", {
      as: "graceMillis",
    }),
  }),
  ...section("Log", "0.1", {
    "log-level": option(oneOf(...LOG_LEVELS), "info", "How much is logged."),
    "log-format": option(
      oneOf("text", "json"),
      "text",
      "How lines of the log look; with json there is one object a line on standard error, and nothing else.",
    ),
    "access-log": option(fileOrOutput, "", "A file for one line of JSON about each request; - is standard output."),
    "slow-request": option(duration, "1s", "Requests that take longer are logged, with where the time went.", {
      as: "slowMillis",
    }),
  }),
  ...section("Audit", "0.2", {
    "audit-policy-file": option(file, "", "What is written down of requests (audit.k8s.io/v1); nothing without it."),
    "audit-log-path": option(fileOrOutput, "", "A file for audit events; - is standard output."),
    "audit-log-format": option(oneOf("json", "legacy"), "json", "How a line looks: the whole event, or a part of it."),
    "audit-log-maxage": option(most("days"), "0", "Days that old files are kept.", { otherwise: "any age" }),
    "audit-log-maxbackup": option(most("files"), "0", "Old files that are kept.", { otherwise: "any number" }),
    "audit-log-maxsize": option(most("megabytes"), "0", "Megabytes of a file before it is put aside.", {
      otherwise: "100",
    }),
    "audit-log-compress": option(onOff, "false", "Compress files that are put aside."),
    "audit-log-version": AUDIT.version,
    "audit-log-mode": option(auditMode, "blocking", AUDIT.mode),
    "audit-log-batch-buffer-size": AUDIT.bufferSize,
    "audit-log-batch-max-size": option(count("events"), "1", AUDIT.maxSize),
    "audit-log-batch-max-wait": option(duration, "0s", AUDIT.maxWait),
    "audit-log-batch-throttle-enable": option(onOff, "false", AUDIT.throttle),
    "audit-log-batch-throttle-qps": option(rate, "0", AUDIT.qps),
    "audit-log-batch-throttle-burst": option(most("batches"), "0", "Batches at once, where they are throttled."),
    "audit-log-truncate-enabled": AUDIT.truncate,
    "audit-log-truncate-max-batch-size": AUDIT.batchBytes,
    "audit-log-truncate-max-event-size": AUDIT.eventBytes,
    "audit-webhook-config-file": option(file, "", "A kubeconfig with the address that audit events are posted to."),
    "audit-webhook-initial-backoff": option(duration, "10s", "The pause before the second try; it grows."),
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

/** The value of a row; undefined where none is given and there is no default. */
type ValueOf<R> = R extends { type: OptionType<infer T>; default: infer Preset }
  ? T | (Preset extends string ? never : undefined)
  : never;

/** The value of each option, by its key; durations are milliseconds. */
export type OptionValues = { readonly [Key in keyof typeof ROWS]: ValueOf<(typeof ROWS)[Key]> };

/** The key of an option: its flag without dashes, and what it is called in a configuration file. */
export type OptionKey = keyof OptionValues;

/** `eventTtl` of `event-ttl`. */
export type CamelCase<Key extends string> = Key extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Key;

type PropertyOf<Key extends OptionKey> = (typeof ROWS)[Key] extends { as: infer Name extends string }
  ? Name
  : CamelCase<Key>;

/** The value of each option, by the name of its property. */
export type NamedValues = { readonly [Key in OptionKey as PropertyOf<Key>]: OptionValues[Key] };

/** Every option, in the order of help. */
export const OPTIONS: { readonly [Key in OptionKey]: OptionSpec } = ROWS;

/** The keys of all options, in the order of help. */
export const OPTION_KEYS: readonly OptionKey[] = Object.keys(OPTIONS) as OptionKey[];

/** The names of an option, the usual one first. */
export const namesOf = (key: OptionKey): readonly string[] =>
  [key, OPTIONS[key].also].filter((name) => name !== undefined);

/** Every name that an option goes by, with its key. */
export const OPTION_NAMES: ReadonlyMap<string, OptionKey> = new Map(
  OPTION_KEYS.flatMap((key) => namesOf(key).map((name) => [name, key])),
);

/** The environment variable of an option. */
export const envName = (key: string): string => `KEELSON_${key.toUpperCase().replaceAll("-", "_")}`;

/** What a program calls an option: `eventTtl` for `event-ttl`. */
export const camelCase = (key: string): string => key.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** The value of every option from the texts that were given, else from its default. @throws ValueError for a text that is none */
export function valuesOf(texts: { readonly [Key in OptionKey]?: string }): NamedValues {
  const entries = OPTION_KEYS.map((key) => {
    const { type, default: preset, as = camelCase(key) } = OPTIONS[key];
    const given = texts[key] ?? preset;
    return [as, given === undefined ? undefined : readValue(key, type, given)];
  });
  return Object.fromEntries(entries) as NamedValues;
}
