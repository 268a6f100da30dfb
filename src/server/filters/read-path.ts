import { badRequest } from "../../meta/status.ts";
import { readInfo } from "../request/read-info.ts";
import { findRoute } from "../routing/route-table.ts";
import type { Filter } from "./contract.ts";

/** Reads what a request is for: a resource, as the path has it, or one of the routes of the server. */
export const readPath: Filter = {
  name: "read path",
  enter: (server, request) => {
    const { sent, rawPath, query } = request.incoming;
    request.info = readInfo(sent.method, rawPath, query);
    if (!request.info.isResource) findRoute(server, request);
    if (!request.isPublic && query.excess) throw badRequest("expected at most 1000 parameters in the query, got more");
  },
};
