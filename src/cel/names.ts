/**
 * Escapes the names of properties for expressions, and back (CEL-35).
 *
 * @module
 */

const RESERVED = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);

/** The name of a property in expressions; undefined where it has none (CEL-35). */
export function escapeName(name: string): string | undefined {
  if (!/^[A-Za-z_][A-Za-z0-9_./-]*$/.test(name)) return undefined;
  if (RESERVED.has(name)) return `__${name}__`;
  const marks: Readonly<Record<string, string>> = {
    __: "__underscores__",
    ".": "__dot__",
    "-": "__dash__",
    "/": "__slash__",
  };
  return name.replaceAll(/__|[.\-/]/g, (mark) => marks[mark]!);
}

const MARKED: Readonly<Record<string, string>> = { underscores: "__", dot: ".", dash: "-", slash: "/" };

/** The property of a name in expressions; undefined where an escape is invalid. */
export function unescapeName(escaped: string): string | undefined {
  let isValid = true;
  const name = escaped.replaceAll(/__([^_]+)__/g, (whole, inner: string) => {
    const mark = MARKED[inner];
    if (mark !== undefined) return mark;
    if (!RESERVED.has(inner) || whole.length !== escaped.length) isValid = false;
    return inner;
  });
  return isValid ? name : undefined;
}
