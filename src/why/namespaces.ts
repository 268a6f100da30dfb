/**
 * What is left in a namespace that is being deleted, and what keeps it.
 *
 * @module
 */
import { isStatus } from "../client/index.ts";
import type { Namespace } from "../client/kinds/index.ts";
import { NAMESPACE_FINALIZER, contentOf, isOfPods, remainingIn } from "../controllers/namespace-content.ts";
import type { ReportedContent, ReportedReason, WhyReport } from "../meta/why-report.ts";
import type { Facts } from "./facts.ts";
import { readKinds } from "./terminating.ts";

/** See the head of this file. */
export async function explainNamespace(
  facts: Facts,
  { metadata: { name }, spec }: Namespace,
): Promise<Pick<WhyReport, "reasons" | "content">> {
  const content: ReportedContent[] = [];
  const reasons: ReportedReason[] = [];
  for (const kind of contentOf(await readKinds(facts))) {
    const told = await facts.tell(async () => {
      const left = await remainingIn(facts.client, kind, name, facts.signal).catch((error: unknown) => {
        // A kind that has gone meanwhile holds nothing.
        if (isStatus(error, "NotFound")) return undefined;
        throw error;
      });
      if (!left) return [];
      const { group, plural: resource } = kind;
      content.push({ group, resource, count: left.count, finalizers: Object.fromEntries(left.finalizers) });
      return [];
    });
    reasons.push(...told);
  }
  const pods = content.find(({ group, resource }) => isOfPods({ group, plural: resource }));
  if (pods) {
    reasons.push({
      says: `${pods.count} pods are given their time to end, and all else waits for them`,
      who: "the agents of their nodes",
    });
  }
  for (const { group, resource, finalizers } of content) {
    for (const [finalizer, count] of Object.entries(finalizers)) {
      const what = group === "" ? resource : `${resource}.${group}`;
      reasons.push({ says: `${count} of ${what} have the finalizer ${finalizer}`, who: `see keelson why of each` });
    }
  }
  for (const finalizer of spec.finalizers ?? []) {
    if (finalizer !== NAMESPACE_FINALIZER) {
      reasons.push({
        says: `${finalizer} stands in its spec.finalizers`,
        who: `the program of ${finalizer.split("/")[0]}`,
      });
    } else if (reasons.length === 0) {
      const what = content.length === 0 ? "nothing is left in it" : "what is left in it is being deleted";
      reasons.push({ says: what, who: "the controller namespace" });
    }
  }
  return { reasons, content };
}
