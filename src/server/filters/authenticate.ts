import { ANONYMOUS, type Connection, type Identity } from "../../auth/contract.ts";
import { unauthorized } from "../../meta/status.ts";
import type { ServerContext } from "../request/context.ts";
import type { ServerRequest } from "../request/request.ts";
import type { Filter } from "./contract.ts";

/**
 * Finds out who asks. A credential that is not acceptable is refused on every path (AUTHN-4); where none was sent, paths for
 * everybody are answered all the same (AUTH-1).
 */
export const authenticate: Filter = {
  name: "authenticate",
  enter: (server, request) => {
    const { exchange } = request;
    const began = server.clock.steady();
    if (exchange.identity) return identify(server, request, exchange.identity);
    const credentials = {
      header: (name: string) => exchange.header(name),
      lines: (name: string) => exchange.lines(name),
      names: () => exchange.headerNames(),
      path: request.info!.path,
      connection: exchange.connection,
    };
    let identity: Identity | undefined | Promise<Identity | undefined>;
    try {
      identity = server.authenticator.authenticate(credentials);
    } catch (error) {
      exchange.closeAfterAnswer();
      throw error;
    }
    if (!(identity instanceof Promise)) return judged(server, request, began, identity);
    return identity.then(
      (found) => judged(server, request, began, found),
      (error: unknown) => {
        exchange.closeAfterAnswer();
        throw error;
      },
    );
  },
};

function judged(server: ServerContext, request: ServerRequest, began: number, found: Identity | undefined): void {
  request.spend("authentication", began);
  identify(server, request, found);
}

function identify(server: ServerContext, request: ServerRequest, identity: Identity | undefined): void {
  const { dialect } = server;
  if (identity && identity !== ANONYMOUS) {
    request.identity = identity;
    if (!request.exchange.identity) countFor(server, request);
    return;
  }
  // Nobody may hold a connection, and what HTTP/2 lets one do with it, without a credential, but those who look after health.
  if (!request.isPublic) request.exchange.closeAfterAnswer();
  if (!identity && (dialect.rules.anonymousByRoles || !request.isPublic)) throw unauthorized();
  request.identity = ANONYMOUS;
}

/**
 * Counts connection and request for whoever sends them. Who has as many as one may have is refused, and the connection
 * ends: answers that are not taken would wait on it.
 */
function countFor({ requestPlaces }: ServerContext, request: ServerRequest): void {
  const { exchange, identity } = request;
  try {
    exchange.trust(ownerOf(exchange.connection, identity));
    request.count(requestPlaces);
  } catch (error) {
    exchange.closeAfterAnswer();
    if (!request.isPublic) throw error;
  }
}

/** Whose a connection is: a proxy's in front, whoever asks through it. */
const ownerOf = ({ certificate }: Connection, identity: Identity): Identity =>
  certificate?.signedBy.includes("proxy")
    ? { user: certificate.commonName, groups: certificate.organizations }
    : identity;
