/**
 * Filters of a list: the window that they make, and the command line that prints the same.
 *
 * @module
 */
import type { WindowList } from "../../../../src/meta/console-protocol.ts";
import type { ListFilter, ListRoute } from "../../state/route.ts";

/** The list of a window. */
export function windowList(route: ListRoute, at: string | undefined): WindowList {
  const { group, version, resource, namespace, labels, fields, name, text, sort, desc } = route;
  return {
    group,
    version,
    resource,
    ...(namespace ? { namespace } : {}),
    ...(labels ? { labelSelector: labels } : {}),
    ...(fields ? { fieldSelector: fields } : {}),
    ...(name ? { name } : {}),
    ...(text ? { text } : {}),
    ...(sort ? { sort: { column: sort, ...(desc ? { descending: true } : {}) } } : {}),
    ...(at ? { at } : {}),
  };
}

/** Whether anything but the namespace is filtered. */
export function isFiltered({ labels, fields, name, text }: ListFilter): boolean {
  return Boolean(labels || fields || name || text);
}

/** The order after a click on the header of a column: ascending, descending, as before. */
export function nextSort(filter: ListFilter, column: string): Pick<ListFilter, "sort" | "desc"> {
  if (filter.sort !== column) return { sort: column };
  return filter.desc ? {} : { sort: column, desc: true };
}

/** A route with another filter; what is undefined or empty is left out. */
export function withFilter(
  route: ListRoute,
  change: { readonly [Member in keyof ListFilter]?: ListFilter[Member] | undefined },
): ListRoute {
  const entries = Object.entries({ ...route, ...change }).filter(
    ([member, value]) => member === "group" || (value !== undefined && value !== "" && value !== false),
  );
  return Object.fromEntries(entries) as unknown as ListRoute;
}

/** A word of a command line, in quotes if the shell would read it otherwise. */
export function shellWord(text: string): string {
  return /^[\w./:=,@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

const SORT_PATHS: Readonly<Record<string, string>> = {
  Name: ".metadata.name",
  Namespace: ".metadata.namespace",
  Age: ".metadata.creationTimestamp",
};

/**
 * A command line that prints the list. kubectl knows no part of a name and sorts by fields, not by columns: what it cannot say is
 * done by `grep`, or is in the second member.
 */
export function kubectlLine(
  route: ListRoute,
  options: { readonly namespaced: boolean; readonly wide: boolean; readonly at?: string | undefined },
): { readonly line: string; readonly differs: readonly string[] } {
  const { group, version, resource, namespace, labels, fields, name, text, sort, desc } = route;
  const differs: string[] = [];
  const kind = group === "" ? resource : `${resource}.${version}.${group}`;
  const words = ["kubectl", "get", kind];
  if (options.namespaced) words.push(...(namespace ? ["-n", shellWord(namespace)] : ["-A"]));
  if (labels) words.push("-l", shellWord(labels));
  if (fields) words.push("--field-selector", shellWord(fields));
  if (options.wide) words.push("-o", "wide");
  const path = sort === undefined ? undefined : SORT_PATHS[sort];
  if (path !== undefined) {
    words.push(`--sort-by=${path}`);
    // An age is the shorter, the later the time is.
    if (Boolean(desc) !== (sort === "Age")) differs.push("kubectl sorts in the other direction");
  } else if (sort !== undefined) differs.push(`kubectl does not sort by the column ${sort}`);
  const searched = [name, text].filter((part) => part !== undefined);
  for (const part of searched) words.push("|", "grep", "-iF", "--", shellWord(part));
  if (name !== undefined) differs.push("grep looks for the name in the whole line");
  if (options.at !== undefined) differs.push("kubectl prints the list as it is now");
  return { line: words.join(" "), differs };
}

/** What completes the last requirement of a label selector: keys, and values of a key, that were seen. */
export function completeLabels(
  text: string,
  seen: ReadonlyMap<string, ReadonlySet<string>>,
): { readonly text: string; readonly label: string }[] {
  const from = text.lastIndexOf(",") + 1;
  const [before, last] = [text.slice(0, from), text.slice(from).trimStart()];
  const [key = ""] = /^[^=!\s]+/.exec(last) ?? [];
  const behind = last.slice(key.length).trimStart();
  const [operator] = /^(?:==?|!=)/.exec(behind) ?? [];
  const found: { text: string; label: string }[] = [];
  if (key !== "" && operator !== undefined) {
    const value = behind.slice(operator.length).trimStart();
    for (const one of seen.get(key) ?? [])
      if (one.startsWith(value) && one !== value)
        found.push({ text: `${before}${key}${operator}${one}`, label: `${key}${operator}${one}` });
  } else for (const one of seen.keys()) if (one.includes(last)) found.push({ text: `${before}${one}=`, label: one });
  return found.sort((a, b) => (a.label < b.label ? -1 : 1)).slice(0, MOST_COMPLETIONS);
}

const MOST_COMPLETIONS = 12;

/** The labels of objects: for each key its values. */
export function labelsOf(
  objects: Iterable<{ readonly metadata: { readonly labels?: Readonly<Record<string, string>> } }>,
): Map<string, Set<string>> {
  const seen = new Map<string, Set<string>>();
  for (const { metadata } of objects)
    for (const [key, value] of Object.entries(metadata.labels ?? {})) {
      const values = seen.get(key);
      if (values) values.add(value);
      else seen.set(key, new Set([value]));
    }
  return seen;
}
