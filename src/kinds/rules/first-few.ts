const FEW = 3;

/** The first of some texts as a table shows them: `a,b,c + 2 more...`. */
export function firstFew(texts: readonly string[]): string {
  const shown = texts.slice(0, FEW).join(",");
  return texts.length > FEW ? `${shown} + ${texts.length - FEW} more...` : shown;
}
