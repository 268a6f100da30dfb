/**
 * Builds the site: pages, their Markdown, the search, `llms.txt`, and the programs of the pages.
 *
 * @module
 */
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildForPages } from "./bundle.ts";
import { type NavSection, type Page, linksFor, navigationOf, readPages } from "./pages.ts";
import { type Rendered, renderPage } from "./render.ts";
import { searchIndex } from "./search-index.ts";
import { pageHtml } from "./template.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const own = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** What was built. */
export interface BuiltSite {
  readonly pages: readonly { readonly page: Page; readonly rendered: Rendered }[];
  /** Links to what is not there: `page: target`. */
  readonly missing: readonly string[];
}

/** Writes the site into a folder, which is emptied before. */
export async function buildSite(outDir: string): Promise<BuiltSite> {
  rmSync(outDir, { recursive: true, force: true });
  const built = writePages(outDir);
  await buildPrograms(outDir);
  return built;
}

/** Writes the pages and all that is made of them. */
export function writePages(outDir: string): BuiltSite {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
  const pages = readPages(root);
  const navigation = navigationOf(pages);
  const linkOf = linksFor(root, pages, "path");
  const rendered = pages.map((page) => ({ page, rendered: renderPage(page, linkOf) }));
  const write = (path: string, text: string): void => {
    const file = join(outDir, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  };
  const twinLink = linksFor(root, pages, "twin");
  for (const { page, rendered: one } of rendered) {
    write(page.path, pageHtml(page, one, { navigation, version }));
    write(page.twin, twinText(page, twinLink));
  }
  write("404.html", notFound(pages));
  write("llms.txt", llmsText(navigation));
  write("assets/search.json", searchIndex(rendered));
  for (const picture of globSync("docs/**/*.{png,svg,jpg,webp}", { cwd: root })) {
    cpSync(join(root, picture), join(outDir, picture.replace(/^docs\//, "")));
  }
  cpSync(own("src/page/site.css"), join(outDir, "assets/site.css"));
  cpSync(join(root, "console/public/icon.svg"), join(outDir, "assets/icon.svg"));
  const missing = rendered.flatMap(({ page, rendered: one }) => one.missing.map((path) => `${page.source}: ${path}`));
  return { pages: rendered, missing };
}

/** Builds the programs: that of the pages, and the worker with the cluster. */
export async function buildPrograms(outDir: string): Promise<void> {
  await buildForPages({ page: own("src/page/page.ts") }, join(outDir, "assets"));
  await buildForPages({ worker: own("src/worker.ts") }, join(outDir, "assets/cluster"));
}

/** The Markdown of a page, with links to the Markdown of others. */
function twinText(page: Page, linkOf: ReturnType<typeof linksFor>): string {
  return page.markdown
    .split(/(^```[^]*?^```$)/m)
    .map((part) =>
      part.startsWith("```")
        ? part
        : part.replace(/\]\(([^)\s]+)\)/g, (whole, href: string) => {
            const target = linkOf(page, href);
            return target.type === "page" ? `](${target.href})` : whole;
          }),
    )
    .join("");
}

function notFound(pages: readonly Page[]): string {
  const page: Page = {
    source: "404.md",
    path: "404.html",
    twin: "404.md",
    title: "Not found",
    markdown: "# Not found\n\nThere is no such page. The search above finds what is there.\n",
  };
  const rendered = renderPage(page, linksFor(root, pages, "path"));
  return pageHtml(page, rendered, { navigation: navigationOf(pages), version: "" });
}

/** The map of the site for programs that read it: https://llmstxt.org. */
function llmsText(navigation: readonly NavSection[]): string {
  const sections = navigation.map(
    ({ title, pages }) => `## ${title}\n\n${pages.map((page) => `- [${page.title}](${page.twin})`).join("\n")}\n`,
  );
  return `# Keelson

> A Kubernetes-compatible API server in one npm package: typed objects, field ownership and watch, for kubectl and every client of
> Kubernetes; with a testing kit, controllers, and simulated nodes.

Every page of this site is there as Markdown, too: put \`.md\` in place of \`.html\`.

${sections.join("\n")}`;
}
