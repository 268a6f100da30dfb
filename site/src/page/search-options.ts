/** How the pages are searched; the same when the index is made and when it is read. */
export const SEARCH_OPTIONS = {
  fields: ["title", "page", "text"],
  storeFields: ["title", "page", "url"],
  searchOptions: { prefix: true, fuzzy: 0.15, boost: { title: 4, page: 2 } },
};
