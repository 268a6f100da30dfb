/**
 * The server side of the console: the files of its page, who is signed in, and what the page asks for. It is HTTP over the
 * server's routes; it knows no file, no port and no store, and the page's own code is in the workspace `console/`.
 *
 * Nothing of it is loaded before its first request: this file has the paths only.
 *
 * @module
 */
import type { Route } from "../server/index.ts";
import { once } from "../util/once.ts";
import type { PageSource } from "./session/page.ts";

export type { PageSource } from "./session/page.ts";

/** Everybody gets the page: its files have no data. */
const PAGE = { methods: ["GET", "HEAD"], public: true, open: true, listed: () => [] } as const;

/** The routes of the console's page. */
export function pageRoutes(source: PageSource): readonly Route[] {
  const page = once(async () => (await import("./session/page.ts")).openPage(source));
  return [
    { path: "/console", ...PAGE, answer: async (_server, request) => (await page()).redirect(request) },
    { path: "/console/", ...PAGE, answer: async (_server, request) => (await page()).answer(request, "") },
    {
      path: "/console/{path...}",
      ...PAGE,
      answer: async (_server, request, { path = "" }) => (await page()).answer(request, path),
    },
  ];
}
