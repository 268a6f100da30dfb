import type { Decision } from "../../auth/contract.ts";
import type { ServerContext } from "../request/context.ts";
import { permit } from "../request/permission.ts";
import type { ServerRequest } from "../request/request.ts";
import type { Filter } from "./contract.ts";

/** Public paths need no authorizer. */
const PUBLIC: Decision = { allowed: true, reason: "" };

/**
 * Refuses what the user may not do; it runs before `find`, so that a user without rights does not learn what exists. Where roles decide
 * what anonymous users may do, they also decide about health and version (AUTHN-12); elsewhere these are public.
 */
export const authorise: Filter = {
  name: "authorise",
  enter: (server, request) => {
    const asks = !request.isPublic || server.dialect.rules.anonymousByRoles;
    if (asks && !request.isOpen) return decide(server, request);
    request.response.recorder?.decided(PUBLIC);
  },
};

function decide(
  server: ServerContext,
  { identity, info, response: { recorder } }: ServerRequest,
): void | Promise<void> {
  if (!recorder) return permit(server, identity, info);
  const began = server.clock.steady();
  const wait = permit(server, identity, info, recorder);
  if (wait) recorder.spendWhile("authorization", wait);
  else recorder.spend("authorization", began);
  return wait;
}
