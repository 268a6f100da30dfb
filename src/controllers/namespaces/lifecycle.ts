/**
 * Deletes the content of namespaces that are being deleted, then removes their finalizer (DEC-34).
 *
 * Pods are deleted first and terminate before anything else is deleted (CTL-NS-4). Then every kind that discovery lists
 * is deleted. When nothing remains, the controller removes its finalizer from `spec.finalizers`, and the server deletes
 * the namespace. Objects with finalizers delay that; the conditions of the namespace name them. Without discovery
 * nothing is finalized.
 * Objects are deleted by the name of the namespace, and memory may be behind: the namespace is read from the server before each try, since
 * another one may have the name by now.
 */
import { type Client, type ServedKind, attempt, isStatus, metadataOf } from "../../client/index.ts";
import { Namespace } from "../../client/kinds/index.ts";
import { type Context, type Controller, conditionOf, defineController } from "../../runtime/index.ts";
import { type NewCondition, nextCondition } from "../../runtime/conditions.ts";
import { type Content, type Remaining, contentConditions } from "./conditions.ts";
import { NAMESPACE_FINALIZER, contentOf, isOfPods, remainingIn } from "./content.ts";

/** The bounds of the wait until the next try, which is a quarter of the time since the deletion. */
const AGAIN = { least: 200, most: 10_000 };

/** After this time the remaining content is logged: twice the default grace period of a Pod. */
const SLOW_DELETION_MS = 60_000;

/** The controller named `namespace`. */
export const namespaceLifecycle: Controller = defineController({
  name: "keelson-namespace",
  for: Namespace,
  predicate: ({ object }) => object.metadata.deletionTimestamp !== undefined,
  backoff: { first: AGAIN.least, most: AGAIN.most },
  timeout: "10m",
  async reconcile(ctx) {
    const { key, client, clock, log } = ctx;
    const { name } = key;
    const object = await client.resource(Namespace).find(key);
    if (!object || object.metadata.deletionTimestamp === undefined) return undefined;
    const { deletionTimestamp } = object.metadata;
    const { finalizers = [] } = object.spec;
    if (!finalizers.includes(NAMESPACE_FINALIZER)) return undefined;
    const taken = clock.now() - Date.parse(deletionTimestamp);
    const kinds = await contentKinds(ctx, object);
    const { remaining, leaving, errors } = await deleteContent(client, kinds, name);
    const isEmpty = remaining.length + leaving + errors.length === 0;
    if (!isEmpty) {
      const conditions = contentConditions({ remaining, leaving, errors });
      if (taken >= SLOW_DELETION_MS)
        log.warn("a namespace does not empty", { namespace: name, since: deletionTimestamp, why: whyOf(conditions) });
      await writeConditions(ctx, object, conditions);
    }
    if (errors.length > 0) throw new AggregateError(errors, `namespace ${name}: ${String(errors[0])}`);
    if (!isEmpty) return { requeueAfter: Math.max(AGAIN.least, Math.min(AGAIN.most, taken / 4)) };
    const spec = { ...object.spec, finalizers: finalizers.filter((finalizer) => finalizer !== NAMESPACE_FINALIZER) };
    // A conflict adds the key again.
    await attempt(
      client
        .resource(Namespace)
        .subresource("finalize")
        .update({ ...object, spec }),
      "NotFound",
      "Conflict",
    );
    return undefined;
  },
});

const whyOf = (findings: readonly NewCondition[]): string =>
  findings.flatMap(({ status, message }) => (status ? [message] : [])).join("; ");

/** Writes the conditions where they have changed. */
async function writeConditions(
  { client, clock }: Context<Namespace, "Cluster">,
  object: Namespace,
  findings: readonly NewCondition[],
): Promise<void> {
  if (findings.every(({ type, message }) => conditionOf(object, type)?.message === message)) return;
  const types = new Set(findings.map(({ type }) => type));
  const conditions = [
    ...(object.status.conditions ?? []).filter(({ type }) => !types.has(type)),
    ...findings.map((finding) => nextCondition(object, finding, clock.now())),
  ];
  const status = { ...object.status, conditions };
  await attempt(client.resource(Namespace).status.update({ ...object, status }), "NotFound", "Conflict");
}

/** Returns the kinds of the namespace; a discovery error goes to the conditions (CTL-NS-9). */
async function contentKinds(ctx: Context<Namespace, "Cluster">, object: Namespace): Promise<readonly ServedKind[]> {
  try {
    return contentOf(await ctx.kinds.read());
  } catch (error) {
    await writeConditions(ctx, object, contentConditions({ remaining: [], leaving: 0, errors: [], discovery: error }));
    throw error;
  }
}

/** Deletes the content of a namespace; an error of one kind does not delay others, but Pods delay all. */
async function deleteContent(client: Client, kinds: readonly ServedKind[], namespace: string): Promise<Content> {
  const remaining: Remaining[] = [];
  const errors: unknown[] = [];
  for (const kind of kinds) {
    try {
      const left = await deleteKind(client, kind, namespace);
      if (left && isOfPods(kind)) return { remaining, leaving: left.count, errors };
      if (left) remaining.push(left);
    } catch (error) {
      // The kind is not served any more.
      if (!isStatus(error, "NotFound")) errors.push(error);
      if (isOfPods(kind)) break;
    }
  }
  return { remaining, leaving: 0, errors };
}

async function deleteKind(client: Client, kind: ServedKind, namespace: string): Promise<Remaining | undefined> {
  const resource = client.resource(metadataOf(kind));
  const before = await resource.list({ namespace, limit: 1 });
  if (before.items.length === 0) return undefined;
  await resource.deleteCollection({ namespace });
  return remainingIn(client, kind, namespace);
}
