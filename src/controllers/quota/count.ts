/**
 * What the objects of a namespace take of a quota, as they are stored now.
 *
 * @module
 */
import { type Client, type ServedKind, metadataOf } from "../../client/index.ts";
import type { ResourceQuota } from "../../client/kinds/index.ts";
import { plus } from "../../kinds/usage/amounts.ts";
import { countedBy, isAbout, isOnePerObject, usageOf } from "../../kinds/usage/usage.ts";
import type { Dialect } from "../../meta/dialect.ts";

/** Amounts of resources by name. */
export type Amounts = Readonly<Record<string, string>>;

/** What a count is made with. */
export interface CountParts {
  readonly client: Client;
  readonly dialect: Dialect;
  /** The kinds that there are, by {@link nameOf}. */
  readonly served: ReadonlyMap<string, ServedKind>;
  readonly signal: AbortSignal;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** A kind as quotas name it: `plural.group`, the plural alone in the core group. */
export const nameOf = ({ group, plural }: Pick<ServedKind, "group" | "plural">): string =>
  group === "" ? plural : `${plural}.${group}`;

const PAGE_SIZE = 500;

/** What is taken of all that a quota allows; of what nobody can count here, what was said before. */
export async function usedOf({ spec, status, metadata }: ResourceQuota, parts: CountParts): Promise<Amounts> {
  const { namespace = "" } = metadata;
  const names = Object.keys(spec.hard ?? {});
  const used: Record<string, string> = {};
  for (const [resource, counted] of Map.groupBy(names, (name) => countedBy(name, parts.dialect) ?? "")) {
    const kind = parts.served.get(resource);
    const isHere = kind?.scope === "Namespaced" && kind.verbs.includes("list");
    const taken = isHere ? await usageIn({ resource, kind, names: counted, namespace, spec }, parts) : status.used;
    for (const name of counted) {
      const amount = taken?.[name] ?? (isHere ? "0" : undefined);
      if (amount !== undefined) used[name] = amount;
    }
  }
  return used;
}

/** The objects of a resource, and the names that count them. */
interface Objects {
  readonly resource: string;
  readonly kind: ServedKind;
  readonly names: readonly string[];
  readonly namespace: string;
  readonly spec: ResourceQuota["spec"];
}

async function usageIn(objects: Objects, { client, dialect, signal, now }: CountParts): Promise<Amounts> {
  const { resource, kind, names, namespace, spec } = objects;
  const usage = usageOf(resource, dialect);
  const isOfAll = (spec.scopes ?? []).length === 0 && spec.scopeSelector === undefined;
  if (!isOfAll && usage.holds === undefined) return {};
  if (isOfAll && names.every((name) => isOnePerObject(name, resource))) {
    const number = await countObjects(client, kind, namespace, signal);
    return Object.fromEntries(names.map((name) => [name, String(number)]));
  }
  let taken: Amounts = {};
  let from: string | undefined = "";
  while (from !== undefined) {
    const query = { namespace, limit: PAGE_SIZE, signal, ...(from === "" ? {} : { continue: from }) };
    const { items, metadata } = await client.resource(kind).list(query);
    for (const item of items) if (isAbout(spec, item, usage)) taken = plus(taken, usage.of(item, now));
    from = metadata.continue || undefined;
  }
  return taken;
}

/** How many objects there are: whoever asks for one is told how many are left. */
async function countObjects(client: Client, kind: ServedKind, namespace: string, signal: AbortSignal): Promise<number> {
  const { items, metadata } = await client.resource(metadataOf(kind)).list({ namespace, limit: 1, signal });
  return items.length + (metadata.remainingItemCount ?? 0);
}
