/**
 * Explains the state of an object: what it waits for, what holds it, and who can act.
 *
 * It is a client with the permissions of the user, and decides by the functions of the built-in controllers. It stores
 * and writes nothing.
 */
import type { ApiObject, Client, Key, Kind } from "../client/index.ts";
import type {
  CustomResourceDefinition,
  Namespace,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  VolumeAttachment,
} from "../client/kinds/index.ts";
import type { Dialect } from "../meta/dialect.ts";
import { REPORT_GROUP, REPORT_VERSION } from "../meta/ownership-reports.ts";
import { groupOf } from "../meta/versions.ts";
import type { ReportedReason, WhyReport } from "../meta/why-report.ts";
import type { VolumeSnapshot, VolumeSnapshotContent } from "../sidecars/snapshot/kinds.ts";
import { explainAttachment } from "./attachments.ts";
import { explainClaim } from "./claims.ts";
import { explainConditions } from "./conditions.ts";
import { explainDefinition } from "./definitions.ts";
import { Facts, type FactsOptions, refOf } from "./facts.ts";
import { explainNamespace } from "./namespaces.ts";
import { explainPod } from "./pods.ts";
import { explainContent, explainSnapshot } from "./snapshots.ts";
import { explainDeletion } from "./terminating.ts";
import { explainVolume } from "./volumes.ts";
import { isWorkload, explainWorkload } from "./workloads.ts";

/** The object to explain. */
export interface Subject {
  readonly kind: Kind;
  readonly key: Key;
}

/** The options of {@link explain}. */
export interface ExplainOptions extends FactsOptions {
  /** The maximum number of volumes or nodes in a report, 20 by default. */
  readonly limit?: number;
}

const LIMIT = 20;

/** Explains an object. @throws StatusError when there is none, or when it may not be read */
export async function explain(
  client: Client,
  dialect: Dialect,
  { kind, key }: Subject,
  { limit = LIMIT, ...options }: ExplainOptions = {},
): Promise<WhyReport> {
  const facts = new Facts(client, dialect, reasonsOf, options);
  const object = await client.resource(kind).get(key, { signal: options.signal });
  const isTerminating = object.metadata.deletionTimestamp !== undefined;
  const deletion = isTerminating ? await explainDeletion(facts, object) : [];
  const { reasons, ...own } = await explainKind(facts, object, limit);
  const { phase } = (object as { status?: { phase?: string } }).status ?? {};
  const { resourceVersion } = object.metadata;
  return {
    kind: "Why",
    apiVersion: `${REPORT_GROUP}/${REPORT_VERSION}`,
    object: { ...refOf(object), resourceVersion },
    ...(phase === undefined ? {} : { phase }),
    isTerminating,
    reasons: [...deletion, ...reasons, ...limitsOf(facts)],
    ...own,
  };
}

/** The limits of the report. */
const limitsOf = ({ isCut, maxRead, refusals }: Facts): readonly ReportedReason[] => [
  ...refusals.map((message) => ({ says: `the report is incomplete: ${message}` })),
  ...(isCut ? [{ says: `there are more than the ${maxRead} objects that were read` }] : []),
];

type Part = Pick<WhyReport, "reasons" | "considered" | "nodes" | "leftOut" | "content" | "command" | "isUnknownKind">;

/** Explains objects by kind. */
async function explainKind(facts: Facts, object: ApiObject, limit: number): Promise<Part> {
  const { domain } = facts.dialect;
  switch (`${object.kind}.${groupOf(object.apiVersion)}`) {
    case "PersistentVolumeClaim.":
      return explainClaim(facts, object as PersistentVolumeClaim, limit);
    case "PersistentVolume.":
      return { reasons: await explainVolume(facts, object as PersistentVolume) };
    case "Pod.":
      return explainPod(facts, object as Pod, limit);
    case "Namespace.":
      if (object.metadata.deletionTimestamp === undefined) return { reasons: [] };
      return explainNamespace(facts, object as Namespace);
    case "CustomResourceDefinition.apiextensions.k8s.io":
      return explainDefinition(facts, object as CustomResourceDefinition);
    case `VolumeAttachment.storage.${domain}`:
      return of(facts, () => explainAttachment(facts, object as VolumeAttachment));
    case `VolumeSnapshot.snapshot.storage.${domain}`:
      return of(facts, () => explainSnapshot(facts, object as VolumeSnapshot));
    case `VolumeSnapshotContent.snapshot.storage.${domain}`:
      return of(facts, () => explainContent(facts, object as VolumeSnapshotContent));
  }
  if (isWorkload(object)) return of(facts, () => explainWorkload(facts, object));
  const reasons = await facts.reasonsOrRefusal(() => explainConditions(facts, object));
  return { reasons, isUnknownKind: true };
}

const of = async (facts: Facts, explainIt: () => Promise<readonly ReportedReason[]>): Promise<Part> => ({
  reasons: await facts.reasonsOrRefusal(explainIt),
});

/** Explains an object that another one waits for. */
async function reasonsOf(facts: Facts, object: ApiObject): Promise<readonly ReportedReason[]> {
  const isTerminating = object.metadata.deletionTimestamp !== undefined;
  const deletion = isTerminating ? await explainDeletion(facts, object) : [];
  return [...deletion, ...(await explainKind(facts, object, 1)).reasons];
}
