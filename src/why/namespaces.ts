import type { Namespace } from "../client/kinds/index.ts";
import { NAMESPACE_FINALIZER, contentOf, isOfPods } from "../controllers/namespaces/content.ts";
import type { ReportedReason, WhyReport } from "../meta/why-report.ts";
import type { Facts } from "./facts.ts";
import { commandFor, remainingContent } from "./remaining.ts";

/** Explains what remains in a namespace that is being deleted. */
export async function explainNamespace(
  facts: Facts,
  { metadata: { name }, spec }: Namespace,
): Promise<Pick<WhyReport, "reasons" | "content" | "command">> {
  const { content, reasons: held } = await remainingContent(facts, contentOf(await facts.kinds()), name);
  const reasons: ReportedReason[] = [];
  const pods = content.find(({ group, resource }) => isOfPods({ group, plural: resource }));
  if (pods) {
    reasons.push({
      says: `${pods.count} pods have time to end, and everything else waits for them`,
      who: "the agents of their nodes",
    });
  }
  for (const { group, resource, finalizers } of content) {
    for (const [finalizer, count] of Object.entries(finalizers)) {
      const what = group === "" ? resource : `${resource}.${group}`;
      reasons.push({ says: `${count} of ${what} have the finalizer ${finalizer}` });
    }
  }
  reasons.push(...held);
  for (const finalizer of spec.finalizers ?? []) {
    if (finalizer !== NAMESPACE_FINALIZER) {
      reasons.push({
        says: `${finalizer} is in its spec.finalizers`,
        who: `the program of ${finalizer.split("/")[0]}`,
      });
    } else if (reasons.length === 0) {
      const what = content.length === 0 ? "nothing is left in it" : "what is left in it is being deleted";
      reasons.push({ says: what, who: "the controller namespace" });
    }
  }
  const command = commandFor(content, `-n ${name}`);
  return { reasons, content, ...(command === undefined ? {} : { command }) };
}
