/**
 * Reads and checks the options of a server: the values of the table, and settings that are built from several of them.
 *
 * @module
 */
import { join, resolve } from "node:path";
import { PLUGIN_CONTROLLERS, type PluginChoice, unavailablePlugin } from "../../admission/names.ts";
import { isControllerChosen } from "../../controllers/names.ts";
import type { PodMode } from "../../node/pod-modes.ts";
import type { ServiceRanges } from "../../meta/service-ranges.ts";
import { homeDirectory } from "../../util/home-directory.ts";
import { type AuditOptions, auditOf } from "./audit-options.ts";
import type { AccountSettings, AuthenticationSettings } from "./authentication-settings.ts";
import type { AuthorizationSettings } from "./authorization-settings.ts";
import { OptionError, ValueError } from "./error.ts";
import { type OptionSource, type RawOptions, type Texts, flagSource, textsOf } from "./sources.ts";
import { type NamedValues, OPTIONS, OPTION_KEYS, type OptionKey, valuesOf } from "./table.ts";
import { type SimulatedNodes, nodesIn } from "./simulated-nodes.ts";
import { expected } from "./types.ts";

export { OptionError } from "./error.ts";
export type { RawOptions } from "./sources.ts";

/** The options of a server: the values of the table, and settings that are built from several of them; frozen. */
export interface ServeOptions extends NamedValues {
  /** An absolute path; empty with `dev` if none was given. */
  readonly dataDir: string;
  /** Undefined for other stores. */
  readonly etcd: EtcdOptions | undefined;

  readonly plugins: PluginChoice;
  readonly authorization: AuthorizationSettings;

  readonly serviceRanges: ServiceRanges;
  /** The simulated nodes to create where fewer are stored; undefined for none. */
  readonly simulatedNodes: SimulatedNodes | undefined;
  /** The node that runs in this process; undefined for none. */
  readonly node: NodeOptions | undefined;
  /** Whether volumes are detached from nodes that are not ready for six minutes. */
  readonly forceDetach: boolean;
  readonly audit: AuditOptions;
  /** The files of the serving certificate; undefined if the server creates one. */
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined;
  /** Undefined if objects are not encrypted. */
  readonly encryption: { readonly file: string; readonly reload: boolean } | undefined;
  readonly authentication: AuthenticationSettings;
  /** The texts that are not the default, without passwords, for the log. */
  readonly nonDefaults: Texts;
}

/** A node in the process of a server. */
export interface NodeOptions {
  readonly name: string;
  /** An absolute path. */
  readonly directory: string;
  readonly pods: PodMode;
  /** The directory of images (NODE-63), an absolute path. */
  readonly imageDirectory?: string;
}

/** The endpoints and credentials of etcd. */
export interface EtcdOptions {
  /** `https://host:2379`, at least one. */
  readonly servers: readonly string[];
  readonly prefix: string;
  /** Files in PEM; empty if not given. */
  readonly caFile: string;
  readonly certFile: string;
  readonly keyFile: string;
}

/**
 * Reads the options of a server from values of a program; the first source with a key wins.
 *
 *     resolveOptions({ dev: true, port: 0, "feature-gates": { ImageVolume: true } })
 *
 * @throws OptionError for an unknown key and for an invalid value
 */
export const resolveOptions = (...sources: readonly RawOptions[]): ServeOptions =>
  resolveSources(sources.map(flagSource));

/**
 * Reads the options of a server from several sources; the first source with a key wins.
 *
 * @throws OptionError for an invalid value, with the name that its source has for the option
 */
export function resolveSources(sources: readonly OptionSource[]): ServeOptions {
  const read = sources.map(({ options, nameOf }) => ({ texts: textsOf(options, "among the options"), nameOf }));
  try {
    return serveOptions(Object.assign({}, ...read.map(({ texts }) => texts).toReversed()) as Texts);
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    const key = error.key as OptionKey;
    const source = read.find(({ texts }) => texts[key] !== undefined);
    throw source === undefined ? error : error.named(source.nameOf(key));
  }
}

