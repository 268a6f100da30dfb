import { type ApiObject, type Kind, type UntypedObject, isStatus, metadataOf } from "../client/index.ts";
import type { ReportedContent, ReportedReason } from "../meta/why-report.ts";
import { type Facts, prefixed, textOf } from "./facts.ts";
import { explainDeletion } from "./terminating.ts";

/** Finalizers are counted in at most this many objects of a kind. */
const MAX_COUNTED = 500;
/** The maximum number of held objects, of a kind and in all. */
const MAX_HELD = 10;

/** The remaining objects of a definition or a namespace that is being deleted. */
export interface RemainingContent {
  readonly content: readonly ReportedContent[];
  /** The obstacle of the first of them. */
  readonly reasons: readonly ReportedReason[];
}

/** Reads what remains of some kinds, in one namespace or in all. */
export async function remainingContent(
  facts: Facts,
  kinds: readonly Kind<UntypedObject>[],
  namespace?: string,
): Promise<RemainingContent> {
  const content: ReportedContent[] = [];
  const reasons: ReportedReason[] = [];
  const held: ApiObject[] = [];
  for (const kind of kinds) {
    // oxlint-disable-next-line no-await-in-loop -- one kind after the other
    const refused = await facts.reasonsOrRefusal(async () => {
      const left = await leftOf(facts, kind, namespace);
      if (left) content.push(left.content);
      held.push(...(left?.held ?? []));
      return [];
    });
    reasons.push(...refused);
  }
  for (const object of held.slice(0, MAX_HELD)) {
    // oxlint-disable-next-line no-await-in-loop -- one object after the other
    reasons.push(...prefixed(textOf(object), await explainDeletion(facts, object)));
  }
  return { content, reasons };
}

interface Left {
  readonly content: ReportedContent;
  readonly held: readonly ApiObject[];
}

/** Reads what remains of one kind; undefined for nothing, or an unserved kind. */
async function leftOf(
  { client, signal }: Facts,
  kind: Kind<UntypedObject>,
  namespace: string | undefined,
): Promise<Left | undefined> {
  const query = { limit: MAX_COUNTED, signal, ...(namespace === undefined ? {} : { namespace }) };
  const page = await client
    .resource(metadataOf(kind))
    .list(query)
    .catch((error: unknown) => {
      if (isStatus(error, "NotFound")) return undefined;
      throw error;
    });
  if (!page || page.items.length === 0) return undefined;
  const finalizers = new Map<string, number>();
  const held: ApiObject[] = [];
  const limit = client.clock.loop.slice();
  for (const item of page.items) {
    const own = item.metadata.finalizers ?? [];
    for (const name of own) finalizers.set(name, (finalizers.get(name) ?? 0) + 1);
    if (own.length > 0 && held.length < MAX_HELD) held.push({ ...item, kind: kind.kind });
    // oxlint-disable-next-line no-await-in-loop -- an object may have thousands
    await limit.pause();
  }
  const { group, plural: resource } = kind;
  const count = page.items.length + (page.metadata.remainingItemCount ?? 0);
  const objects = held.map(({ metadata }) => [metadata.namespace, metadata.name].filter(Boolean).join("/"));
  const counted = { group, resource, count, finalizers: Object.fromEntries(finalizers) };
  return { content: held.length > 0 ? { ...counted, objects } : counted, held };
}

const COLUMNS = "KIND:.kind,NAMESPACE:.metadata.namespace,NAME:.metadata.name,FINALIZERS:.metadata.finalizers";

/** Returns a command that lists the remaining objects; undefined for none. */
export function commandFor(content: readonly ReportedContent[], where: string): string | undefined {
  if (content.length === 0) return undefined;
  const names = content.map(({ group, resource }) => (group === "" ? resource : `${resource}.${group}`));
  return `kubectl get ${names.join(",")} ${where} -o custom-columns=${COLUMNS}`.replace("  ", " ");
}
