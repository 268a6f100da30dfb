/**
 * What generated pages share.
 *
 * @module
 */

/** The second paragraph of every generated page. */
export const MADE = "Made by `npm run reference` from the sources; not edited by hand.";

/** A table; cells are Markdown of one line. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

const cell = (text: string): string => text.replaceAll(/(?<!\\)\|/g, String.raw`\|`).replaceAll("\n", " ");

/** A word as it is typed. */
export const code = (word: string): string => `\`${word}\``;