function serveOptions(texts: Texts): ServeOptions {
  const values = valuesOf(texts);
  checkCombinations(texts);
  checkConcurrency(values);
  checkSimulation(values);
  const { dev, bind } = values;
  if (values.insecureHttp && !isLoopback(bind)) {
    throw new OptionError(`expected a loopback address with --insecure-http, got ${bind}`);
  }
  const store = dev ? "memory" : values.store;
  const dataDir = values.dataDir ?? (dev ? "" : resolve(defaultDataDir()));
  return Object.freeze({
    ...values,
    dataDir,
    store,
    etcd: store === "etcd" ? etcdOf(values) : undefined,
    plugins: pluginsOf(values),
    authorization: authorizationOf(values),
    serviceRanges: { networks: values.serviceClusterIpRange, nodePorts: values.serviceNodePortRange },
    node: nodeOf(values, dataDir),
    simulatedNodes: nodesIn(values.nodes),
    forceDetach: !values.disableForceDetachOnTimeout,
    audit: auditOf(values),
    tls: tlsOf(values),
    encryption: encryptionOf(values),
    authentication: authenticationOf(values),
    nonDefaults: withoutPasswords(texts),
  });
}

const isGiven = (texts: Texts, key: OptionKey): boolean =>
  (texts[key] ?? OPTIONS[key].default) !== OPTIONS[key].default;

/** Checks `needs` and `excludes` of the options that are given. */
function checkCombinations(texts: Texts): void {
  for (const key of OPTION_KEYS.filter((one) => isGiven(texts, one))) {
    const { needs, excludes = [] } = OPTIONS[key];
    if (needs !== undefined && !isGiven(texts, needs as OptionKey))
      throw expected(key, `given with --${needs}`, texts[key]!);
    const other = excludes.find((one) => isGiven(texts, one as OptionKey));
    if (other !== undefined) throw expected(key, `given without --${other}`, texts[key]!);
  }
}

/** Fairness divides the limits of requests, so it needs one. */
function checkConcurrency({ fairness, maxReads, maxWrites }: NamedValues): void {
  if (!fairness || maxReads + maxWrites > 0) return;
  throw expected("max-requests-inflight", "more than 0, or enable-priority-and-fairness to be false", "0");
}

/** Simulated nodes need Pods; faster time needs that no other program writes the times of objects. */
function checkSimulation({ dialect, nodes, kinds, speed, store, nodeName, dev }: NamedValues): void {
  if (nodes !== "" && dialect !== undefined && dialect.name !== "kubernetes") {
    throw expected("nodes", "given with --dialect kubernetes", dialect.name);
  }
  if (nodes !== "" && kinds !== "all") throw expected("nodes", "given with --kinds all", kinds);
  if (speed !== 1 && store === "etcd" && !dev)
    throw expected("speed", "1 with --store etcd, whose servers share the time", String(speed));
  if (speed !== 1 && nodeName !== "")
    throw expected("speed", "1 with --node, whose agent lives in real time", String(speed));
}

/** The node in this process; with `dev` its directory must be given. */
function nodeOf(
  { nodeName: name, nodeDir, nodePods: pods, nodeImageDir }: NamedValues,
  dataDir: string,
): NodeOptions | undefined {
  if (name === "") return undefined;
  if (nodeDir === "" && dataDir === "") throw expected("node-dir", "given with --dev and --node", nodeDir);
  const imageDirectory = nodeImageDir === "" ? {} : { imageDirectory: nodeImageDir };
  return { name, directory: nodeDir === "" ? join(dataDir, "node") : nodeDir, pods, ...imageDirectory };
}

/** The modes of authorization: with a node in this process the mode Node comes first, which decides only about nodes. */
function modesOf({ authorizationMode: modes, nodeName }: NamedValues): AuthorizationSettings["modes"] {
  return nodeName === "" || modes.includes("Node") ? modes : ["Node", ...modes];
}

function authorizationOf(values: NamedValues): AuthorizationSettings {
  const modes = modesOf(values);
  const kubeconfig = values.authorizationWebhookConfigFile;
  if (modes.includes("Webhook") !== (kubeconfig !== "")) {
    throw expected("authorization-webhook-config-file", "given together with the mode Webhook", kubeconfig);
  }
  return {
    modes,
    configFile: values.authorizationConfig,
    webhook: {
      kubeconfig,
      version: values.authorizationWebhookVersion,
      allowedMillis: values.authorizationWebhookCacheAuthorizedTtl,
      refusedMillis: values.authorizationWebhookCacheUnauthorizedTtl,
    },
  };
}

/** Returns the options that are not the default; credentials in URLs are masked. */
const withoutPasswords = (texts: Texts): Texts =>
  Object.fromEntries(
    OPTION_KEYS.filter((key) => isGiven(texts, key)).map((key) => [
      key,
      texts[key]!.replaceAll(/\/\/[^/@,]*@/g, "//***@"),
    ]),
  );

