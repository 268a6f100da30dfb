/**
 * Reads the command line of kube-apiserver: most flags are options of `keelson serve` with the same names.
 *
 * @module
 */
import { type PluginChoice, unavailablePlugin } from "../../admission/names.ts";
import { type PlainMode, isAuthorizationMode } from "../../auth/modes.ts";
import { GATES, GATE_FACTS, type Gate } from "../../meta/gates.ts";
import { AUDIT_KEYS } from "../options/audit-options.ts";
import { type EtcdOptions, type ServeOptions, etcdOf, resolveOptions } from "../options/options.ts";
import { OPTIONS, OPTION_NAMES, type OptionKey, envName } from "../options/table.ts";
import { OptionError, expected, onOff } from "../options/types.ts";
import { type GoFlags, isVerbose, lastOf, partsOf } from "./go-flags.ts";

/** What an API server is started with. Files are not read yet. */
export interface ApiServerPlan {
  readonly options: ServeOptions;
  readonly etcd: EtcdOptions;
  /** The directory of `apiserver.crt` and `apiserver.key`, used without `options.tls`; empty for none. */
  readonly certificateDirectory: string;
  /** The modes of authorization, in their order. */
  readonly authorization: readonly PlainMode[];
  readonly gates: Readonly<Partial<Record<Gate, boolean>>>;
  /** The values of `--runtime-config`; see {@link isServed}. */
  readonly versions: ReadonlyMap<string, boolean>;
  readonly plugins: PluginChoice;
  /** Whether controllers run, and nodes are simulated: as the options `controllers`, `nodes` and `stages` say. */
  readonly hasWorkloads: boolean;
  /** Whether each request is logged. */
  readonly isVerbose: boolean;
  /** Flags and names in flags that have no effect. */
  readonly ignored: readonly string[];
}

/** Flags that are options of `keelson serve`, other than those of audit. */
const OPTION_FLAGS: readonly string[] = `
  allow-privileged anonymous-auth api-audiences authentication-config authentication-token-webhook-cache-ttl
  authentication-token-webhook-config-file authentication-token-webhook-version bind-address client-ca-file
  enable-bootstrap-token-auth enable-priority-and-fairness encryption-provider-config
  encryption-provider-config-automatic-reload etcd-cafile etcd-certfile etcd-keyfile etcd-prefix etcd-servers
  max-mutating-requests-inflight max-requests-inflight min-request-timeout oidc-ca-file oidc-client-id oidc-groups-claim
  oidc-groups-prefix oidc-issuer-url oidc-required-claim oidc-signing-algs oidc-username-claim oidc-username-prefix
  request-timeout requestheader-allowed-names requestheader-client-ca-file requestheader-extra-headers-prefix
  requestheader-group-headers requestheader-uid-headers requestheader-username-headers secure-port
  service-account-extend-token-expiration service-account-issuer service-account-jwks-uri service-account-key-file
  service-account-max-token-expiration service-account-signing-key-file tls-cert-file tls-private-key-file token-auth-file
`
  .trim()
  .split(/\s+/)
  .concat(AUDIT_KEYS);

/** Options of `keelson serve` that kube-apiserver does not have; they are read from the environment, too. */
const WORKLOAD_FLAGS: readonly string[] = ["nodes", "stages", "controllers"];

/** Flags that accept names that options of `keelson serve` do not. */
const LENIENT_FLAGS = ["authorization-mode", "disable-admission-plugins", "enable-admission-plugins", "feature-gates"];

/** The flags that have an effect, with their descriptions. */
export const API_SERVER_FLAGS: Readonly<Record<string, string>> = {
  "cert-dir": "The directory of apiserver.crt and apiserver.key, which are created if they do not exist.",
  ...Object.fromEntries(
    [...OPTION_FLAGS, ...WORKLOAD_FLAGS, ...LENIENT_FLAGS].map((name) => [name, OPTIONS[keyOf(name)].about]),
  ),
  "runtime-config": "API versions to enable or disable: api/beta=false, apps/v1=false.",
  v: "4 and more logs each request.",
};

