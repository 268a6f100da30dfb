/**
 * Markdown as HTML, with anchors as GitHub makes them, links between pages, and examples that can be run.
 *
 * @module
 */
import MarkdownIt, { type Token } from "markdown-it";
import { examplesOf, fileOf, sayLeft, withoutSetups } from "./examples.ts";
import { coloured } from "./highlight.ts";
import type { LinkTarget, Page } from "./pages.ts";

/** A heading of a page. */
export interface Heading {
  readonly level: number;
  readonly text: string;
  readonly anchor: string;
}

/** A page as HTML. */
export interface Rendered {
  readonly html: string;
  readonly headings: readonly Heading[];
  /** The text below each heading, for the search. */
  readonly sections: readonly { readonly anchor: string; readonly title: string; readonly text: string }[];
  /** How many examples can be run. */
  readonly examples: number;
  readonly missing: readonly string[];
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

/** The anchor of a heading. */
const slugOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-");

const textOf = (token: Token | undefined): string =>
  (token?.children ?? [])
    .map((child: Token) =>
      child.type === "text" || child.type === "code_inline" ? child.content : child.type === "softbreak" ? " " : "",
    )
    .join("");

/** Renders a page. */
export function renderPage(page: Page, linkOf: (page: Page, href: string) => LinkTarget): Rendered {
  const markdown = new MarkdownIt({ html: false, linkify: false });
  const tokens = markdown.parse(withoutSetups(page.markdown), {});
  const headings: Heading[] = [];
  const sections: { anchor: string; title: string; text: string }[] = [{ anchor: "", title: page.title, text: "" }];
  const missing: string[] = [];
  const seen = new Map<string, number>();
  let examples = 0;
  for (const [at, token] of tokens.entries()) {
    if (token.type === "heading_open") {
      const text = textOf(tokens[at + 1]);
      const slug = slugOf(text);
      const times = seen.get(slug) ?? 0;
      seen.set(slug, times + 1);
      const anchor = times === 0 ? slug : `${slug}-${times}`;
      token.attrSet("id", anchor);
      headings.push({ level: Number(token.tag.slice(1)), text, anchor });
      if (token.tag !== "h1") sections.push({ anchor, title: text, text: "" });
      continue;
    }
    // The policy of the site forbids styles in a page.
    const alignment = /^text-align:(\w+)$/.exec(String(token.attrGet("style") ?? ""))?.[1];
    if (alignment !== undefined) token.attrs = [["class", `align-${alignment}`]];
    if (token.type === "inline" && tokens[at - 1]?.type !== "heading_open")
      sections.at(-1)!.text += `${textOf(token)} `;
    for (const child of token.children ?? []) {
      // The pictures below docs/ stand at the root of the site.
      if (child.type === "image") child.attrSet("src", String(child.attrGet("src")).replace(/^docs\//, ""));
      if (child.type !== "link_open") continue;
      const target = linkOf(page, String(child.attrGet("href") ?? ""));
      if (target.type === "page") child.attrSet("href", target.href);
      else if (target.type === "elsewhere") {
        child.attrSet("rel", "noreferrer");
      } else {
        // A file that is not in the site: its name without a link.
        child.tag = "span";
        child.attrs = [
          ["class", "file"],
          ["title", target.path],
        ];
        closeOf(token.children!, child).tag = "span";
        if (target.type === "missing") missing.push(target.path);
      }
    }
  }
  const shown = examplesOf(page.markdown);
  const fences = tokens.filter(({ type }) => type === "fence");
  if (shown.length !== fences.length) {
    throw new Error(
      `${page.source}: expected ${fences.length} fenced blocks at the start of a line, found ${shown.length}`,
    );
  }
  markdown.renderer.rules["fence"] = (all: Token[], at: number): string => {
    const example = shown[fences.indexOf(all[at]!)]!;
    const { fence, commands, setup } = example;
    const file = fileOf(fence);
    const left = sayLeft(example);
    const attributes = [
      `class="example"`,
      `data-language="${escaped(fence.language)}"`,
      ...(file ? [`data-file="${escaped(file.file)}"`] : []),
    ];
    const listed = (texts: readonly string[]): string => escaped(JSON.stringify(texts));
    if (commands.length > 0) {
      examples++;
      attributes.push(`data-commands="${listed(commands.map(({ command }) => command))}"`);
      if (setup.length > 0) attributes.push(`data-setup="${listed(setup)}"`);
    }
    const why = left === undefined ? "" : `<p class="left">${inCode(left)}</p>`;
    return `<div ${attributes.join(" ")}><pre tabindex="0"><code>${coloured(fence.language, all[at]!.content)}</code></pre>${why}</div>\n`;
  };
  markdown.renderer.rules["table_open"] = () => `<div class="table" tabindex="0"><table>\n`;
  markdown.renderer.rules["table_close"] = () => `</table></div>\n`;
  const html = markdown.renderer.render(tokens, markdown.options, {});
  return { html, headings, sections, examples, missing };
}

function closeOf(children: readonly Token[], open: Token): Token {
  const from = children.indexOf(open);
  return children.slice(from).find(({ type, level }) => type === "link_close" && level === open.level)!;
}

/** A sentence with names between backticks. */
const inCode = (text: string): string => escaped(text).replace(/`([^`]+)`/g, "<code>$1</code>");

export { escaped };