const tlsOf = ({ tlsCertFile: certFile, tlsPrivateKeyFile: keyFile }: NamedValues): ServeOptions["tls"] =>
  certFile === "" ? undefined : { certFile, keyFile };

function authenticationOf(values: NamedValues): AuthenticationSettings {
  return {
    clientCaFile: values.clientCaFile,
    proxy: {
      caFile: values.requestheaderClientCaFile,
      allowedNames: values.requestheaderAllowedNames,
      userHeaders: values.requestheaderUsernameHeaders,
      uidHeaders: values.requestheaderUidHeaders,
      groupHeaders: values.requestheaderGroupHeaders,
      extraPrefixes: values.requestheaderExtraHeadersPrefix,
    },
    tokenFile: values.tokenAuthFile,
    anonymous: values.anonymousAuth,
    accounts: accountsOf(values),
    webhook: {
      configFile: values.authenticationTokenWebhookConfigFile,
      cacheMillis: values.authenticationTokenWebhookCacheTtl,
      version: values.authenticationTokenWebhookVersion,
    },
    bootstrapTokens: values.enableBootstrapTokenAuth,
    oidc: {
      configFile: values.authenticationConfig,
      caFile: values.oidcCaFile,
      issuerUrl: values.oidcIssuerUrl,
      clientId: values.oidcClientId,
      usernameClaim: values.oidcUsernameClaim,
      usernamePrefix: values.oidcUsernamePrefix,
      groupsClaim: values.oidcGroupsClaim,
      groupsPrefix: values.oidcGroupsPrefix,
      requiredClaims: values.oidcRequiredClaim,
      algorithms: values.oidcSigningAlgs,
    },
  };
}

function accountsOf(values: NamedValues): AccountSettings {
  const maxMillis = values.serviceAccountMaxTokenExpiration;
  return {
    issuers: values.serviceAccountIssuer,
    audiences: values.apiAudiences,
    keyFiles: values.serviceAccountKeyFile,
    signingKeyFile: values.serviceAccountSigningKeyFile,
    maxSeconds: maxMillis === undefined ? undefined : Math.floor(maxMillis / 1000),
    extendsExpiration: values.serviceAccountExtendTokenExpiration,
    jwksUri: values.serviceAccountJwksUri,
  };
}

const encryptionOf = (values: NamedValues): ServeOptions["encryption"] =>
  values.encryptionProviderConfig === ""
    ? undefined
    : { file: values.encryptionProviderConfig, reload: values.encryptionProviderConfigAutomaticReload };

function pluginsOf({
  enableAdmissionPlugins: enable,
  disableAdmissionPlugins: disable,
  controllers: chosen,
}: NamedValues): PluginChoice {
  const both = enable.find((name) => disable.includes(name));
  if (both !== undefined) throw expected("disable-admission-plugins", "without those that are enabled", both);
  const unavailable = unavailablePlugin({ enable });
  if (unavailable !== undefined)
    throw expected("enable-admission-plugins", "only plugins that are available", unavailable);
  const controllers = PLUGIN_CONTROLLERS.filter((name) => isControllerChosen(chosen, name));
  return { enable, disable, controllers };
}

/** Reads the options of etcd. @throws OptionError without servers */
export function etcdOf(values: NamedValues): EtcdOptions {
  const { etcdServers: servers, etcdPrefix: prefix, etcdCacert: caFile, etcdCert: certFile, etcdKey: keyFile } = values;
  if (servers.length === 0) throw expected("etcd-servers", "set with --store etcd", "");
  return { servers, prefix, caFile, certFile, keyFile };
}

/** Returns the default data directory: `/var/lib/keelson` for root, `$XDG_DATA_HOME/keelson` for a user. */
export function defaultDataDir(): string {
  // systemd sets it for a service with StateDirectory=, which may have several directories.
  const [state] = (process.env["STATE_DIRECTORY"] ?? "").split(":");
  if (state) return state;
  if (process.getuid?.() === 0) return "/var/lib/keelson";
  return join(process.env["XDG_DATA_HOME"] ?? join(requiredHome(), ".local", "share"), "keelson");
}

function requiredHome(): string {
  const home = homeDirectory();
  if (home === undefined)
    throw new OptionError("expected --data-dir, or HOME to be set: this user has no home directory");
  return home;
}

/** Whether an address is a loopback address. */
export const isLoopback = (address: string): boolean =>
  address === "localhost" || address === "::1" || /^127\.\d+\.\d+\.\d+$/.test(address);
