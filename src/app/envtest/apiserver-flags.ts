/**
 * What a command line of kube-apiserver asks for, as far as there is something to do for it.
 *
 * @module
 */
import { ADMISSION_PLUGINS, type PluginChoice } from "../../admission/names.ts";
import { type PlainMode, isAuthorizationMode } from "../../auth/modes.ts";
import { GATES, GATE_FACTS, type Gate } from "../../meta/gates.ts";
import { AUDIT_KEYS, type AuditOptions, auditFrom } from "../options/audit-options.ts";
import { OPTIONS } from "../options/table.ts";
import {
  OptionError,
  type OptionType,
  duration,
  expected,
  most,
  onOff,
  port,
  readValue,
  seconds,
} from "../options/types.ts";
import { type AuthenticationSettings, NO_OIDC, PROXY_HEADERS } from "../options/authentication-settings.ts";
import { type GoFlags, isVerbose, lastOf, partsOf } from "./go-flags.ts";

/** What is started. Files are named and not read yet; a name that was not given is empty. */
export interface ApiServerPlan {
  readonly host: string;
  readonly port: number;
  /** The certificate of the server; where these are empty, `apiserver.crt` and `apiserver.key` of the directory. */
  readonly certificate: { readonly certFile: string; readonly keyFile: string; readonly directory: string };
  /** Who is believed to be who. */
  readonly authentication: AuthenticationSettings;
  /** Who decides what somebody may do, in their order. */
  readonly authorization: readonly PlainMode[];
  readonly etcd: {
    readonly servers: readonly string[];
    readonly prefix: string;
    readonly caFile: string;
    readonly certFile: string;
    readonly keyFile: string;
  };
  /** Which objects are stored encrypted: a file that says so, and whether it is read again when it changes. */
  readonly encryption: { readonly file: string; readonly reload: boolean } | undefined;
  readonly gates: Readonly<Partial<Record<Gate, boolean>>>;
  /** Which versions of which groups are served: see {@link isServed}. */
  readonly versions: ReadonlyMap<string, boolean>;
  /** Which steps of admission run: all that a real one runs by itself, but those that are left out. */
  readonly plugins: PluginChoice;
  /** Whether requests run by priority and fairness, and how many reads and writes at a time. */
  readonly fairness: boolean;
  readonly reads: number;
  readonly writes: number;
  readonly requestMillis: number;
  /** How long a watch lasts at the least that asked for no time. */
  readonly watchMillis: number;
  /** Whether containers may be privileged. */
  readonly allowsPrivileged: boolean;
  readonly audit: AuditOptions;
  /** Whether each request is logged. */
  readonly isVerbose: boolean;
  /** Flags, and parts of flags, that change nothing here. */
  readonly unheeded: readonly string[];
}

