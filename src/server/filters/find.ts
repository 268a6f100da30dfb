import { findResource } from "../routing/resolve.ts";
import { notServed } from "../routing/route-table.ts";
import type { Filter } from "./contract.ts";

/** Finds the resource and the verb of a request; 404 and 405 where there is none. */
export const find: Filter = {
  name: "find",
  enter: (server, request) => {
    if (request.info.isResource) findResource(server, request);
  },
};

/** Runs the verb of the resource, or the route. */
export const handle: Filter = {
  name: "handle",
  enter: (server, request) => (request.handle ? request.handle() : notServed(server, request)),
};
