/** The usage of a quota by the stored objects of a namespace. */
import { type Client, type ServedKind, metadataOf } from "../../client/index.ts";
import type { ResourceQuota } from "../../client/kinds/index.ts";
import { plus } from "../../kinds/usage/amounts.ts";
import { countedBy, isAbout, isOnePerObject, usageOf } from "../../kinds/usage/usage.ts";
import type { Dialect } from "../../meta/dialect.ts";

/** Amounts by resource name. */
export type Amounts = Readonly<Record<string, string>>;

/** The parts of a count. */
export interface CountParts {
  readonly client: Client;
  readonly dialect: Dialect;
  /** The served kinds by {@link nameOf}. */
  readonly served: ReadonlyMap<string, ServedKind>;
  readonly signal: AbortSignal;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The name of a kind in quotas: `plural.group`, or the plural in the core group. */
export const nameOf = ({ group, plural }: Pick<ServedKind, "group" | "plural">): string =>
  group === "" ? plural : `${plural}.${group}`;

const PAGE_SIZE = 500;

/** Returns the usage of all limited resources; resources that cannot be counted keep their value. */
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

/** A kind of objects, and the resource names that count them. */
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

/** Counts objects by a list of one with remainingItemCount. */
async function countObjects(client: Client, kind: ServedKind, namespace: string, signal: AbortSignal): Promise<number> {
  const { items, metadata } = await client.resource(metadataOf(kind)).list({ namespace, limit: 1, signal });
  return items.length + (metadata.remainingItemCount ?? 0);
}
