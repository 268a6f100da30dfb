/**
 * A page of Markdown as it was, by its headings: what has no new results stays as it is.
 *
 * @module
 */

/** The sections of a page. */
export class Sections {
  /** From each heading line to all that follows up to the next one, with the empty line before it. */
  readonly #texts: ReadonlyMap<string, string>;

  constructor(page: string) {
    const parts = page.split(/^(?=##+ )/m);
    this.#texts = new Map(parts.map((part) => [part.slice(0, part.indexOf("\n")), `\n${part.trimEnd()}\n`]));
  }

  /** The section with a heading; nothing when there is none. */
  get(heading: string): string {
    return this.#texts.get(heading) ?? "";
  }

  /** The sections whose headings start with a text. */
  starting(text: string): readonly (readonly [string, string])[] {
    return [...this.#texts].filter(([heading]) => heading.startsWith(text));
  }

  /** The rows of the table in a section, by their first two cells. */
  rows(heading: string): readonly (readonly [string, string])[] {
    const lines = this.get(heading).split("\n");
    const rule = lines.findIndex((line) => line.startsWith("|--"));
    const rows = rule < 0 ? [] : lines.slice(rule + 1).filter((line) => line.startsWith("| "));
    return rows.map((row) => [row.split(" | ").slice(0, 2).join(" | ").slice(2), `${row}\n`]);
  }
}
