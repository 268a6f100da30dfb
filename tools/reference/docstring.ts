/**
 * Docstrings as Markdown.
 *
 * @module
 */

/** A docstring without its stars. */
export interface Doc {
  readonly text: string;
  /** `@param name what` as `["param", "name what"]`; `@module` says nothing. */
  readonly tags: readonly (readonly [tag: string, text: string])[];
}

/** The numbers of rules, which say nothing to people who use the library. */
const RULES = /\s\((?:[A-Z]+-\d+(?:\.\.\d+)?(?:, )?)+\)/g;

const withoutRules = (text: string): string => text.replace(RULES, "");

/** Comments inside code as a reader wants them: names without the marks of links. */
export const plain = (code: string): string => withoutRules(code).replace(/\{@link ([\w.]+)\}/g, "$1");

/** Where a symbol is described; undefined for one that is not exported. */
export type Link = (symbol: string) => string | undefined;

/** The docstring at the beginning of a text; an empty one where there is none. */
export function docOf(source: string): Doc {
  const comment = /^\s*(?:\/\/[^\n]*\s+)*\/\*\*([^]*?)\*\//.exec(source)?.[1] ?? "";
  const lines = comment.split("\n").map((line) => line.replace(/^\s*\* ?/, "").trimEnd());
  const [text = "", ...tags] = lines.join("\n").split(/^@(?=[a-z])/m);
  const known = tags.map((tag) => /^(\w+)\s*([^]*)$/.exec(tag.trim())!);
  return {
    text: withoutRules(text).trim(),
    tags: known.filter(([, name]) => name !== "module").map(([, name, said]) => [name!, said!] as const),
  };
}

const HEADS: Readonly<Record<string, string>> = { returns: "Returns", throws: "Throws" };

/** A docstring as paragraphs, with links to what it names. */
export function prose({ text, tags }: Doc, link: Link): string {
  const lines = tags.map(([tag, said]) => {
    const head = HEADS[tag];
    if (head !== undefined) return `- ${head} ${said.replace(/^\{(\w+)\}/, "{@link $1}").replaceAll("\n", " ")}`;
    return `- ${said.replace(/^(\w+)\s+/, "`$1`: ").replaceAll("\n", " ")}`;
  });
  const all = [text, lines.join("\n")].filter((part) => part !== "").join("\n\n");
  return linked(fenced(all), link);
}

/** The first sentence of a docstring, for a table. */
export function firstSentence({ text }: Doc, link: Link): string {
  const [paragraph = ""] = text.split("\n\n");
  const sentence = /^[^]*?\.(?=\s|$)/.exec(paragraph)?.[0] ?? paragraph;
  return linked(sentence.replace(/\.$/, ""), link);
}

/** Code that is set off by four blanks, between fences as everywhere else in the pages. */
const fenced = (text: string): string =>
  text.replace(
    /(?:^|\n\n)((?: {4}[^\n]*(?:\n(?=(?:\n*) {4})\n*)?)+)/g,
    (all, code: string) =>
      `${all.startsWith("\n") ? "\n\n" : ""}\`\`\`ts\n${code.replace(/^ {4}/gm, "").trimEnd()}\n\`\`\``,
  );

const linked = (text: string, link: Link): string =>
  text.replace(/\{@link ([\w.]+)(?:\s+([^}]+))?\}/g, (_, symbol: string, shown?: string) => {
    const place = link(symbol);
    return place === undefined ? `\`${shown ?? symbol}\`` : `[\`${shown ?? symbol}\`](${place})`;
  });
