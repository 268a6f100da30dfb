/**
 * Opens what everything of a server is built on, the certificates and the files that options name first.
 *
 * @module
 */
import { idleNames } from "../../admission/names.ts";
import { adminToken } from "../../auth/admin.ts";
import { opaqueTokens } from "../../auth/opaque-tokens.ts";
import { neutral } from "../../meta/dialect.ts";
import { rateLimitedLog } from "../../util/rate-limited-log.ts";
import { newSystemClock, systemRandom } from "../../util/clock.ts";
import { Faults } from "../../util/faults.ts";
import { type Log, silentLog } from "../../util/log.ts";
import { AccessFile } from "../logs/access-log.ts";
import { openAudit } from "../audit/open-audit.ts";
import { type Authentication, openAuthentication } from "../authentication/authentication.ts";
import { openAuthorization } from "../authorization/open-authorization.ts";
import { type ServerCertificates, openCertificates } from "../certificates/certificates.ts";
import { checkControllerNames } from "./controllers.ts";
import { DataDirectory } from "../storage/data-directory.ts";
import type { ServeOptions } from "../options/options.ts";
import { Renewal } from "../certificates/renewal.ts";
import type { ChosenOptions, ServerParts, Surroundings } from "./server-parts.ts";
import { LiveUsers } from "../authentication/user-file.ts";

/** Opens the data directory, the certificates and the files that options name; nothing is written to an existing directory yet. */
export function openServerParts(
  given: ServeOptions,
  { clock = newSystemClock(), random = systemRandom, log: plain = silentLog }: Surroundings,
  opened: AsyncDisposableStack,
): ServerParts {
  const around = { clock, random, log: opened.use(rateLimitedLog(plain, clock)) };
  const options = withDialect(given);
  // A name that the dialect has no controller for is noticed before anything is made.
  checkControllerNames(options);
  warnOfIdlePlugins(options, around.log);
  const directory = given.dev ? undefined : DataDirectory.open(given.dataDir, given.dialect, given.readOnly);
  const certificates = openCertificates(options, directory, clock);
  const address = { url: "" };
  const users = directory && new LiveUsers(directory, around);
  const authorization = openAuthorization(options.authorization, { ...around, open: opened });
  return {
    options,
    directory,
    pki: certificates.pki,
    users,
    authorization,
    authentication: openUsers({ options, certificates, users, authorization, address, around, opened }),
    address,
    renewal: options.insecureHttp ? undefined : opened.use(new Renewal({ ...certificates, around })),
    access: options.accessLog === "" ? undefined : opened.use(new AccessFile(options.accessLog, around)),
    auditing: openAudit(options.audit, around, opened),
    around,
    faults: new Faults(around.log),
    node: {},
    opened,
  };
}

/** The dialect that is given, else that of the data directory, else the neutral one. */
function withDialect(given: ServeOptions): ChosenOptions {
  const known = given.dev ? undefined : new DataDirectory(given.dataDir).dialect;
  return { ...given, dialect: given.dialect ?? known ?? neutral };
}

type UserParts = Pick<ServerParts, "options" | "users" | "authorization" | "address" | "around" | "opened">;

/** Opens what recognises the users of requests: the server's own tokens and certificates, and what options name. */
function openUsers({
  options,
  certificates: { pki },
  users,
  authorization,
  address,
  around,
  opened,
}: UserParts & { readonly certificates: ServerCertificates }): Authentication {
  const authentication = openAuthentication(options.authentication, {
    dialect: options.dialect,
    ...around,
    allowsAll: authorization.allowsAll,
    keys: () => pki.tokenKeys,
    tokens: (audiences) => [
      adminToken(pki.adminToken, audiences),
      ...(users ? [opaqueTokens({ name: "users", audiences, find: (digest) => users.find(digest) })] : []),
    ],
    ...(users ? { isRevoked: (certificate) => users.isRevoked(certificate) } : {}),
    url: () => address.url,
  });
  opened.defer(() => authentication.close());
  return authentication;
}

/** Warns of names that change nothing: options that were made for another server name plugins that are not here. */
function warnOfIdlePlugins({ plugins }: ServeOptions, log: Log): void {
  const { unknown, always } = idleNames(plugins);
  if (unknown.length > 0) log.warn("admission plugins are named that this server does not have", { names: unknown });
  if (always.length > 0) log.info("admission plugins are named that always run", { names: always });
}
