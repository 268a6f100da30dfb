import type { Filter } from "./contract.ts";
import { permit } from "./permission.ts";

/**
 * Refuses what the sender may not do; it stands before `find`, so that nobody learns what exists. Where roles say what
 * nobody in particular may do, they say it of health and version too (AUTHN-12); elsewhere these are for everybody.
 */
export const authorise: Filter = {
  name: "authorise",
  enter: (server, request) =>
    request.isPublic && !server.dialect.rules.anonymousByRoles ? undefined : permit(server, request),
};
