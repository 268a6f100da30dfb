/**
 * Splits a command line into words, as a shell does: at blanks, with quotes and backslashes; nothing is expanded.
 * Undefined where there is no word, or a quote is not closed.
 */
export function splitCommand(line: string): readonly [string, ...string[]] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let i = 0; i < line.length; i++) {
    const character = line[i]!;
    if (character === "\\" && quote !== "'" && i + 1 < line.length) word = (word ?? "") + line[++i]!;
    else if (character === quote) quote = undefined;
    else if (quote === undefined && (character === "'" || character === '"')) {
      quote = character;
      word ??= "";
    } else if (quote === undefined && " \t\n".includes(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? "") + character;
  }
  if (quote !== undefined) return undefined;
  if (word !== undefined) words.push(word);
  const [first, ...rest] = words;
  return first ? [first, ...rest] : undefined;
}
