import { notServed } from "../routing/route-table.ts";
import type { Filter } from "./contract.ts";

/** Lets what was found answer: a verb of a resource, or a route. */
export const handle: Filter = {
  name: "handle",
  enter: (server, request) => (request.answer ? request.answer() : notServed(server, request)),
};
