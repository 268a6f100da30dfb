import { findResource } from "../routing/resolve.ts";
import type { Filter } from "./contract.ts";

/** Finds the resource of a request and the verb that answers it; 404 and 405 where there is none. */
export const find: Filter = {
  name: "find",
  enter: (server, request) => {
    if (request.info.isResource) findResource(server, request);
  },
};
