/**
 * Empties namespaces that are being deleted, then lets them go (DEC-34).
 *
 * First Pods are deleted and given their time to end: what they use is not touched before (CTL-NS-4). Then everything in
 * the namespace is deleted, kind by kind as discovery lists them now; when nothing is left the finalizer of this controller
 * is taken off `spec.finalizers`, and the server removes the namespace. Objects with finalizers of their own hold it back
 * until those are done; the conditions of the namespace say which. Where the kinds cannot be read nothing is let go.
 *
 * @module
 */
import { type Client, type ServedKind, attempt, isStatus, metadataOf } from "../../client/index.ts";
import { Namespace } from "../../client/kinds/index.ts";
import { type Context, type Controller, conditionOf, defineController } from "../../runtime/index.ts";
import type { NewCondition } from "../../runtime/conditions.ts";
import { type Content, type Remaining, contentConditions } from "./conditions.ts";
import { NAMESPACE_FINALIZER, contentOf, isOfPods, remainingIn } from "./content.ts";

/** What has not gone yet is looked at again after a quarter of the time that it takes already, within these bounds. */
const AGAIN = { least: 200, most: 10_000 };

/** What still holds a namespace then is told in the log: a Pod has half as long to end by default. */
const SLOW_DELETION_MS = 60_000;

/** The controller named `namespace`. */
export const namespaceLifecycle: Controller = defineController({
  name: "keelson-namespace",
  for: Namespace,
  predicate: ({ object }) => object.metadata.deletionTimestamp !== undefined,
  backoff: { first: AGAIN.least, most: AGAIN.most },
  timeout: "10m",
  async reconcile(ctx) {
    const { object, client, clock, log } = ctx;
    const { name, deletionTimestamp = "" } = object.metadata;
    const taken = clock.now() - Date.parse(deletionTimestamp);
    const kinds = await contentKinds(ctx);
    const { remaining, leaving, errors } = await deleteContent(client, kinds, name);
    const isEmpty = remaining.length + leaving + errors.length === 0;
    if (!isEmpty) {
      const conditions = contentConditions({ remaining, leaving, errors });
      if (taken >= SLOW_DELETION_MS)
        log.warn("a namespace does not empty", { namespace: name, since: deletionTimestamp, why: whyOf(conditions) });
      await writeConditions(ctx, conditions);
    }
    if (errors.length > 0) throw new AggregateError(errors, `namespace ${name}: ${String(errors[0])}`);
    if (!isEmpty) return { requeueAfter: Math.max(AGAIN.least, Math.min(AGAIN.most, taken / 4)) };
    const { finalizers = [] } = object.spec;
    if (!finalizers.includes(NAMESPACE_FINALIZER)) return undefined;
    const spec = { ...object.spec, finalizers: finalizers.filter((finalizer) => finalizer !== NAMESPACE_FINALIZER) };
    // Whoever wrote it meanwhile brings it back here.
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

/** What is left and why, in one line. */
const whyOf = (findings: readonly NewCondition[]): string =>
  findings.flatMap(({ status, message }) => (status ? [message] : [])).join("; ");

/** Says in the status what is left; nothing is written when that is known already. */
async function writeConditions(
  { object, client, condition }: Context<Namespace, "Cluster">,
  findings: readonly NewCondition[],
): Promise<void> {
  if (findings.every(({ type, message }) => conditionOf(object, type)?.message === message)) return;
  const types = new Set(findings.map(({ type }) => type));
  const conditions = [
    ...(object.status.conditions ?? []).filter(({ type }) => !types.has(type)),
    ...findings.map(({ type, status, reason, message }) => condition(type, status, reason, message)),
  ];
  const status = { ...object.status, conditions };
  await attempt(client.resource(Namespace).status.update({ ...object, status }), "NotFound", "Conflict");
}

/** Every kind that the namespace can hold; that they cannot be read is told in the conditions (CTL-NS-9). */
async function contentKinds(ctx: Context<Namespace, "Cluster">): Promise<readonly ServedKind[]> {
  try {
    return contentOf(await ctx.kinds.read());
  } catch (error) {
    await writeConditions(ctx, contentConditions({ remaining: [], leaving: 0, errors: [], discovery: error }));
    throw error;
  }
}

/** Deletes every collection of a namespace; a kind that cannot be deleted holds no other one up, but Pods hold up all. */
async function deleteContent(client: Client, kinds: readonly ServedKind[], namespace: string): Promise<Content> {
  const remaining: Remaining[] = [];
  const errors: unknown[] = [];
  for (const kind of kinds) {
    try {
      const left = await deleteKind(client, kind, namespace);
      if (left && isOfPods(kind)) return { remaining, leaving: left.count, errors };
      if (left) remaining.push(left);
    } catch (error) {
      // A kind that is not served any more has nothing to be deleted.
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
