const MAX_SHOWN = 3;

/** The first of some texts as a table shows them: `a,b,c + 2 more...`. */
export function firstFew(texts: readonly string[]): string {
  const shown = texts.slice(0, MAX_SHOWN).join(",");
  return texts.length > MAX_SHOWN ? `${shown} + ${texts.length - MAX_SHOWN} more...` : shown;
}
