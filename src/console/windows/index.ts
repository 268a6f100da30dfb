/**
 * Lists for the console: windows on lists that the server sorts and filters, over one stream for each page, and the moments that
 * the history holds. The messages are those of `meta/console-protocol.ts`.
 *
 * It serves no files and knows no sessions: requests come with any credential. Begin reading at `stream.ts` and `shared-list.ts`.
 *
 * @module
 */
import { CONSOLE_STREAM_PATH } from "../../meta/console-protocol.ts";
import type { Route } from "../../server/index.ts";
import { once } from "../../util/once.ts";
import type { ListLimits } from "./memory.ts";

/** The routes of lists for one server. What answers them is loaded for the first request. */
export function windowRoutes(limits?: ListLimits): readonly Route[] {
  const windows = once(async () => new (await import("./windows.ts")).ConsoleWindows(limits));
  return [
    {
      path: CONSOLE_STREAM_PATH,
      methods: ["GET"],
      open: true,
      listed: () => [],
      answer: async (server, request) => (await windows()).answer(server, request),
    },
  ];
}