/** The flags that mean something here, with what they say. */
export const API_SERVER_FLAGS: Readonly<Record<string, string>> = {
  "allow-privileged": "Whether containers may be privileged, and processes of the node: true by default.",
  "anonymous-auth": "Whether requests without a credential are those of system:anonymous.",
  "api-audiences": "Audiences of tokens of service accounts; the issuer by default.",
  "authentication-token-webhook-cache-ttl": "How long the answers of the webhook for tokens count.",
  "authentication-token-webhook-config-file": "A kubeconfig of who judges tokens that nobody here knows.",
  "authentication-token-webhook-version": "The version of the reviews that it is sent.",
  "authorization-mode": "Who decides what somebody may do: RBAC by default.",
  "bind-address": "The address to listen on.",
  "cert-dir": "Where apiserver.crt and apiserver.key are, or are made.",
  "client-ca-file": "Whose client certificates are believed.",
  "disable-admission-plugins": "Steps of admission that are left out.",
  "enable-admission-plugins": "Steps of admission that are not left out.",
  "enable-bootstrap-token-auth": "Secrets are tokens of nodes that come.",
  "enable-priority-and-fairness": "Whether requests wait for each other by flow schemas and priority levels.",
  "encryption-provider-config": "A file that says which objects are stored encrypted, and with which keys.",
  "encryption-provider-config-automatic-reload": "Whether that file is read again when it changes.",
  "etcd-cafile": "The authority of etcd.",
  "etcd-certfile": "The client certificate for etcd.",
  "etcd-keyfile": "The key of that certificate.",
  "etcd-prefix": "What keys in etcd begin with.",
  "etcd-servers": "Where etcd is: the one beside this program, or a real one.",
  "feature-gates": "Feature gates to switch on or off.",
  "max-mutating-requests-inflight": "Writes that run at the same time; with fairness, seats that levels share.",
  "max-requests-inflight": "Reads that run at the same time; with fairness, further seats.",
  "min-request-timeout": "Seconds that a watch lasts at the least that asks for no time; at most twice as long.",
  "request-timeout": "How long a request may take.",
  "requestheader-allowed-names": "Common names of proxies that are believed.",
  "requestheader-client-ca-file": "Whose proxies are believed.",
  "requestheader-extra-headers-prefix": "What headers with further attributes begin with.",
  "requestheader-group-headers": "Headers with groups.",
  "requestheader-uid-headers": "Headers with the UID of the user.",
  "requestheader-username-headers": "Headers with the user.",
  "runtime-config": "Versions of groups to serve or not: api/beta=false, apps/v1=false.",
  "secure-port": "The port to listen on.",
  "service-account-issuer": "Who signs tokens of service accounts.",
  "service-account-extend-token-expiration": "Tokens of Pods work for a year.",
  "service-account-jwks-uri": "Where the keys of tokens can be read.",
  "service-account-key-file": "Keys that such tokens may be signed with.",
  "service-account-max-token-expiration": "The longest that such tokens are good.",
  "service-account-signing-key-file": "The key that they are signed with.",
  "tls-cert-file": "The certificate of the server.",
  "tls-private-key-file": "Its key.",
  "authentication-config": "A file with issuers of tokens.",
  "oidc-issuer-url": "An issuer of tokens.",
  "oidc-client-id": "For whom its tokens must be.",
  "oidc-username-claim": "The claim that is the name of the user.",
  "oidc-username-prefix": "What stands in front of the name.",
  "oidc-groups-claim": "The claim that holds the groups of the user.",
  "oidc-groups-prefix": "What stands in front of each group.",
  "oidc-required-claim": "Claims that must have a value.",
  "oidc-signing-algs": "The algorithms that its tokens may be signed with.",
  "oidc-ca-file": "Authorities that the issuer is verified with.",
  "token-auth-file": "A file of tokens, with the users that they stand for.",
  ...Object.fromEntries(AUDIT_KEYS.map((key) => [key, OPTIONS[key].about])),
  v: "4 and more logs each request.",
};

/** The plan of a command line. @throws OptionError for a value that means nothing */
export function planApiServer(flags: GoFlags): ApiServerPlan {
  const fileOf = (name: string): string => lastOf(flags, name) ?? "";
  const gates = gatesOf(partsOf(flags, "feature-gates"));
  const modes = modesOf(partsOf(flags, "authorization-mode"));
  return {
    host: lastOf(flags, "bind-address") ?? "0.0.0.0",
    port: valueOf(flags, "secure-port", port, 6443),
    certificate: certificateOf(flags),
    authentication: authenticationOf(flags),
    authorization: modes.known,
    etcd: {
      servers: etcdServersOf(flags),
      prefix: lastOf(flags, "etcd-prefix") ?? "/registry",
      caFile: fileOf("etcd-cafile"),
      certFile: fileOf("etcd-certfile"),
      keyFile: fileOf("etcd-keyfile"),
    },
    encryption: encryptionOf(flags),
    gates: gates.known,
    versions: new Map(partsOf(flags, "runtime-config").map((part) => switchOf("runtime-config", part))),
    plugins: pluginsOf(flags),
    fairness: valueOf(flags, "enable-priority-and-fairness", onOff, true),
    reads: valueOf(flags, "max-requests-inflight", most("requests"), 400),
    writes: valueOf(flags, "max-mutating-requests-inflight", most("requests"), 200),
    requestMillis: valueOf(flags, "request-timeout", duration, 60_000),
    watchMillis: valueOf(flags, "min-request-timeout", seconds, 1_800_000),
    allowsPrivileged: valueOf(flags, "allow-privileged", onOff, true),
    audit: auditFrom((key) => lastOf(flags, key)),
    isVerbose: isVerbose(flags),
    unheeded: [
      ...[...flags.keys()].filter((name) => !Object.hasOwn(API_SERVER_FLAGS, name)),
      ...gates.unknown.map((name) => `feature-gates ${name}`),
      ...modes.unknown.map((name) => `authorization-mode ${name}`),
    ],
  };
}

