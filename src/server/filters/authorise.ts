import type { Filter } from "./contract.ts";
import { permit } from "./permission.ts";

/** Refuses what the sender may not do; it stands before `find`, so that nobody learns what exists. */
export const authorise: Filter = {
  name: "authorise",
  enter: (server, request) => (request.isPublic ? undefined : permit(server, request)),
};
