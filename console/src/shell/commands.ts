/**
 * What is typed into the command bar: `cm kube-system`, `pods /web`, `pods app=web`, `ns default`, `theme dark`.
 *
 * @module
 */
import type { Kind } from "../api/discovery.ts";
import type { ListRoute, Route } from "../state/route.ts";

/** What a command does. */
export type Command =
  | { readonly type: "go"; readonly to: Route }
  | { readonly type: "theme"; readonly theme: "system" | "light" | "dark" }
  | { readonly type: "columns"; readonly columns: "narrow" | "wide" }
  | { readonly type: "time" }
  | { readonly type: "now" }
  | { readonly type: "help" }
  | { readonly type: "sign-out" };

/** A command that is offered. */
export interface Suggestion {
  /** What is typed for it. */
  readonly text: string;
  /** What it does. */
  readonly does: string;
  readonly command: Command;
}

/** What the commands are about. */
export interface CommandContext {
  readonly kinds: readonly Kind[];
  readonly namespaces: readonly string[];
  readonly route: Route;
}

const MOST = 12;

const PLAIN: readonly Suggestion[] = [
  { text: "home", does: "the first page", command: { type: "go", to: { view: "home" } } },
  { text: "storage", does: "claims, volumes and drivers", command: { type: "go", to: { view: "storage" } } },
  { text: "workloads", does: "rollouts and Jobs", command: { type: "go", to: { view: "workloads" } } },
  { text: "server", does: "requests, latency, health", command: { type: "go", to: { view: "server" } } },
  { text: "explore", does: "findings of keelson explore", command: { type: "go", to: { view: "explore" } } },
  { text: "plan", does: "what manifests would change", command: { type: "go", to: { view: "plan" } } },
  { text: "new", does: "a new object", command: { type: "go", to: { view: "new" } } },
  { text: "time", does: "choose the moment that is shown", command: { type: "time" } },
  { text: "now", does: "back to the present", command: { type: "now" } },
  { text: "theme light", does: "light colours", command: { type: "theme", theme: "light" } },
  { text: "theme dark", does: "dark colours", command: { type: "theme", theme: "dark" } },
  { text: "theme system", does: "colours of the system", command: { type: "theme", theme: "system" } },
  { text: "columns wide", does: "all columns", command: { type: "columns", columns: "wide" } },
  { text: "columns narrow", does: "the most important columns", command: { type: "columns", columns: "narrow" } },
  { text: "help", does: "keys", command: { type: "help" } },
  { text: "sign-out", does: "end the session", command: { type: "sign-out" } },
];

/** The names by which a kind is found, in lower case. */
export function namesOf({ group, version, resource, kind, singular, shortNames }: Kind): string[] {
  const names = [...shortNames, resource, singular, kind.toLowerCase()];
  if (group !== "") names.push(`${resource}.${group}`, `${resource}.${version}.${group}`);
  return names.filter((name) => name !== "");
}

/** How well a kind fits what is typed: 0 is a short name or a whole name, 3 a part of it; undefined does not fit. */
function fit(kind: Kind, typed: string): number | undefined {
  const names = namesOf(kind);
  if (names.includes(typed)) return 0;
  if (names.some((name) => name.startsWith(typed))) return 1;
  if (names.some((name) => name.includes(typed))) return 2;
  return kind.group.startsWith(typed) ? 3 : undefined;
}

/** What a kind is called in a command: the shortest name that no other kind has. */
function commandName(kind: Kind, kinds: readonly Kind[]): string {
  const own = [...kind.shortNames, kind.resource, `${kind.resource}.${kind.group}`];
  return own.find((name) => kinds.every((one) => one === kind || !namesOf(one).includes(name))) ?? kind.resource;
}

