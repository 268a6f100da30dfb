import type { Decision } from "../../auth/contract.ts";
import type { Filter } from "./contract.ts";
import type { ServerContext } from "../request/context.ts";
import type { ServerRequest } from "../request/request.ts";
import { permit } from "../request/permission.ts";

/** What is for everybody is asked of nobody. */
const FOR_EVERYBODY: Decision = { allowed: true, reason: "" };

function timed(server: ServerContext, request: ServerRequest): void | Promise<void> {
  const began = server.clock.steady();
  const wait = permit(server, request);
  if (wait) request.spendWhile("authorization", wait);
  else request.spend("authorization", began);
  return wait;
}

/**
 * Refuses what the sender may not do; it stands before `find`, so that nobody learns what exists. Where roles say what
 * nobody in particular may do, they say it of health and version too (AUTHN-12); elsewhere these are for everybody.
 */
export const authorise: Filter = {
  name: "authorise",
  enter: (server, request) => {
    if (!request.isPublic || server.dialect.rules.anonymousByRoles) return timed(server, request);
    request.decision = FOR_EVERYBODY;
  },
};
