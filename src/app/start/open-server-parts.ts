import { idleNames } from "../../admission/names.ts";
import { adminToken } from "../../auth/admin.ts";
import { opaqueTokens } from "../../auth/opaque-tokens.ts";
import { ConsoleDoor } from "../../console/index.ts";
import { neutral } from "../../meta/dialect.ts";
import { rateLimitedLog } from "../../util/rate-limited-log.ts";
import { newSystemClock, systemRandom } from "../../util/clock.ts";
import { Faults } from "../../util/faults.ts";
import { type Log, silentLog } from "../../util/log.ts";
import { NO_PROGRESS } from "../../util/progress.ts";
import { AccessFile } from "../logs/access-log.ts";
import { openAudit } from "../audit/open-audit.ts";
import { type Authentication, openAuthentication } from "../authentication/authentication.ts";
import { openAuthorization } from "../authorization/open-authorization.ts";
import { type ServerCertificates, openCertificates } from "../certificates/certificates.ts";
import { newSecret, packagePage } from "../console/page-folder.ts";
import { sharedSignOuts } from "../console/shared-sign-outs.ts";
import { checkControllerNames } from "./controllers.ts";
import { openClusterClock } from "./cluster-clock.ts";
import { DataDirectory } from "../storage/data-directory.ts";
import { EtcdTimes } from "../storage/etcd-times.ts";
import type { ServeOptions } from "../options/options.ts";
import { Renewal } from "../certificates/renewal.ts";
import type { SystemParts, TracedSystemParts } from "../process/system-parts.ts";
import { VERSION } from "../process/version.ts";
import type { ChosenOptions, ServerParts } from "./server-parts.ts";
import type { openTracing as OpenTracing } from "../tracing/open-tracing.ts";
import { LiveUsers } from "../authentication/user-file.ts";

/**
 * Opens the data directory, the certificates and the files of the options. It writes nothing to an existing directory.
 *
 * @param openTracing undefined without `--tracing-config-file`: its module is loaded only then
 */
export function openServerParts(
  given: ServeOptions,
  { clock = newSystemClock(), random = systemRandom, log: plain = silentLog, progress }: Partial<SystemParts>,
  opened: AsyncDisposableStack,
  openTracing: typeof OpenTracing | undefined,
): ServerParts {
  const log = opened.use(rateLimitedLog(plain, clock));
  const tracing = openTracing?.(given.tracingConfigFile, { clock, random, log }, opened);
  const spans = tracing && { currentSpan: tracing.currentSpan, inTrace: tracing.inTrace };
  const system: TracedSystemParts = { clock, random, log, ...spans };
  const options = withDialect(given);
  // An unknown controller is an error before anything is created.
  checkControllerNames(options);
  warnOfIdlePlugins(options, system.log);
  const directory = given.dev ? undefined : DataDirectory.open(given.dataDir, given.dialect, given.readOnly);
  const certificates = openCertificates(options, directory, clock);
  const address = { url: "" };
  const users = directory && new LiveUsers(directory, system);
  const authorization = openAuthorization(options.authorization, { ...system, open: opened });
  const door = openDoor(
    options,
    {
      key: () => authentication.signingKey(),
      authorities: () => certificates.pki.ca.cert + authentication.clientCa,
    },
    system,
    opened,
  );
  const authentication = openUsers({ options, certificates, users, authorization, door, address, system, opened });
  return {
    options,
    directory,
    pki: certificates.pki,
    users,
    authorization,
    door,
    authentication,
    address,
    renewal: options.insecureHttp ? undefined : opened.use(new Renewal({ ...certificates, system })),
    access: options.accessLog === "" ? undefined : opened.use(new AccessFile(options.accessLog, system)),
    auditing: openAudit(options.audit, system, opened),
    tracing,
    etcdTimes: options.etcd ? new EtcdTimes() : undefined,
    system,
    progress: progress ?? NO_PROGRESS,
    clusterClock: openClusterClock(options, directory, clock),
    simulated: {},
    faults: new Faults(system.log),
    node: {},
    opened,
  };
}

/** Returns the options with their dialect, that of the data directory, or the neutral one. */
function withDialect(given: ServeOptions): ChosenOptions {
  const known = given.dev ? undefined : new DataDirectory(given.dataDir).dialect;
  return { ...given, dialect: given.dialect ?? known ?? neutral };
}

/** Opens the console, if it is not switched off; it reads nothing before its first request. */
function openDoor(
  options: ChosenOptions,
  keys: { readonly key: () => string; readonly authorities: () => string },
  { clock, log }: SystemParts,
  opened: AsyncDisposableStack,
): ConsoleDoor | undefined {
  if (!options.console) return undefined;
  const millis = options.consoleSessionMillis;
  return opened.use(
    new ConsoleDoor({ clock, log, ...keys, millis, secret: newSecret, version: VERSION, page: packagePage() }),
  );
}

type UserParts = Pick<ServerParts, "options" | "users" | "authorization" | "door" | "address" | "system" | "opened">;

/** Opens the authentication: the tokens and certificates of the server, and those of the options. */
function openUsers({
  options,
  certificates: { pki },
  users,
  authorization,
  door,
  address,
  system,
  opened,
}: UserParts & { readonly certificates: ServerCertificates }): Authentication {
  const authentication = openAuthentication(options.authentication, {
    dialect: options.dialect,
    ...system,
    allowsAll: authorization.allowsAll,
    keys: () => pki.tokenKeys,
    tokens: (audiences) => [
      adminToken(pki.adminToken, audiences),
      ...(users ? [opaqueTokens({ name: "users", audiences, find: (digest) => users.find(digest) })] : []),
    ],
    ...(users ? { isRevoked: (certificate) => users.isRevoked(certificate) } : {}),
    sessions: door && (({ lookup }) => door.reader(sharedSignOuts(lookup, options.dialect))),
    url: () => address.url,
  });
  opened.defer(() => authentication.close());
  return authentication;
}

/** Warns of admission plugins that have no effect: options of another server may name plugins that do not exist here. */
function warnOfIdlePlugins({ plugins }: ServeOptions, log: Log): void {
  const { unknown, always } = idleNames(plugins);
  if (unknown.length > 0) log.warn("unknown admission plugins are ignored", { names: unknown });
  if (always.length > 0) log.info("some admission plugins always run", { names: always });
}