/** The commands for what is typed, the best one first. */
export function suggest(typed: string, context: CommandContext): Suggestion[] {
  const [first = "", ...rest] = typed.trim().split(/\s+/);
  const name = first.toLowerCase();
  const plain = PLAIN.filter(({ text }) => text.startsWith(typed.trim().toLowerCase()));
  if (rest.length === 0 && !/\s$/.test(typed)) {
    const kinds = context.kinds
      .flatMap((kind) => {
        const rank = name === "" ? undefined : fit(kind, name);
        return rank === undefined ? [] : [{ kind, rank }];
      })
      .sort((a, b) => a.rank - b.rank || a.kind.resource.length - b.kind.resource.length)
      .map(({ kind }) => kindSuggestion(kind, [], context));
    const exact = plain.filter(({ text }) => text === name);
    return [...new Set([...exact, ...kinds.slice(0, MOST - 2), ...plain])].slice(0, MOST);
  }
  const last = rest.at(-1) ?? "";
  if (name === "ns" || name === "namespace" || name === "namespaces") return namespaceSuggestions(last, context);
  const kind = context.kinds.find((one) => namesOf(one).includes(name));
  if (!kind) return plain.slice(0, MOST);
  const typedOnes = rest.filter((word) => word !== "");
  // The last word may be the beginning of a namespace.
  const completed =
    kind.namespaced && isNamespace(last)
      ? context.namespaces
          .filter((one) => one.startsWith(last) && one !== last)
          .map((one) => kindSuggestion(kind, [...typedOnes.slice(0, -1), one], context))
      : [];
  return [kindSuggestion(kind, typedOnes, context), ...completed].slice(0, MOST);
}

const isNamespace = (word: string): boolean => !/[/=!]/.test(word);

function kindSuggestion(kind: Kind, words: readonly string[], context: CommandContext): Suggestion {
  const { group, version, resource } = kind;
  const text = [commandName(kind, context.kinds), ...words].join(" ");
  const filter: { namespace?: string; name?: string; labels?: string } = {};
  // As in k9s, the namespace stays the same from list to list.
  if (kind.namespaced && context.route.view === "list" && context.route.namespace)
    filter.namespace = context.route.namespace;
  for (const word of words) {
    const slash = word.indexOf("/");
    if (slash === 0) filter.name = word.slice(1);
    else if (/[=!]/.test(word)) filter.labels = filter.labels === undefined ? word : `${filter.labels},${word}`;
    else if (slash > 0) {
      const [namespace, name] = [word.slice(0, slash), word.slice(slash + 1)];
      if (name !== "") {
        const to: Route = { view: "object", group, version, resource, ...(kind.namespaced ? { namespace } : {}), name };
        return { text, does: `${kind.kind} ${name}`, command: { type: "go", to } };
      }
    } else if (word === "all" || word === "*") delete filter.namespace;
    else filter.namespace = word;
  }
  if (!kind.namespaced) delete filter.namespace;
  const to: ListRoute = { view: "list", group, version, resource, ...filter };
  const where = kind.namespaced ? ` in ${filter.namespace ?? "all namespaces"}` : "";
  return { text, does: `${kind.kind}${group === "" ? "" : ` (${group})`}${where}`, command: { type: "go", to } };
}

/** `ns NAME` shows the list that is shown in another namespace. */
function namespaceSuggestions(typed: string, { namespaces, route, kinds }: CommandContext): Suggestion[] {
  const pods = kinds.find(({ group, resource }) => group === "" && resource === "pods");
  const list: ListRoute | undefined =
    route.view === "list" ? route : pods && { view: "list", group: "", version: pods.version, resource: pods.resource };
  if (!list) return [];
  const { namespace: _namespace, ...all } = list;
  const matching = namespaces.filter((one) => one.startsWith(typed));
  const names = typed === "" || typed === "all" || matching.includes(typed) ? matching : [typed, ...matching];
  return [
    ...(typed === "" || "all".startsWith(typed)
      ? [{ text: "ns all", does: `${list.resource} in all namespaces`, command: { type: "go", to: all } } as const]
      : []),
    ...names.map((namespace): Suggestion => ({
      text: `ns ${namespace}`,
      does: `${list.resource} in ${namespace}`,
      command: { type: "go", to: { ...all, namespace } },
    })),
  ].slice(0, MOST);
}
