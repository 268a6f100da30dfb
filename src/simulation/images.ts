/** Patterns of images: an exact name, a name without tag, a prefix with `*`; the most exact one wins. */

/** The value of the most exact pattern that fits an image: `db:2`, then `db`, then the longest prefix such as `d*`. */
export function matchOf<V>(patterns: ReadonlyMap<string, V>, image: string): V | undefined {
  if (patterns.size === 0) return undefined;
  const exact = patterns.get(image) ?? patterns.get(withoutTag(image));
  if (exact !== undefined) return exact;
  let best: V | undefined;
  let length = -1;
  for (const [pattern, value] of patterns) {
    if (!pattern.endsWith("*") || pattern.length - 1 <= length) continue;
    if (!image.startsWith(pattern.slice(0, -1))) continue;
    best = value;
    length = pattern.length - 1;
  }
  return best;
}

/** The name of an image without its tag and digest; a port of a registry is no tag. */
function withoutTag(image: string): string {
  const name = image.split("@")[0] ?? "";
  const colon = name.lastIndexOf(":");
  return colon > name.lastIndexOf("/") ? name.slice(0, colon) : name;
}
