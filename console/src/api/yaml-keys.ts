import { type Document, type Scalar, isScalar, visit } from "yaml";

/**
 * The names that a map of a document has more than once, without their first places. The parser compares each name with all others
 * of its map, which takes seconds for some thousand of them; so it is told not to.
 */
export function repeatedKeys(document: Document.Parsed): Scalar[] {
  const found: Scalar[] = [];
  visit(document, {
    Map(_key, { items }) {
      const names = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        if (names.has(key.value)) found.push(key);
        names.add(key.value);
      }
    },
  });
  return found;
}
