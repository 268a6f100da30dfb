import { ANONYMOUS, type Connection, type Identity } from "../../auth/contract.ts";
import { unauthorized } from "../../meta/status.ts";
import { credentialsOf } from "../request/credentials.ts";
import type { ServerContext } from "../request/context.ts";
import type { ServerRequest } from "../request/request.ts";
import type { Filter } from "./contract.ts";

/**
 * Finds out the user of a request. A credential that is not acceptable is refused on every path (AUTHN-4); without one, public paths are
 * still served (AUTH-1).
 */
export const authenticate: Filter = {
  name: "authenticate",
  enter: (server, request) => {
    const { sent } = request.incoming;
    if (sent.identity) return identify(server, request, sent.identity);
    const began = server.clock.steady();
    const fail = (error: unknown): never => {
      request.response.responder.closeAfterResponse();
      throw error;
    };
    const found = (identity: Identity | undefined): void => {
      request.authenticationMillis = server.clock.steady() - began;
      identify(server, request, identity);
    };
    let identity: Identity | undefined | Promise<Identity | undefined>;
    try {
      identity = server.authenticator.authenticate(credentialsOf(request));
    } catch (error) {
      return fail(error);
    }
    return identity instanceof Promise ? identity.then(found, fail) : found(identity);
  },
};

function identify(server: ServerContext, request: ServerRequest, identity: Identity | undefined): void {
  const { dialect } = server;
  if (identity && identity !== ANONYMOUS) {
    request.identity = identity;
    if (!request.incoming.sent.identity) count(server, request);
    return;
  }
  // Without this, a connection without a credential would hold the memory that HTTP/2 permits it; health checks may hold one.
  if (!request.isPublic) request.response.responder.closeAfterResponse();
  const byRoles = dialect.rules.anonymousByRoles && !request.isOpen;
  if (!identity && (byRoles || !request.isPublic)) throw unauthorized();
  request.identity = ANONYMOUS;
}

/**
 * Counts connection and request for their user. A user at the limit is refused, and the connection ends: otherwise unread responses would
 * wait on it.
 */
function count({ requestSlots }: ServerContext, { incoming, identity, response, isPublic }: ServerRequest): void {
  try {
    response.responder.trust(ownerOf(incoming.sent.connection, identity));
    response.count(requestSlots, identity);
  } catch (error) {
    response.responder.closeAfterResponse();
    if (!isPublic) throw error;
  }
}

/** The owner of a connection: the proxy in front, whichever users it sends requests for. */
const ownerOf = ({ certificate }: Connection, identity: Identity): Identity =>
  certificate?.signedBy.includes("proxy")
    ? { user: certificate.commonName, groups: certificate.organizations }
    : identity;
