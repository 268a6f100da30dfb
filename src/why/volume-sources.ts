import { type Key, type Kind, type ServedKind, preferredKinds } from "../client/index.ts";
import { PersistentVolumeClaim } from "../client/kinds/index.ts";
import { requestOf } from "../claims/fit.ts";
import { compareQuantities } from "../meta/quantity.ts";
import type { ReportedReason } from "../meta/why-report.ts";
import { type DataSource, sourceOf } from "../sidecars/provision/data-source.ts";
import { type VolumeSnapshot, snapshotKinds } from "../sidecars/snapshot/kinds.ts";
import { NO_POPULATORS } from "./actors.ts";
import { type RecentEvent, lastWarning, quoteOf, eventsAbout } from "./events.ts";
import { type Facts, prefixed, prefixedOr, missing, refOf, refTo, textOf } from "./facts.ts";

/**
 * Explains why a claim is not filled: its source is missing, not ready or too large, or its populator has not finished.
 * Empty without a source, or with a usable one.
 */
export async function explainSource(facts: Facts, claim: PersistentVolumeClaim): Promise<readonly ReportedReason[]> {
  const source = sourceOf(claim);
  if (!source) return [];
  const snapshots = snapshotKinds(`snapshot.storage.${facts.dialect.domain}`);
  if (source.kind === "PersistentVolumeClaim" && source.group === "") return ofClaim(facts, claim, source);
  if (source.kind === snapshots.snapshot.kind && source.group === snapshots.snapshot.group) {
    return ofSnapshot(facts, claim, { source, kind: snapshots.snapshot });
  }
  return ofPopulated(facts, claim, source);
}

const keyOf = ({ namespace, name }: DataSource): Key<"Namespaced"> => ({ namespace, name });

async function ofClaim(
  facts: Facts,
  claim: PersistentVolumeClaim,
  source: DataSource,
): Promise<readonly ReportedReason[]> {
  const found = await facts.find(PersistentVolumeClaim, keyOf(source));
  if (found === "unknown") return [];
  if (found === "absent") return prefixed("its source is missing", [missing(PersistentVolumeClaim, keyOf(source))]);
  if (found.status.phase !== "Bound") {
    const before = `its source, ${textOf(found)}, is ${found.status.phase ?? "not bound"}`;
    return prefixedOr(before, found, await facts.reasonsOf(found));
  }
  if (found.metadata.deletionTimestamp !== undefined) {
    const who = "a user who creates the claim again from another source";
    return [{ says: `its source, ${textOf(found)}, is being deleted`, who, about: refOf(found) }];
  }
  return ofSize(claim, requestOf(found), textOf(found));
}

function ofSize(claim: PersistentVolumeClaim, size: string, source: string): readonly ReportedReason[] {
  if (compareQuantities(requestOf(claim), size) >= 0) return [];
  const says = `it requests ${requestOf(claim)}, and its source, ${source}, has ${size}`;
  return [{ says, who: `a user who creates the claim again with at least ${size}`, about: refOf(claim) }];
}

interface SnapshotSource {
  readonly source: DataSource;
  readonly kind: Kind<VolumeSnapshot, "Namespaced">;
}

async function ofSnapshot(
  facts: Facts,
  claim: PersistentVolumeClaim,
  { source, kind }: SnapshotSource,
): Promise<readonly ReportedReason[]> {
  const found = await facts.find(kind, keyOf(source));
  if (found === "unknown") return [];
  if (found === "absent") {
    const served = await kindOf(facts, source);
    return prefixed("its source is missing", [served ? missing(kind, keyOf(source)) : notServed(source)]);
  }
  if (found.status?.readyToUse !== true) {
    const before = `its source, ${textOf(found)}, is not ready to use`;
    return prefixedOr(before, found, await facts.reasonsOf(found));
  }
  return ofSize(claim, found.status.restoreSize ?? "0", textOf(found));
}

async function kindOf(facts: Facts, { group, kind }: DataSource): Promise<ServedKind | undefined> {
  return preferredKinds(await facts.kinds()).find((one) => one.group === group && one.kind === kind);
}

const nameOf = ({ group, kind }: DataSource): string => (group === "" ? kind : `${kind}.${group}`);

const notServed = (source: DataSource): ReportedReason => ({
  says: `the kind ${nameOf(source)} is not served here, so ${JSON.stringify(source.name)} cannot exist`,
  who: `an administrator who installs the CustomResourceDefinition of ${nameOf(source)}`,
});

/** A source of another kind, which a populator handles. */
async function ofPopulated(
  facts: Facts,
  claim: PersistentVolumeClaim,
  source: DataSource,
): Promise<readonly ReportedReason[]> {
  const said = sayOf(lastWarning((await eventsAbout(facts, claim)).filter(({ from }) => !NO_POPULATORS.has(from))));
  const who = `the populator of ${nameOf(source)}`;
  const waits = `it waits for ${who}, which fills volumes from ${nameOf(source)} ${JSON.stringify(source.name)}`;
  const kind = await kindOf(facts, source);
  if (!kind) return [...prefixed("its source is missing", [notServed(source)]), ...said(who)];
  const key = kind.scope === "Cluster" ? { name: source.name } : keyOf(source);
  const found = await facts.find(kind, key);
  if (found === "absent") return prefixed("its source is missing", [missing(kind, key)]);
  const reasons = said(who);
  return reasons.length > 0 ? reasons : [{ says: waits, who, about: refTo(kind, key) }];
}

/** The last Event of a populator, if any. */
const sayOf =
  (event: RecentEvent | undefined) =>
  (who: string): readonly ReportedReason[] =>
    event ? [{ says: `${who} says: ${event.message}`, who, quotes: quoteOf(event) }] : [];