function encryptionOf(flags: GoFlags): ApiServerPlan["encryption"] {
  const file = lastOf(flags, "encryption-provider-config") ?? "";
  const reload = valueOf(flags, "encryption-provider-config-automatic-reload", onOff, false);
  if (file !== "") return { file, reload };
  if (!reload) return undefined;
  throw expected("encryption-provider-config-automatic-reload", "given with --encryption-provider-config", "true");
}

function authenticationOf(flags: GoFlags): AuthenticationSettings {
  const fileOf = (name: string): string => lastOf(flags, name) ?? "";
  const partsOr = (name: string, preset: readonly string[]): readonly string[] =>
    flags.has(name) ? partsOf(flags, name) : preset;
  const longest = valueOf(flags, "service-account-max-token-expiration", duration, 0);
  return {
    clientCaFile: fileOf("client-ca-file"),
    proxy: {
      caFile: fileOf("requestheader-client-ca-file"),
      allowedNames: partsOf(flags, "requestheader-allowed-names"),
      userHeaders: partsOr("requestheader-username-headers", PROXY_HEADERS.userHeaders),
      uidHeaders: partsOr("requestheader-uid-headers", PROXY_HEADERS.uidHeaders),
      groupHeaders: partsOr("requestheader-group-headers", PROXY_HEADERS.groupHeaders),
      extraPrefixes: partsOr("requestheader-extra-headers-prefix", PROXY_HEADERS.extraPrefixes),
    },
    tokenFile: fileOf("token-auth-file"),
    webhook: {
      configFile: fileOf("authentication-token-webhook-config-file"),
      cacheMillis: valueOf(flags, "authentication-token-webhook-cache-ttl", duration, 120_000),
      version: lastOf(flags, "authentication-token-webhook-version") === "v1beta1" ? "v1beta1" : "v1",
    },
    bootstrapTokens: valueOf(flags, "enable-bootstrap-token-auth", onOff, false),
    anonymous: flags.has("anonymous-auth") ? valueOf(flags, "anonymous-auth", onOff, true) : undefined,
    accounts: {
      issuers: flags.get("service-account-issuer") ?? [],
      audiences: partsOf(flags, "api-audiences"),
      keyFiles: partsOf(flags, "service-account-key-file"),
      signingKeyFile: fileOf("service-account-signing-key-file"),
      maxSeconds: longest === 0 ? undefined : Math.floor(longest / 1000),
      extendsExpiration: valueOf(flags, "service-account-extend-token-expiration", onOff, true),
      jwksUri: fileOf("service-account-jwks-uri"),
    },
    oidc: {
      configFile: fileOf("authentication-config"),
      caFile: fileOf("oidc-ca-file"),
      issuerUrl: fileOf("oidc-issuer-url"),
      clientId: fileOf("oidc-client-id"),
      usernameClaim: lastOf(flags, "oidc-username-claim") ?? NO_OIDC.usernameClaim,
      usernamePrefix: fileOf("oidc-username-prefix"),
      groupsClaim: fileOf("oidc-groups-claim"),
      groupsPrefix: fileOf("oidc-groups-prefix"),
      requiredClaims: partsOf(flags, "oidc-required-claim"),
      algorithms: partsOr("oidc-signing-algs", NO_OIDC.algorithms),
    },
  };
}

const isHere = (name: string): name is PlainMode => isAuthorizationMode(name) && name !== "Webhook";

