import { ANONYMOUS, type Identity } from "../../auth/contract.ts";
import { unauthorized } from "../../meta/status.ts";
import type { ServerContext } from "../context.ts";
import type { ServerRequest } from "../request.ts";
import type { Filter } from "./contract.ts";

/** Finds out who asks; public paths are answered to anybody. */
export const authenticate: Filter = {
  name: "authenticate",
  enter: (server, request) => {
    if (request.isPublic) return undefined;
    const { exchange } = request;
    if (exchange.identity) return identify(server, request, exchange.identity);
    const credentials = { header: (name: string) => exchange.header(name), connection: exchange.connection };
    let identity: Identity | undefined | Promise<Identity | undefined>;
    try {
      identity = server.authenticator.authenticate(credentials);
    } catch (error) {
      exchange.closeAfterAnswer();
      throw error;
    }
    if (!(identity instanceof Promise)) return identify(server, request, identity);
    return identity.then(
      (found) => identify(server, request, found),
      (error: unknown) => {
        exchange.closeAfterAnswer();
        throw error;
      },
    );
  },
};

function identify(server: ServerContext, request: ServerRequest, identity: Identity | undefined): void {
  if (identity) {
    request.identity = identity;
    request.exchange.trust();
    return;
  }
  // Nobody may hold a connection, and what HTTP/2 lets one do with it, without a credential.
  request.exchange.closeAfterAnswer();
  if (server.dialect.rules.anonymousUnauthorized) throw unauthorized();
  request.identity = ANONYMOUS;
}
