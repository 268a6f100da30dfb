/**
 * Colours for examples: comments, texts, names of YAML and what is typed after a prompt. It is made when the site is built, as
 * spans with classes, so that a page needs no program for it.
 *
 * @module
 */
const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

const span = (name: string, text: string): string => `<span class="${name}">${escaped(text)}</span>`;

const KEYWORDS =
  "as async await break case catch class const continue default else export extends false finally for from func function go if import in interface let map new null of package readonly return struct switch throw true try type undefined using var while";

const CODE = new RegExp(
  `(\\/\\/[^\\n]*|\\/\\*[^]*?\\*\\/)|("(?:[^"\\\\\\n]|\\\\.)*"|'(?:[^'\\\\\\n]|\\\\.)*'|\`(?:[^\`\\\\]|\\\\.)*\`)|\\b(${KEYWORDS.replaceAll(" ", "|")})\\b`,
  "g",
);

function code(text: string): string {
  let out = "";
  let end = 0;
  for (const found of text.matchAll(CODE)) {
    out += escaped(text.slice(end, found.index));
    out += span(found[1] ? "comment" : found[2] ? "text" : "keyword", found[0]);
    end = found.index + found[0].length;
  }
  return out + escaped(text.slice(end));
}

function yaml(text: string): string {
  return text
    .split("\n")
    .map((line) => {
      if (/^\s*#/.test(line)) return span("comment", line);
      const found = /^(\s*(?:- )*)([\w./"'-]+:)(?= |$)(.*)$/.exec(line);
      return found ? `${escaped(found[1]!)}${span("name", found[2]!)}${escaped(found[3]!)}` : escaped(line);
    })
    .join("\n");
}

const consoleText = (text: string): string =>
  text
    .split("\n")
    .map((line) =>
      line.startsWith("$ ") ? `<span class="prompt">$ </span><b>${escaped(line.slice(2))}</b>` : escaped(line),
    )
    .join("\n");

const shell = (text: string): string =>
  text
    .split("\n")
    .map((line) => (/^\s*#/.test(line) ? span("comment", line) : escaped(line)))
    .join("\n");

const FORMS: Readonly<Record<string, (text: string) => string>> = {
  ts: code,
  js: code,
  json: code,
  go: code,
  yaml,
  console: consoleText,
  sh: shell,
  make: shell,
};

/** An example as HTML. */
export const coloured = (language: string, text: string): string => (FORMS[language] ?? escaped)(text);
