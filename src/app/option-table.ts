/**
 * The table of options: flags, environment, configuration file, help, completion and the reference come from it.
 *
 * @module
 */
import type { AuthorizationMode } from "../auth/modes.ts";
import type { Dialect } from "../meta/dialect.ts";
import type { KindSet } from "../kinds/index.ts";
import type { Gate } from "../meta/gates.ts";
import { POD_MODES, type PodMode } from "../node/pod-modes.ts";
import { SERVICE_RANGES } from "../meta/service-ranges.ts";
import { LOG_LEVELS, type LogLevel } from "../util/log.ts";
import type { LogFormat } from "./log-format.ts";
import { AUDIT_OPTIONS, type AuditOptionValues } from "./audit/audit-options.ts";
import type { OptionSpec } from "./option-spec.ts";
import {
  controllers,
  count,
  dialect,
  directory,
  duration,
  file,
  gates,
  list,
  authorizationModes,
  plugins,
} from "./option-types.ts";
import { most, onOff, oneOf, port, portRange, serviceNetworks, text } from "./option-types.ts";

export { OPTION_GROUPS } from "./option-spec.ts";

/** The value of each option, by its key; durations are milliseconds. */
export interface OptionValues extends AuditOptionValues {
  readonly bind: string;
  readonly port: number;
  readonly "data-dir": string | undefined;
  readonly store: "sqlite" | "memory" | "etcd";
  readonly dev: boolean;
  readonly "read-only": boolean;
  readonly history: number;
  readonly "etcd-servers": readonly string[];
  readonly "etcd-prefix": string;
  readonly "etcd-cacert": string;
  readonly "etcd-cert": string;
  readonly "etcd-key": string;
  readonly dialect: Dialect | undefined;
  readonly "feature-gates": Readonly<Partial<Record<Gate, boolean>>>;
  readonly kinds: KindSet;
  readonly controllers: readonly string[];
  readonly "allow-privileged": boolean;
  readonly "enable-admission-plugins": readonly string[];
  readonly "disable-admission-plugins": readonly string[];
  readonly "event-ttl": number;
  readonly "service-cluster-ip-range": readonly string[];
  readonly "service-node-port-range": readonly [number, number];
  readonly "disable-force-detach-on-timeout": boolean;
  readonly "terminated-pod-gc-threshold": number;
  readonly node: string;
  readonly "node-dir": string;
  readonly "node-pods": PodMode;
  readonly "node-image-dir": string;
  readonly "authorization-mode": readonly AuthorizationMode[];
  readonly "authorization-config": string;
  readonly "authorization-webhook-config-file": string;
  readonly "authorization-webhook-version": "v1" | "v1beta1";
  readonly "authorization-webhook-cache-authorized-ttl": number;
  readonly "authorization-webhook-cache-unauthorized-ttl": number;
  readonly "tls-san": readonly string[];
  readonly "tls-cert-file": string;
  readonly "tls-private-key-file": string;
  readonly "anonymous-auth": boolean | undefined;
  readonly "client-ca-file": string;
  readonly "token-auth-file": string;
  readonly "enable-bootstrap-token-auth": boolean;
  readonly "authentication-token-webhook-config-file": string;
  readonly "authentication-token-webhook-cache-ttl": number;
  readonly "authentication-token-webhook-version": "v1" | "v1beta1";
  readonly "authentication-config": string;
  readonly "oidc-issuer-url": string;
  readonly "oidc-client-id": string;
  readonly "oidc-username-claim": string;
  readonly "oidc-username-prefix": string;
  readonly "oidc-groups-claim": string;
  readonly "oidc-groups-prefix": string;
  readonly "oidc-required-claim": readonly string[];
  readonly "oidc-signing-algs": readonly string[];
  readonly "oidc-ca-file": string;
  readonly "api-audiences": readonly string[];
  readonly "service-account-issuer": readonly string[];
  readonly "service-account-signing-key-file": string;
  readonly "service-account-key-file": readonly string[];
  readonly "service-account-jwks-uri": string;
  readonly "service-account-max-token-expiration": number | undefined;
  readonly "service-account-extend-token-expiration": boolean;
  readonly "requestheader-client-ca-file": string;
  readonly "requestheader-allowed-names": readonly string[];
  readonly "requestheader-username-headers": readonly string[];
  readonly "requestheader-uid-headers": readonly string[];
  readonly "requestheader-group-headers": readonly string[];
  readonly "requestheader-extra-headers-prefix": readonly string[];
  readonly "kubeconfig-out": string;
  readonly "encryption-provider-config": string;
  readonly "encryption-provider-config-automatic-reload": boolean;
  readonly "insecure-http": boolean;
  readonly "max-connections": number;
  readonly "max-connections-per-address": number | undefined;
  readonly "max-connections-per-user": number | undefined;
  readonly "max-requests-per-user": number;
  readonly "max-watches-per-user": number;
  readonly "enable-priority-and-fairness": boolean;
  readonly "max-requests-inflight": number;
  readonly "max-mutating-requests-inflight": number;
  readonly "request-timeout": number;
  readonly "min-request-timeout": number;
  readonly "shutdown-grace": number;
  readonly "log-level": LogLevel;
  readonly "log-format": LogFormat;
  readonly "access-log": string;
  readonly "slow-request": number;
}

