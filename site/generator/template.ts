/**
 * A page of the site as HTML. It loads files of the site alone; its links are relative, so that it works below any path.
 *
 * @module
 */
import type { NavSection, Page } from "./pages.ts";
import { relativeTo } from "./pages.ts";
import { type Rendered, escaped } from "./render.ts";

/** What all pages share. */
export interface Frame {
  readonly navigation: readonly NavSection[];
  readonly version: string;
}

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'";

/** The HTML of a page. */
export function pageHtml(page: Page, rendered: Rendered, { navigation, version }: Frame): string {
  const to = (path: string): string => escaped(relativeTo(page.path, path));
  const title = page.source === "README.md" ? "Keelson" : `${page.title} — Keelson`;
  const contents = rendered.headings.filter(({ level }) => level === 2 || level === 3);
  return `<!doctype html>
<html lang="en" data-root="${escaped(relativeTo(page.path, "."))}" data-version="${escaped(version)}">
<head>
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)}</title>
<link rel="stylesheet" href="${to("assets/site.css")}">
<link rel="icon" href="${to("assets/icon.svg")}" type="image/svg+xml">
<link rel="alternate" type="text/markdown" href="${to(page.twin)}" title="This page as Markdown">
<script type="module" src="${to("assets/page.js")}"></script>
</head>
<body${rendered.examples > 0 ? ` class="has-examples"` : ""}>
<a class="skip" href="#content">To the text</a>
<header>
<button id="menu" type="button" aria-controls="pages" aria-expanded="false" aria-label="Pages">☰</button>
<a class="home" href="${to("index.html")}">Keelson</a>
<search><label class="hidden" for="search">Search</label><input id="search" type="search" placeholder="Search ( / )" autocomplete="off" role="combobox" aria-expanded="false" aria-controls="found"><div id="found" role="listbox" aria-label="Found" hidden></div></search>
<button id="theme" type="button" aria-label="Light or dark">◐</button>
<button id="terminal-button" type="button" aria-controls="terminal" aria-expanded="false">Terminal</button>
</header>
<nav id="pages" aria-label="Pages">
${navigation
  .map(
    (section) =>
      `<details${section.pages.includes(page) || section.title === "Begin" ? " open" : ""}><summary>${escaped(section.title)}</summary><ul>${section.pages
        .map(
          (one) =>
            `<li><a href="${to(one.path)}"${one === page ? ` aria-current="page"` : ""}>${escaped(one.title)}</a></li>`,
        )
        .join("")}</ul></details>`,
  )
  .join("\n")}
</nav>
<main id="content" tabindex="-1">
<article>
${rendered.html}</article>
<footer><a href="${to(page.twin)}">This page as Markdown</a> · <a href="${to("llms.txt")}">llms.txt</a> · Keelson ${escaped(version)}, Apache-2.0</footer>
</main>
<aside id="contents" aria-label="On this page">${
    contents.length < 2
      ? ""
      : `<h2>On this page</h2><ul>${contents.map(({ level, text, anchor }) => `<li class="level-${level}"><a href="#${escaped(anchor)}">${escaped(text)}</a></li>`).join("")}</ul>`
  }</aside>
<section id="terminal" aria-label="Terminal" hidden></section>
</body>
</html>
`;
}
