/**
 * The resources of an entry (CRYPT-2): `secrets`, `deployments.apps`, `*.apps` for a group, `*.` for the core group, `*.*` for all.
 *
 * @module
 */

/** One resource, or several: `*` matches every name. */
export interface Pattern {
  readonly resource: string;
  readonly group: string;
}

/** Parses a pattern; the group begins after the first dot. */
export function patternOf(text: string): Pattern {
  const dot = text.indexOf(".");
  return dot < 0 ? { resource: text, group: "" } : { resource: text.slice(0, dot), group: text.slice(dot + 1) };
}

/** Whether a pattern covers a resource. */
export const covers = (pattern: Pattern, { resource, group }: Pattern): boolean =>
  isAll(pattern) || (pattern.group === group && (pattern.resource === "*" || pattern.resource === resource));

const isAll = ({ resource, group }: Pattern): boolean => resource === "*" && group === "*";

/** Whether an earlier pattern with `*` covers all of this one. */
export const isMasked = (pattern: Pattern, earlier: readonly Pattern[]): boolean =>
  earlier.some((other) => other.resource === "*" && covers(other, pattern));

/** Resources that are not stored. */
const NOT_STORED: ReadonlySet<string> = new Set([
  "apiserveripinfo",
  "serviceipallocations",
  "servicenodeportallocations",
]);

/** The mistakes in the names of one entry, each with its path (CRYPT-2). */
export function checkPatterns(texts: readonly string[], at: string): string[] {
  const mistakes = texts.flatMap((text, i) => {
    const wrong = mistakeOf(text);
    return wrong === undefined ? [] : [`${at}[${i}]: ${wrong}`];
  });
  if (new Set(texts).size < texts.length) mistakes.push(`${at}: expected each resource once`);
  const patterns = [...new Set(texts)].map(patternOf);
  const many = patterns.filter(({ resource }) => resource === "*");
  const isOverlapping = many.some((pattern) => patterns.some((other) => other !== pattern && covers(pattern, other)));
  if (isOverlapping) mistakes.push(`${at}: expected no resource that another one of the list covers`);
  return mistakes;
}

function mistakeOf(text: string): string | undefined {
  const { resource, group } = patternOf(text);
  if (text !== text.toLowerCase()) return `expected no capitals, got ${text}`;
  if (text === "*") return "expected *. for all of the core group or *.* for everything, got *";
  if (NOT_STORED.has(text)) return `expected a resource whose objects are stored, got ${text}`;
  if (group === "events.k8s.io") return `expected events, as which they are stored, got ${text}`;
  if (group === "extensions") return `expected an existing group, got ${text}`;
  if (group === "*" && resource !== "*") return `expected one group for ${resource}, got all`;
  return undefined;
}

/** Keys below `/stocks/` are allocations; no resource has this group. */
const STOCKS = "stocks";

/**
 * The resource of a store prefix such as `/apps/deployments/`; undefined where it contains no objects.
 *
 * @param eventsGroup another group of Events, which a configuration names in the core group
 */
export function resourceAt(prefix: string, eventsGroup: string): Pattern | undefined {
  const [, group = "", resource = ""] = prefix.split("/");
  if (group === STOCKS || resource === "") return undefined;
  const isCore = group === "core" || (group === eventsGroup && resource === "events");
  return { resource, group: isCore ? "" : group };
}
