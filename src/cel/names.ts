/**
 * Names of properties as expressions see them, and back (CEL-35).
 *
 * @module
 */

const RESERVED = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);

/** The name under which expressions see a property; undefined for one that they cannot see (CEL-35). */
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

/** The name of the property that expressions see under a name; undefined where an escape in it is none. */
export function unescapeName(seen: string): string | undefined {
  let isRight = true;
  const name = seen.replaceAll(/__([^_]+)__/g, (whole, inner: string) => {
    const mark = MARKED[inner];
    if (mark !== undefined) return mark;
    if (!RESERVED.has(inner) || whole.length !== seen.length) isRight = false;
    return inner;
  });
  return isRight ? name : undefined;
}