function keyOf(name: string): OptionKey {
  const key = OPTION_NAMES.get(name);
  if (key === undefined) throw new OptionError(`expected ${name} to be an option`);
  return key;
}

/** Variables of the environment. */
type Environment = Readonly<Record<string, string | undefined>>;

/** Reads a command line; `KEELSON_NODES`, `KEELSON_STAGES` and `KEELSON_CONTROLLERS` count where a flag is not given. @throws OptionError for an invalid value */
export function planApiServer(flags: GoFlags, environment: Environment = {}): ApiServerPlan {
  if (lastOf(flags, "etcd-servers") === undefined) throw new OptionError("expected --etcd-servers to be given");
  const texts = OPTION_FLAGS.flatMap((name) => {
    const isList = OPTIONS[keyOf(name)].type.placeholder.endsWith(",...");
    const text = isList ? flags.get(name)?.join(",") : lastOf(flags, name);
    return text === undefined ? [] : [[name, text]];
  });
  const workloads = WORKLOAD_FLAGS.flatMap((name) => {
    const text = flags.get(name)?.join(",") ?? environment[envName(name)] ?? "";
    return text === "" ? [] : [[name, text]];
  });
  const defaults = { "bind-address": "0.0.0.0", "etcd-prefix": "/registry" };
  const options = resolveOptions({ dev: true, ...defaults, ...Object.fromEntries([...texts, ...workloads]) });
  const gates = gatesOf(partsOf(flags, "feature-gates"));
  const modes = partsOf(flags, "authorization-mode");
  const known = [...new Set(modes.filter(isPlainMode))];
  return {
    options,
    etcd: etcdOf(options),
    certificateDirectory: lastOf(flags, "cert-dir") ?? "",
    authorization: known.length > 0 ? known : ["RBAC"],
    gates: gates.known,
    versions: new Map(partsOf(flags, "runtime-config").map((part) => switchOf("runtime-config", part))),
    plugins: pluginsOf(flags),
    hasWorkloads: workloads.length > 0,
    isVerbose: isVerbose(flags),
    ignored: [
      ...[...flags.keys()].filter((name) => !Object.hasOwn(API_SERVER_FLAGS, name)),
      ...gates.unknown.map((name) => `feature-gates ${name}`),
      ...modes.filter((name) => !isPlainMode(name)).map((name) => `authorization-mode ${name}`),
    ],
  };
}

const isPlainMode = (name: string): name is PlainMode => isAuthorizationMode(name) && name !== "Webhook";

function pluginsOf(flags: GoFlags): PluginChoice {
  const enable = partsOf(flags, "enable-admission-plugins");
  const unavailable = unavailablePlugin({ enable });
  if (unavailable !== undefined)
    throw expected("enable-admission-plugins", "only plugins that are available", unavailable);
  return { enable, disable: partsOf(flags, "disable-admission-plugins") };
}

/** Whether a resource is served: the switch of the resource wins, then of its version, of its stage, of all. */
export function isServed(
  switches: ReadonlyMap<string, boolean>,
  { group, version, plural }: { readonly group: string; readonly version: string; readonly plural: string },
): boolean {
  const path = group === "" ? `api/${version}` : `${group}/${version}`;
  const stage = /alpha/.test(version) ? "api/alpha" : /beta/.test(version) ? "api/beta" : "api/ga";
  const names = [`${path}/${plural}`, path, ...(group === "" ? [version] : []), stage, "api/all"];
  return names.map((name) => switches.get(name)).find((on) => on !== undefined) ?? true;
}

/** Reads `name=true`, or `name` alone. */
function switchOf(flag: string, part: string): [string, boolean] {
  const [name = "", text = "true"] = part.split("=");
  const on = onOff.read(text.toLowerCase());
  if (on === undefined) throw expected(`${flag} ${name}`, onOff.expects, text);
  return [name, on];
}

/** Reads gates, by name or by stage; unknown names are returned as well. */
function gatesOf(parts: readonly string[]): { known: Partial<Record<Gate, boolean>>; unknown: readonly string[] } {
  // The name of a gate may have the prefix of its component.
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
