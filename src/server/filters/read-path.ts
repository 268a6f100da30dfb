import { badRequest } from "../../meta/status.ts";
import { askedInfo } from "../request/read-info.ts";
import { findRoute } from "../routing/route-table.ts";
import type { Filter } from "./contract.ts";

/** Finds out what is asked for: a resource, as the path has it, or one of the server's own routes. */
export const readPath: Filter = {
  name: "read path",
  enter: (server, request) => {
    const { exchange, query } = request;
    request.info = askedInfo(exchange.method, request.rawPath, query);
    if (!request.info.isResource) findRoute(server, request);
    if (!request.isPublic && query.excess) throw badRequest("expected at most 1000 parameters in the query, got more");
  },
};