/** Modes that there are here, and the names of those that there are not. Roles decide where nobody is named. */
function modesOf(names: readonly string[]): { known: readonly PlainMode[]; unknown: readonly string[] } {
  const known = [...new Set(names.filter(isHere))];
  return {
    known: known.length > 0 ? known : ["RBAC"],
    unknown: names.filter((name) => !isHere(name)),
  };
}

/** Steps that a real one runs only where it is told to. */
const ON_DEMAND: readonly string[] = ["NodeRestriction", "OwnerReferencesPermissionEnforcement"];

/** A real one runs by itself all other steps that there are here. */
function pluginsOf(flags: GoFlags): PluginChoice {
  const disable = partsOf(flags, "disable-admission-plugins");
  const usual = Object.keys(ADMISSION_PLUGINS).filter((name) => !disable.includes(name) && !ON_DEMAND.includes(name));
  return { enable: [...usual, ...partsOf(flags, "enable-admission-plugins")], disable };
}

/** Whether a resource is served, the most exact switch first: of itself, of its version, of versions of its stage, of all. */
export function isServed(
  switches: ReadonlyMap<string, boolean>,
  { group, version, plural }: { readonly group: string; readonly version: string; readonly plural: string },
): boolean {
  const place = group === "" ? `api/${version}` : `${group}/${version}`;
  const stage = /alpha/.test(version) ? "api/alpha" : /beta/.test(version) ? "api/beta" : "api/ga";
  const names = [`${place}/${plural}`, place, ...(group === "" ? [version] : []), stage, "api/all"];
  return names.map((name) => switches.get(name)).find((on) => on !== undefined) ?? true;
}

function certificateOf(flags: GoFlags): ApiServerPlan["certificate"] {
  const certFile = lastOf(flags, "tls-cert-file") ?? "";
  const keyFile = lastOf(flags, "tls-private-key-file") ?? "";
  if ((certFile === "") !== (keyFile === "")) {
    throw expected("tls-cert-file", "given together with --tls-private-key-file", certFile);
  }
  return { certFile, keyFile, directory: lastOf(flags, "cert-dir") ?? "" };
}

function etcdServersOf(flags: GoFlags): readonly string[] {
  const servers = partsOf(flags, "etcd-servers").map((url) => url.replace(/\/$/, ""));
  if (servers.length === 0) throw new OptionError("expected --etcd-servers to be given");
  const wrong = servers.find((url) => !/^https?:\/\/[^/]+$/.test(url) || !URL.canParse(url));
  if (wrong !== undefined) throw expected("etcd-servers", "addresses such as http://127.0.0.1:2379", wrong);
  return servers;
}

function valueOf<T>(flags: GoFlags, name: string, type: OptionType<T>, preset: T): T {
  const text = lastOf(flags, name);
  return text === undefined ? preset : readValue(name, type, text);
}

/** `name=true`, or `name` alone. */
function switchOf(flag: string, part: string): [string, boolean] {
  const [name = "", text = "true"] = part.split("=");
  const on = onOff.read(text.toLowerCase());
  if (on === undefined) throw expected(`${flag} ${name}`, onOff.expects, text);
  return [name, on];
}

/** Gates that there are here, set by name or by their stage, and the names of those that there are not. */
function gatesOf(parts: readonly string[]): { known: Partial<Record<Gate, boolean>>; unknown: readonly string[] } {
  // The name of the component may stand before that of the gate.
  const set = new Map(parts.map((part) => switchOf("feature-gates", part.replace(/^kube:/, ""))));
  const known: Partial<Record<Gate, boolean>> = {};
  for (const gate of GATES) {
    const on = set.get(gate) ?? set.get(STAGES[GATE_FACTS[gate].stage] ?? "");
    if (on !== undefined) known[gate] = on;
  }
  const names = new Set<string>([...GATES, ...Object.values(STAGES)]);
  return { known, unknown: [...set.keys()].filter((name) => !names.has(name)) };
}

const STAGES: Readonly<Record<string, string>> = { alpha: "AllAlpha", beta: "AllBeta" };
