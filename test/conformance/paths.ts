/**
 * The little path language of scenarios: `a.b.0.c`, `*` for every element, `[k=v]` for the first element of a list
 * whose k is v, `[a.b/c]` for a key that has dots.
 *
 * @module
 */

/** What a path leads to; `leaf` is called with each value that it ends at, and the key of that value. */
export function at(value: unknown, path: string, leaf: (value: unknown, key?: string) => unknown = (v) => v): unknown {
  const parts = path.match(/\[[^\]]*\]|[^.]+/g) ?? [];
  const walk = (x: unknown, i: number): unknown => {
    if (i === parts.length) return leaf(x, parts[i - 1]);
    if (x === null || x === undefined) return undefined;
    const part = parts[i]!;
    if (part === "*") return typeof x === "object" ? Object.values(x).map((y) => walk(y, i + 1)) : undefined;
    if (!part.startsWith("[")) return walk(member(x, part), i + 1);
    const [key, wanted] = part.slice(1, -1).split(/=(.*)/s) as [string, string | undefined];
    if (wanted === undefined) return walk(member(x, key), i + 1);
    return walk(Array.isArray(x) ? x.find((y) => String(at(y, key)) === wanted) : undefined, i + 1);
  };
  return walk(value, 0);
}

const member = (value: unknown, key: string): unknown => (value as Record<string, unknown>)[key];

/** The variables of a run: `{ns}`, `{id}`, `{d}` and what steps saved. */
export type Variables = Record<string, unknown>;

const REPEAT = /\{repeat:(.*?)\*(\d+)\}/gs;

/** `{now}`, `{now-60}`: seconds before or after the moment that a step is sent. */
const NOW = /\{now([+-]\d+)?\}/g;

/**
 * Puts variables into texts, at any depth; `{repeat:ab*3}` becomes `ababab`, `{now-60}` the time a minute ago (RFC 3339,
 * microseconds).
 */
export function fill<T>(value: T, variables: Variables): T {
  if (typeof value === "string") return fillText(value, variables) as T;
  if (Array.isArray(value)) return value.map((x) => fill(x, variables) as unknown) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([k, x]) => [fillText(k, variables), fill(x as unknown, variables)]),
  ) as T;
}

function fillText(value: string, variables: Variables): string {
  const text = value
    .replace(REPEAT, (_, part: string, n: string) => part.repeat(Number(n)))
    .replace(NOW, (_, seconds: string | undefined) => timeIn(Number(seconds ?? 0)));
  if (text.length > 20_000 && !text.includes("{ns}") && !text.includes("{id}")) return text;
  return text.replace(/\{([a-zA-Z][a-zA-Z0-9_]*)\}/g, (whole, key: string) =>
    key in variables ? String(variables[key]) : whole,
  );
}

const timeIn = (seconds: number): string => new Date(Date.now() + seconds * 1000).toISOString().replace("Z", "000Z");
