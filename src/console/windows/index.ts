/**
 * Lists for the console: windows on lists that the server sorts and filters, over one stream for each page, and the moments that
 * the history holds. The messages are those of `meta/console-protocol.ts`.
 *
 * It serves no files and knows no sessions: requests come with any credential. Begin reading at `stream.ts` and `shared-list.ts`.
 *
 * @module
 */
import { CONSOLE_MOMENTS_PATH, CONSOLE_STREAM_PATH } from "../../meta/console-protocol.ts";
import type { Route } from "../../server/index.ts";
import { once } from "../../util/once.ts";
import type { ListLimits } from "./memory.ts";
import type { MomentStore } from "./moments.ts";

/** What the lists of a server need beside it. */
export interface WindowParts {
  /** Has the history of all objects. */
  readonly store: MomentStore;
  /** How much memory lists may take; see `memory.ts`. */
  readonly limits?: ListLimits;
}

/** The routes of lists for one server. What answers them is loaded for the first request. */
export function windowRoutes({ store, limits }: WindowParts): readonly Route[] {
  const windows = once(async () => new (await import("./windows.ts")).ConsoleWindows(limits));
  return [
    {
      path: CONSOLE_STREAM_PATH,
      methods: ["GET"],
      open: true,
      listed: () => [],
      answer: async (server, request) => (await windows()).answer(server, request),
    },
    {
      path: CONSOLE_MOMENTS_PATH,
      methods: ["GET"],
      open: true,
      listed: () => [],
      answer: async (server, request) => (await import("./moments.ts")).answerMoments(server, request, store),
    },
  ];
}
