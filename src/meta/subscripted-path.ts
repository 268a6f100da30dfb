/** A member of a Pod and its key, from a path such as `metadata.labels['app']`. */
export interface SubscriptedPath {
  readonly member: string;
  readonly key: string;
}

const BEGIN = "['";
const END = "']";

/** Splits a path with a subscript at the first `['`; undefined for one without (`SplitMaybeSubscriptedPath` of Kubernetes). */
export function splitSubscript(path: string): SubscriptedPath | undefined {
  if (!path.endsWith(END)) return undefined;
  const end = path.length - END.length;
  const begin = path.indexOf(BEGIN);
  if (begin <= 0 || begin + BEGIN.length > end) return undefined;
  return { member: path.slice(0, begin), key: path.slice(begin + BEGIN.length, end) };
}
