/**
 * The index of the search: one entry for each heading, with the text below it. It is made when the site is built and loaded with the
 * first search.
 *
 * @module
 */
import MiniSearch from "minisearch";
import { SEARCH_OPTIONS } from "../src/page/search-options.ts";
import type { Page } from "./pages.ts";
import type { Rendered } from "./render.ts";

/** The longest text of a section that is searched. */
const MAX_TEXT = 4000;

/** The index as JSON. */
export function searchIndex(pages: readonly { readonly page: Page; readonly rendered: Rendered }[]): string {
  const index = new MiniSearch(SEARCH_OPTIONS);
  let id = 0;
  for (const { page, rendered } of pages) {
    for (const { anchor, title, text } of rendered.sections) {
      index.add({
        id: id++,
        title,
        page: page.title,
        text: text.slice(0, MAX_TEXT),
        url: anchor === "" ? page.path : `${page.path}#${anchor}`,
      });
    }
  }
  return JSON.stringify(index);
}
