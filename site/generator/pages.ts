/**
 * The pages of the site: which files they come from, where they are, and how their links lead from one to the other.
 *
 * @module
 */
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";

/** A page: its source, and where it is in the site. */
export interface Page {
  /** The path of the Markdown below the root of the project: `docs/guides/why.md`. */
  readonly source: string;
  /** The path of the page in the site: `guides/why.html`. */
  readonly path: string;
  /** The path of its Markdown in the site: `guides/why.md`. */
  readonly twin: string;
  readonly markdown: string;
  readonly title: string;
}

/** Where the Markdown of a page is in the site. */
function twinOf(source: string): string {
  if (source === "README.md") return "index.md";
  if (source === "docs/README.md") return "pages.md";
  const inner = source.replace(/^docs\//, "");
  return inner.replace(/(^|\/)README\.md$/, "$1index.md");
}

/** The title of a page: its first heading, as text. */
const titleOf = (markdown: string, source: string): string =>
  (/^# (.+)$/m.exec(markdown)?.[1] ?? source).replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll("`", "");

/** Reads the pages of a project. */
export function readPages(root: string): readonly Page[] {
  const sources = globSync(["*.md", "docs/**/*.md", "examples/**/*.md"], { cwd: root }).toSorted();
  return sources.map((source) => {
    const markdown = readFileSync(join(root, source), "utf8");
    const twin = twinOf(source);
    return { source, twin, path: twin.replace(/\.md$/, ".html"), markdown, title: titleOf(markdown, source) };
  });
}

/** Where a link leads to. */
export type LinkTarget =
  | { readonly type: "page"; readonly href: string }
  | { readonly type: "elsewhere"; readonly href: string }
  /** A file of the project that is not in the site. */
  | { readonly type: "file"; readonly path: string }
  | { readonly type: "missing"; readonly path: string };

/** Returns how links of a page lead on, from a page at `from` in the site. */
export function linksFor(
  root: string,
  pages: readonly Page[],
  form: "path" | "twin",
): (page: Page, href: string) => LinkTarget {
  const bySource = new Map(pages.map((page) => [page.source, page]));
  return (page, href) => {
    if (/^[a-z][a-z+.-]*:/i.test(href)) return { type: "elsewhere", href };
    const [file = "", anchor] = href.split("#");
    const hash = anchor === undefined ? "" : `#${anchor}`;
    if (file === "") return { type: "page", href: hash };
    const source = normalize(join(dirname(page.source), file));
    const target = bySource.get(source) ?? bySource.get(join(source, "README.md"));
    if (target) return { type: "page", href: `${relativeTo(page[form], target[form])}${hash}` };
    return existsSync(join(root, source)) ? { type: "file", path: source } : { type: "missing", path: source };
  };
}

/** The path from one place in the site to another. */
export const relativeTo = (from: string, to: string): string => relative(dirname(from), to) || ".";

/** A part of the navigation. */
export interface NavSection {
  readonly title: string;
  readonly pages: readonly Page[];
}

/** The order of the pages, from the map of pages in `docs/README.md`; those that it does not name come last. */
export function navigationOf(pages: readonly Page[]): readonly NavSection[] {
  const bySource = new Map(pages.map((page) => [page.source, page]));
  const map = bySource.get("docs/README.md")!;
  const named = new Set<Page>();
  const take = (source: string): Page[] => {
    const page = bySource.get(source);
    if (!page || named.has(page)) return [];
    named.add(page);
    return [page];
  };
  const first = { title: "Begin", pages: ["README.md", "docs/tutorial.md", "docs/README.md"].flatMap(take) };
  const sections = map.markdown
    .split(/^## /m)
    .slice(1)
    .map((text): NavSection => {
      const end = text.indexOf("\n");
      const links = [...text.slice(end).matchAll(/\]\(([^)#\s]+\.md)/g)];
      return {
        title: text.slice(0, end).trim(),
        pages: links.flatMap(([, file]) => take(normalize(join("docs", file!)))),
      };
    });
  const rest = pages.filter((page) => !named.has(page));
  return [first, ...sections, { title: "More", pages: rest }].filter((section) => section.pages.length > 0);
}
