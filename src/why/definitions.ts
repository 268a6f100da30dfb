import { type Kind, type UntypedObject, kindOfType } from "../client/index.ts";
import { CustomResourceDefinition } from "../client/kinds/index.ts";
import type { ReportedReason, WhyReport } from "../meta/why-report.ts";
import { conditionReasons } from "./conditions.ts";
import { type Facts, MAX_NAMED, refOf, textOf } from "./facts.ts";
import { commandFor, remainingContent } from "./remaining.ts";
import { CLEANUP } from "./terminating.ts";

/** The part of a report about a definition. */
export type DefinitionPart = Pick<WhyReport, "reasons" | "content" | "command">;

/** Explains why a definition is not served, or not deleted yet. */
export async function explainDefinition(facts: Facts, definition: CustomResourceDefinition): Promise<DefinitionPart> {
  if (definition.metadata.deletionTimestamp !== undefined) return ofDeleted(facts, definition);
  const names = await ofNames(facts, definition);
  const others = conditionReasons(definition).filter(
    ({ quotes }) => quotes?.reason !== "Terminating" && !(names.length > 0 && isOfNames(quotes?.reason)),
  );
  return { reasons: [...names, ...others] };
}

/** Both conditions mean a name conflict. */
const isOfNames = (type: string | undefined): boolean => type === "NamesAccepted" || type === "Established";

/** Finds the definitions of its group with the same names. */
async function ofNames(facts: Facts, definition: CustomResourceDefinition): Promise<readonly ReportedReason[]> {
  const condition = definition.status.conditions?.find(({ type }) => type === "NamesAccepted");
  if (!condition || condition.status === "True") return [];
  const { group, names } = definition.spec;
  const wanted = [names.plural, names.singular, ...(names.shortNames ?? [])];
  const kinds = [names.kind, names.listKind];
  const reasons: ReportedReason[] = [];
  await facts.tryRead(async () => {
    for await (const other of facts.each(CustomResourceDefinition)) {
      if (other.spec.group !== group || other.metadata.uid === definition.metadata.uid) continue;
      const has = other.status.acceptedNames ?? other.spec.names;
      const taken = [
        ...[has.plural, has.singular, ...(has.shortNames ?? [])].filter((name) => !!name && wanted.includes(name)),
        ...[has.kind, has.listKind].filter((name) => !!name && kinds.includes(name)),
      ];
      if (taken.length === 0 || reasons.length >= MAX_NAMED) continue;
      const says = `${textOf(other)} has the names that it wants: ${[...new Set(taken)].join(", ")}`;
      reasons.push({ says, who: "whoever changes the names of one of them, or deletes that one", about: refOf(other) });
    }
  });
  return reasons;
}

/** The remaining objects of a deleted definition, and what holds them. */
async function ofDeleted(facts: Facts, { spec, metadata }: CustomResourceDefinition): Promise<DefinitionPart> {
  if (!metadata.finalizers?.includes(CLEANUP)) return { reasons: [] };
  const served = spec.versions.find((version) => version.served);
  if (!served) {
    const says = `its objects are deleted first (finalizer ${CLEANUP}), and none of its versions is served to look at them`;
    return { reasons: [{ says, who: "whoever sets served: true on a version" }] };
  }
  const { group, names, scope } = spec;
  const kind: Kind<UntypedObject> = kindOfType<UntypedObject>()({
    group,
    version: served.name,
    kind: names.kind,
    plural: names.plural,
    scope: scope === "Cluster" ? "Cluster" : "Namespaced",
  });
  const { content, reasons } = await remainingContent(facts, [kind]);
  const command = commandFor(content, scope === "Cluster" ? "" : "-A");
  const who = "the server";
  const [left] = content;
  const says = !left
    ? `no object of it is left, and the finalizer ${CLEANUP} is still there`
    : `${left.count} of its objects are left, which are deleted first (finalizer ${CLEANUP})`;
  const first = { says, ...(reasons.length === 0 ? { who } : {}) };
  return { reasons: [first, ...reasons], content, ...(command === undefined ? {} : { command }) };
}