/** The key of an option: its flag without dashes, and what it is called in a configuration file. */
export type OptionKey = keyof OptionValues;

/** Every option of a server, in the order of help. */
export const OPTIONS: { readonly [Key in OptionKey]: OptionSpec<Exclude<OptionValues[Key], undefined>> } = {
  bind: {
    group: "network",
    type: text("ADDRESS"),
    default: "127.0.0.1",
    about: "The address to listen on; 0.0.0.0 and :: are all addresses of the machine.",
    also: "bind-address",
    since: "0.1",
  },
  port: {
    group: "network",
    type: port,
    default: "6443",
    about: "The port to listen on; 0 takes any free one.",
    also: "secure-port",
    since: "0.1",
  },
  "data-dir": {
    group: "store",
    type: directory,
    otherwise: "$STATE_DIRECTORY where it is set, /var/lib/keelson for root, $XDG_DATA_HOME/keelson for others",
    about: "Where objects, certificates and the kubeconfig are kept.",
    since: "0.1",
  },
  store: {
    group: "store",
    type: oneOf("sqlite", "memory", "etcd"),
    default: "sqlite",
    about: "What objects are kept in: the data directory, nothing, or an etcd cluster.",
    since: "0.1",
  },
  dev: {
    group: "store",
    type: onOff,
    default: "false",
    about: "Keep nothing: a store in memory, and certificates that are thrown away.",
    since: "0.1",
  },
  "read-only": {
    group: "store",
    type: onOff,
    default: "false",
    about: "Serve what the data directory holds, write nothing to it, and refuse every write.",
    since: "0.1",
  },
  history: {
    group: "store",
    type: duration,
    default: "24h",
    about: "How long versions are kept that newer ones have taken the place of.",
    since: "0.1",
  },
  "etcd-servers": {
    group: "store",
    type: list("URL"),
    default: "",
    about: "Members of the etcd cluster, for --store etcd.",
    since: "0.1",
  },
  "etcd-prefix": {
    group: "store",
    type: text("PREFIX"),
    default: "/keelson",
    about: "What all keys in etcd begin with.",
    since: "0.1",
  },
  "etcd-cacert": {
    group: "store",
    type: file,
    default: "",
    otherwise: "the authorities that Node.js knows",
    about: "The authority that signed the certificates of etcd.",
    also: "etcd-cafile",
    since: "0.1",
  },
  "etcd-cert": {
    group: "store",
    type: file,
    default: "",
    about: "The client certificate for etcd.",
    also: "etcd-certfile",
    since: "0.1",
  },
  "etcd-key": {
    group: "store",
    type: file,
    default: "",
    about: "The key of the client certificate for etcd.",
    also: "etcd-keyfile",
    since: "0.1",
  },
  dialect: {
    group: "served",
    type: dialect,
    otherwise: "that of the data directory, neutral for a new one",
    about:
      "The names and rules of the API; kubectl and other Kubernetes clients want kubernetes. Fixed by the first start.",
    since: "0.1",
  },
  "feature-gates": {
    group: "served",
    type: gates,
    default: "",
    otherwise: "the defaults of the dialect",
    about: "Feature gates to switch on or off.",
    since: "0.1",
  },
  kinds: {
    group: "served",
    type: oneOf("all", "documents"),
    default: "all",
    about: "Which built-in kinds are served: all of them, or no workloads, networking and the like.",
    since: "0.1",
  },
  controllers: {
    group: "served",
    type: controllers,
    default: "*",
    about: "Controllers to run: * for all, none, NAME for that one, -NAME for all others.",
    since: "0.1",
  },
  "allow-privileged": {
    group: "served",
    type: onOff,
    default: "true",
    about:
      "Whether containers may be privileged, and processes of the node; where not, Pods that ask for it are refused.",
    since: "0.1",
  },
  "enable-admission-plugins": {
    group: "served",
    type: plugins,
    default: "",
    otherwise: "those that are marked below",
    about: "Steps of admission to run beside those that run by default.",
    since: "0.1",
  },
  "disable-admission-plugins": {
    group: "served",
    type: plugins,
    default: "",
    otherwise: "none",
    about: "Steps of admission that run by default and are not to.",
    since: "0.1",
  },
  "event-ttl": {
    group: "served",
    type: duration,
    default: "1h",
    about: "How long Events are kept after their last write.",
    since: "0.1",
  },
  "service-cluster-ip-range": {
    group: "served",
    type: serviceNetworks,
    default: SERVICE_RANGES.networks.join(","),
    about: "The network whose addresses Services are given, or one of each family; the first is the usual one.",
    since: "0.1",
  },
  "service-node-port-range": {
    group: "served",
    type: portRange,
    default: SERVICE_RANGES.nodePorts.join("-"),
    about: "The ports on nodes that Services are given.",
    since: "0.1",
  },
  "disable-force-detach-on-timeout": {
    group: "served",
    type: onOff,
    default: "false",
    about: "Leave what a node says it uses attached to it, however long it is not ready.",
    since: "0.1",
  },
  "terminated-pod-gc-threshold": {
    group: "served",
    type: most("pods"),
    default: "12500",
    about: "How many Pods that have ended are kept; beyond that the oldest are deleted.",
    since: "0.1",
  },
  node: {
    group: "node",
    type: text("NAME"),
    default: "",
    otherwise: "none",
    about: "Be a node of this name as well: its agent runs in the same process, and the authorizer Node is asked, too.",
    since: "0.1",
  },
  "node-dir": {
    group: "node",
    type: file,
    default: "",
    otherwise: "node in the data directory",
    about: "Where the node has the volumes of its Pods.",
    since: "0.1",
  },
  "node-pods": {
    group: "node",
    type: oneOf(...POD_MODES),
    default: "hold",
    about:
      "What the node does with containers once their volumes are there: hold them, say that they run, or run them.",
    since: "0.1",
  },
  "node-image-dir": {
    group: "node",
    type: file,
    default: "",
    otherwise: "no images",
    about: "Where images lie as directories, for volumes that are images; none is pulled.",
    since: "0.1",
  },
  "authorization-mode": {
    group: "security",
    type: authorizationModes,
    default: "RBAC",
    about: "Who decides what somebody may do, in the order in which they are asked.",
    since: "0.1",
  },
  "authorization-config": {
    group: "security",
    type: file,
    default: "",
    about:
      "An AuthorizationConfiguration that says who decides, in place of the mode; webhooks, too, each with its rules.",
    since: "0.1",
  },
  "authorization-webhook-config-file": {
    group: "security",
    type: file,
    default: "",
    about: "A kubeconfig with the address of the webhook that the mode Webhook asks.",
    since: "0.1",
  },
  "authorization-webhook-version": {
    group: "security",
    type: oneOf("v1", "v1beta1"),
    default: "v1",
    about: "The version of the SubjectAccessReview that the webhook is sent.",
    since: "0.1",
  },
  "authorization-webhook-cache-authorized-ttl": {
    group: "security",
    type: duration,
    default: "5m",
    about: "How long it counts that the webhook has allowed something.",
    since: "0.1",
  },
  "authorization-webhook-cache-unauthorized-ttl": {
    group: "security",
    type: duration,
    default: "30s",
    about: "How long it counts that the webhook has not allowed something.",
    since: "0.1",
  },
  "tls-san": {
    group: "security",
    type: list("NAME"),
    default: "",
    about: "More names and addresses that the certificate of the server is good for.",
    since: "0.1",
  },
  "tls-cert-file": {
    group: "security",
    type: file,
    default: "",
    about: "A certificate of yours for the server, or the chain that begins with it; read again when the file changes.",
    since: "0.1",
  },
  "tls-private-key-file": {
    group: "security",
    type: file,
    default: "",
    about: "The key of that certificate.",
    since: "0.1",
  },
  "anonymous-auth": {
    group: "security",
    type: onOff,
    otherwise: "true in the kubernetes dialect, false in the neutral one",
    about:
      "Whether requests without a credential are those of system:anonymous, of whom roles say what they may; never beside the mode AlwaysAllow.",
    since: "0.1",
  },
  "client-ca-file": {
    group: "security",
    type: file,
    default: "",
    about: "Authorities, beside the server's own, whose certificates name users.",
    since: "0.1",
  },
  "token-auth-file": {
    group: "security",
    type: file,
    default: "",
    about: 'A file of tokens with their users: lines of token,user,uid,"group1,group2". Read at the start.',
    since: "0.1",
  },
  "enable-bootstrap-token-auth": {
    group: "security",
    type: onOff,
    default: "false",
    about: "Take Secrets of type bootstrap.kubernetes.io/token in kube-system for tokens of nodes that come.",
    since: "0.1",
  },
  "authentication-token-webhook-config-file": {
    group: "security",
    type: file,
    default: "",
    about: "A kubeconfig of who judges tokens that nobody here knows; it is sent a TokenReview.",
    since: "0.1",
  },
  "authentication-token-webhook-cache-ttl": {
    group: "security",
    type: duration,
    default: "2m",
    about: "How long its answers count.",
    since: "0.1",
  },
  "authentication-token-webhook-version": {
    group: "security",
    type: oneOf("v1", "v1beta1"),
    default: "v1",
    about: "The version of the TokenReview that it is sent.",
    since: "0.1",
  },
  "authentication-config": {
    group: "security",
    type: file,
    default: "",
    about:
      "A file of kind AuthenticationConfiguration: issuers of tokens, and which paths are open to everybody. Read again when it changes.",
    since: "0.1",
  },
  "oidc-issuer-url": {
    group: "security",
    type: text("URL"),
    default: "",
    about: "The https URL of an OpenID Connect issuer whose tokens name users; needs oidc-client-id.",
    since: "0.1",
  },
  "oidc-client-id": {
    group: "security",
    type: text("ID"),
    default: "",
    about: "For whom tokens of the issuer must be.",
    since: "0.1",
  },
  "oidc-username-claim": {
    group: "security",
    type: text("CLAIM"),
    default: "sub",
    about: "The claim that is the name of the user.",
    since: "0.1",
  },
  "oidc-username-prefix": {
    group: "security",
    type: text("TEXT"),
    default: "",
    about:
      "What stands in front of the name; the issuer and # where nothing is said and the claim is not email, nothing for -.",
    since: "0.1",
  },
  "oidc-groups-claim": {
    group: "security",
    type: text("CLAIM"),
    default: "",
    about: "The claim that holds the groups of the user.",
    since: "0.1",
  },
  "oidc-groups-prefix": {
    group: "security",
    type: text("TEXT"),
    default: "",
    about: "What stands in front of each group.",
    since: "0.1",
  },
  "oidc-required-claim": {
    group: "security",
    type: list("CLAIM=VALUE"),
    default: "",
    about: "Claims that must have a value.",
    since: "0.1",
  },
  "oidc-signing-algs": {
    group: "security",
    type: list("NAME"),
    default: "RS256",
    about: "The algorithms that tokens of the issuer may be signed with.",
    since: "0.1",
  },
  "oidc-ca-file": {
    group: "security",
    type: file,
    default: "",
    about: "Authorities that the issuer is verified with; those of this machine by default.",
    since: "0.1",
  },
  "api-audiences": {
    group: "security",
    type: list("NAME"),
    default: "",
    otherwise: "the issuers of tokens of service accounts",
    about: "Whom tokens have to be for that are shown to this server.",
    since: "0.1",
  },
  "service-account-issuer": {
    group: "security",
    type: list("URL"),
    default: "",
    otherwise: "https://kubernetes.default.svc.cluster.local, in the neutral dialect https://svc.io",
    about: "Who signs tokens of service accounts: the first does, those of all are accepted.",
    since: "0.1",
  },
  "service-account-signing-key-file": {
    group: "security",
    type: file,
    default: "",
    otherwise: "the key in the data directory",
    about: "The private key that signs tokens of service accounts.",
    since: "0.1",
  },
  "service-account-key-file": {
    group: "security",
    type: list("FILE"),
    default: "",
    about: "More keys that tokens of service accounts may be signed with; they are published, too.",
    since: "0.1",
  },
  "service-account-jwks-uri": {
    group: "security",
    type: text("URL"),
    default: "",
    otherwise: "this server",
    about: "Where others read the keys of tokens, as the issuer's document says it.",
    since: "0.1",
  },
  "service-account-max-token-expiration": {
    group: "security",
    type: duration,
    about: "The longest that a token of a service account is good; who asks for more is told.",
    otherwise: "no bound but that of requests",
    since: "0.1",
  },
  "service-account-extend-token-expiration": {
    group: "security",
    type: onOff,
    default: "true",
    about: "Tokens of Pods work for a year, and are noted when they are used after their hour.",
    since: "0.1",
  },
  "requestheader-client-ca-file": {
    group: "security",
    type: file,
    default: "",
    about: "Authorities of the certificates of proxies in front, which say in headers who asks.",
    since: "0.1",
  },
  "requestheader-allowed-names": {
    group: "security",
    type: list("NAME"),
    default: "",
    otherwise: "any",
    about: "Common names of the proxies that are believed.",
    since: "0.1",
  },
  "requestheader-username-headers": {
    group: "security",
    type: list("HEADER"),
    default: "X-Remote-User",
    about: "Headers in which proxies name the user; the first that is there counts.",
    since: "0.1",
  },
  "requestheader-uid-headers": {
    group: "security",
    type: list("HEADER"),
    default: "X-Remote-Uid",
    about: "Headers in which proxies name the UID of the user.",
    since: "0.1",
  },
  "requestheader-group-headers": {
    group: "security",
    type: list("HEADER"),
    default: "X-Remote-Group",
    about: "Headers in which proxies name groups of the user.",
    since: "0.1",
  },
  "requestheader-extra-headers-prefix": {
    group: "security",
    type: list("PREFIX"),
    default: "X-Remote-Extra-",
    about: "What headers with further attributes of the user begin with.",
    since: "0.1",
  },
  "kubeconfig-out": {
    group: "security",
    type: file,
    default: "",
    about: "Where to write the kubeconfig of the admin when the server is ready; with --dev it is removed at the end.",
    since: "0.1",
  },
  "encryption-provider-config": {
    group: "security",
    type: file,
    default: "",
    otherwise: "objects are stored as they are",
    about: "A file with an EncryptionConfiguration: which resources are stored encrypted, and with which keys.",
    since: "0.1",
  },
  "encryption-provider-config-automatic-reload": {
    group: "security",
    type: onOff,
    default: "false",
    about: "Read that file again when it changes, and use it when all of its KMS plugins are well.",
    since: "0.1",
  },
  "insecure-http": {
    group: "security",
    type: onOff,
    default: "false",
    about: "Speak plain HTTP; on loopback addresses only.",
    since: "0.1",
  },
  "max-connections": {
    group: "limits",
    type: count("connections"),
    default: "20000",
    about: "Connections at the same time; fewer where the limit of open files leaves no room.",
    since: "0.1",
  },
  "max-connections-per-address": {
    group: "limits",
    type: count("connections"),
    otherwise: "nine of ten of all",
    about: "Connections from one address at the same time.",
    since: "0.1",
  },
  "max-connections-per-user": {
    group: "limits",
    type: most("connections"),
    otherwise: "half of all",
    about: "Connections of one user at the same time, of whom may do everything aside; 0 for no limit.",
    since: "0.1",
  },
  "max-requests-per-user": {
    group: "limits",
    type: most("requests"),
    default: "5000",
    about:
      "Requests of one user at the same time, watches aside, until their answers were taken, of whom may do everything aside; 0 for no limit.",
    since: "0.1",
  },
  "max-watches-per-user": {
    group: "limits",
    type: most("watches"),
    default: "10000",
    about: "Watches of one user at the same time, of whom may do everything aside; 0 for no limit.",
    since: "0.1",
  },
  "enable-priority-and-fairness": {
    group: "limits",
    type: onOff,
    default: "true",
    about:
      "Whether requests wait for each other by flow schemas and priority levels; else reads and writes are counted.",
    since: "0.1",
  },
  "max-requests-inflight": {
    group: "limits",
    type: most("requests"),
    default: "400",
    about: "Reads that run at the same time, 0 for no limit; with priority and fairness, seats that all levels share.",
    since: "0.1",
  },
  "max-mutating-requests-inflight": {
    group: "limits",
    type: most("requests"),
    default: "200",
    about: "Writes that run at the same time, 0 for no limit; with priority and fairness, further seats.",
    since: "0.1",
  },
  "request-timeout": {
    group: "limits",
    type: duration,
    default: "1m",
    about: "How long a request may take; watches and backups have no such end.",
    since: "0.1",
  },
  "min-request-timeout": {
    group: "limits",
    type: most("seconds"),
    default: "1800",
    about: "Seconds that a watch lasts at the least that asks for no time, and at most twice as long; 0 for no end.",
    since: "0.1",
  },
  "shutdown-grace": {
    group: "limits",
    type: duration,
    default: "30s",
    about: "How long running requests may take to end when the server stops.",
    since: "0.1",
  },
  "log-level": {
    group: "log",
    type: oneOf(...LOG_LEVELS),
    default: "info",
    about: "How much is logged.",
    since: "0.1",
  },
  "log-format": {
    group: "log",
    type: oneOf("text", "json"),
    default: "text",
    about: "How lines of the log look; with json there is one object a line on standard error, and nothing else.",
    since: "0.1",
  },
  "access-log": {
    group: "log",
    type: file,
    default: "",
    about: "A file for one line of JSON about each request; - is standard output.",
    since: "0.1",
  },
  "slow-request": {
    group: "log",
    type: duration,
    default: "1s",
    about: "Requests that take longer are logged, with where the time went.",
    since: "0.1",
  },
  ...AUDIT_OPTIONS,
};

/** The keys of all options, in the order of help. */
export const OPTION_KEYS: readonly OptionKey[] = Object.keys(OPTIONS) as OptionKey[];

/** Every name that an option goes by, with its key. */
export const OPTION_NAMES: ReadonlyMap<string, OptionKey> = new Map(
  OPTION_KEYS.flatMap((key) => [key, OPTIONS[key].also ?? key].map((name) => [name, key])),
);

/** The environment variable of an option. */
export const envName = (key: string): string => `KEELSON_${key.toUpperCase().replaceAll("-", "_")}`;
