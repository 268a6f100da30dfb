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
import { type Collector, type Metric, single } from "../../util/exposition.ts";
import { once } from "../../util/once.ts";
import type { ListLimits } from "./memory.ts";
import type { MomentStore } from "./moments.ts";
import type { ConsoleWindows, WindowFigures } from "./windows.ts";

/** What the lists of a server need beside it. */
export interface WindowParts {
  /** Has the history of all objects. */
  readonly store: MomentStore;
  /** How much memory lists may take; see `memory.ts`. */
  readonly limits?: ListLimits;
}

/** The lists of one server. */
export interface OpenWindows {
  readonly routes: readonly Route[];
  readonly metrics: Collector;
}

/** Opens the lists of one server. The code for them is loaded for the first request. */
export function openWindows({ store, limits }: WindowParts): OpenWindows {
  let loaded: ConsoleWindows | undefined;
  const windows = once(async () => (loaded = new (await import("./windows.ts")).ConsoleWindows(limits)));
  return {
    routes: [
      {
        path: CONSOLE_STREAM_PATH,
        methods: ["GET"],
        open: true,
        listed: () => [],
        handle: async (server, request) => (await windows()).respond(server, request),
      },
      {
        path: CONSOLE_MOMENTS_PATH,
        methods: ["GET"],
        open: true,
        listed: () => [],
        handle: async (server, request) => (await import("./moments.ts")).respondWithMoments(server, request, store),
      },
    ],
    metrics: () => metricsOf(loaded?.figures ?? NOTHING),
  };
}

const NOTHING: WindowFigures = { streams: 0, windows: 0, lists: 0, listBytes: 0, untakenBytes: 0 };

const metricsOf = ({ streams, windows, lists, listBytes, untakenBytes }: WindowFigures): Metric[] => [
  single("gauge", "keelson_console_streams", "Streams of pages of the console.", streams),
  single("gauge", "keelson_console_windows", "Windows that they have open.", windows),
  single("gauge", "keelson_console_lists", "Lists that the windows show; equal ones are one.", lists),
  single("gauge", "keelson_console_list_bytes", "Bytes of these lists, about, and of rows that are kept.", listBytes),
  single("gauge", "keelson_console_untaken_bytes", "Bytes of messages that pages have not taken.", untakenBytes),
];
