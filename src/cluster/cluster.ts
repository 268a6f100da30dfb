/**
 * A cluster is a function of its parts: registry and cache over a store, a server over the registry, controllers as
 * clients of it. It opens no port, no file and no process, and needs no certificate.
 *
 *     store -> registry (cache, admission, verbs) -> server (filters, routes) -> clients and controllers, in process
 *
 * The program adds directory, certificates, ports and signals (`app/`); the testing kit adds a clock that stands still,
 * forks and faults (`testing/`).
 *
 * @module
 */
import { type Extension, type ExtensionParts, startExtension } from "../extension/index.ts";
import type { FlowConfiguration } from "../fairness/index.ts";
import { builtInDefinitions } from "../kinds/index.ts";
import { type RegistryOptions, type StartObject, buildRegistry, forkRegistry } from "../registry/index.ts";
import { silentLog } from "../util/log.ts";
import { type CloseFailed, allEnded, openParts, openPartsNow } from "../util/open-parts.ts";
import type { Cluster, ClusterParts } from "./contract.ts";
import { FlowObjects } from "./flow-objects.ts";
import { type ClusterHandlers, type ClusterRegistry, handlersOf } from "./handlers.ts";
import { type Own, openOwn } from "./own.ts";
import { type Kept, type OpenParts, RunningCluster } from "./running-cluster.ts";
import { startObjects } from "./start-objects.ts";

/**
 * Assembles a cluster; it serves requests when this resolves. Where a part cannot be opened, those before it are closed. Rejects with
 * CacheError or StoreError.
 */
export const createCluster = (parts: ClusterParts): Promise<Cluster> =>
  openParts(async (opened) => {
    const own = openOwn(parts, opened);
    const built = await openRegistry(parts, own, opened);
    const flow = openFlow(parts, { built, own, opened });
    await allEnded([provisionAll(parts, built, own), flow.start()]);
    const extension = await openExtension(parts, { built, own, opened });
    return new RunningCluster(parts, { own, built, flow, extension, opened, forkOf, extend: extendOf(parts, own) });
  }, closeFailed(parts));

/** A fork; its kinds are those that were served at the time of the fork. */
function forkOf(given: ClusterParts, { registry, definitions, configuration }: Kept): Cluster {
  const parts = { ...given, definitions: [], defaultRoles: false };
  return openPartsNow((opened) => {
    const own = openOwn(parts, opened, configuration);
    const built = forkRegistry(registry, registryOptions(parts, own));
    opened.defer(() => built.cacher.close());
    const flow = openFlow(parts, { built, own, opened }, configuration);
    void flow.follow();
    const extension = closedWith(definitions?.fork(extensionParts(parts, { built, own })), opened);
    return new RunningCluster(parts, { own, built, flow, extension, opened, forkOf, extend: extendOf(parts, own) });
  }, closeFailed(parts));
}

const closeFailed =
  ({ log = silentLog }: ClusterParts): CloseFailed =>
  (error) =>
    log.error("a part of a cluster could not be closed", { error: String(error) });

/** The open registry, and the parts of the cluster itself. */
interface Opened {
  readonly built: ClusterRegistry;
  readonly own: Own;
  /** The opened parts; the last is closed first. */
  readonly opened: AsyncDisposableStack;
}

/** Opens the cache over the store, and the registry over the cache. */
async function openRegistry(parts: ClusterParts, own: Own, opened: AsyncDisposableStack): Promise<ClusterRegistry> {
  const built = await buildRegistry(registryOptions(parts, own));
  opened.defer(() => built.cacher.close());
  return built;
}

/** Follows the objects that configure fairness. */
const openFlow = (
  parts: ClusterParts,
  { built, own, opened }: Opened,
  configuration?: FlowConfiguration,
): FlowObjects => {
  const { kinds, lookup } = built;
  const flow = new FlowObjects({
    configuration,
    kinds,
    lookup,
    api: { ...own.api, random: own.chance },
    log: parts.log ?? silentLog,
    activity: parts.server?.activity,
    changed: (next) => own.fairness?.configure(next),
  });
  return opened.adopt(flow, (one) => one.close());
};

/** Follows definitions of custom kinds; undefined where those are not served. */
const openExtension = async (parts: ClusterParts, opened: Opened): Promise<Extension | undefined> =>
  closedWith(await startExtension(extensionParts(parts, opened)), opened.opened);

/** Adds the extension to the parts that are closed with the cluster. */
function closedWith(extension: Extension | undefined, opened: AsyncDisposableStack): Extension | undefined {
  opened.defer(() => extension?.close());
  return extension;
}

/** Creates the missing objects of the start. A server that can create only namespaces still serves. */
async function provisionAll(parts: ClusterParts, built: ClusterRegistry, { api }: Own): Promise<void> {
  const { log = silentLog, dialect } = parts;
  const { ofCluster, inNamespaces } = startObjects(api);
  const make = (objects: readonly StartObject[]): Promise<void> =>
    built.provision(objects, ({ resource, object }, error) =>
      log.warn("an initial object could not be created", {
        resource,
        name: object.metadata.name,
        error: String(error),
      }),
    );
  await Promise.all([built.provisionNamespaces(dialect.rules.systemNamespaces), make(ofCluster)]);
  await make(inNamespaces);
}

/** Makes extensions of forks in which documents are planned; the fork counts their work. */
const extendOf =
  (parts: ClusterParts, own: Own): OpenParts["extend"] =>
  (kept, { built, activity }) =>
    kept?.fork({ ...extensionParts(parts, { built, own }), activity });

const extensionParts = (
  parts: ClusterParts,
  {
    built: { kinds, lookup, handlers },
    own: { api, hooks },
  }: Pick<Opened, "own"> & { readonly built: Pick<ClusterRegistry, "kinds" | "lookup" | "handlers"> },
): ExtensionParts => ({
  kinds,
  lookup,
  api,
  hooks,
  addresses: handlers.webhooks.addresses,
  currentSpan: parts.currentSpan,
  log: parts.log ?? silentLog,
  activity: parts.server?.activity,
});

const registryOptions = (parts: ClusterParts, own: Own): RegistryOptions<ClusterHandlers> => ({
  api: own.api,
  store: parts.store,
  definitions: parts.definitions ?? builtInDefinitions(own.api, parts.kinds),
  handlers: (access) => handlersOf(parts, own, access),
  cache: {
    ...(parts.wallClock ? { clock: parts.wallClock } : {}),
    onError: (error) => (parts.log ?? silentLog).error("the watch cache failed", { error: String(error) }),
    ...parts.cache,
  },
});
