/**
 * `GET /debug/api_priority_and_fairness/dump_*`: the current content of the priority levels, for people (APF-23).
 *
 * @module
 */
import { type DumpName, dump } from "../../fairness/index.ts";
import { respondWithBytes } from "../response/encode.ts";
import type { Route } from "../request/context.ts";

const NAMES: readonly DumpName[] = ["dump_priority_levels", "dump_queues", "dump_requests"];

/** The routes of the tables; none where there is no fairness. */
export const DUMPS: readonly Route[] = NAMES.map((name) => ({
  path: `/debug/api_priority_and_fairness/${name}`,
  methods: ["GET"],
  listed: () => [],
  handle: (server, request) => {
    const { fairness, clock } = server;
    if (!fairness) return false;
    const text = dump(fairness, name, clock.steady(), request.incoming.query.text("includeRequestDetails") !== "");
    return respondWithBytes(request.response, 200, Buffer.from(text), "text/plain; charset=utf-8");
  },
}));
