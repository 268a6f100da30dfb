import type { Ruler } from "./columns.ts";

/** Texts of which the width is remembered. */
const MOST = 4000;

/** Measures texts in the fonts of the page, without a layout of it. */
export function browserRuler(): Ruler {
  const context = document.createElement("canvas").getContext("2d");
  const { fontFamily, fontSize } = getComputedStyle(document.body);
  const measure = (weight: number): ((text: string) => number) => {
    const known = new Map<string, number>();
    return (text) => {
      const found = known.get(text);
      if (found !== undefined) return found;
      if (known.size >= MOST) known.clear();
      const font = `${weight} ${fontSize} ${fontFamily}`;
      if (context && context.font !== font) context.font = font;
      // Without a canvas, as wide as usual fonts are.
      const width = context?.measureText(text).width ?? text.length * 8;
      known.set(text, width);
      return width;
    };
  };
  // The name has the weight 500, which many fonts draw as 600.
  return { cell: measure(500), header: measure(600) };
}
