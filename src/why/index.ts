/**
 * Why an object is as it is: what it waits for, what holds it, and who would have to act.
 *
 * A client, and no more: it reads through the API in the name of whoever asks, and judges by the functions that the built-in
 * controllers decide by. It keeps nothing and writes nothing.
 *
 * @module
 */
import { type ApiObject, type Client, type Key, type Kind, apiVersionOf } from "../client/index.ts";
import type { Namespace, PersistentVolume, PersistentVolumeClaim, Pod } from "../client/kinds/index.ts";
import type { Dialect } from "../meta/dialect.ts";
import { REPORT_GROUP, REPORT_VERSION } from "../meta/ownership-reports.ts";
import type { WhyReport } from "../meta/why-report.ts";
import { explainClaim } from "./claims.ts";
import { Facts, type FactsOptions, refOf } from "./facts.ts";
import { explainNamespace } from "./namespaces.ts";
import { explainPod } from "./pods.ts";
import { explainDeletion } from "./terminating.ts";
import { explainVolume } from "./volumes.ts";

/** What is to be explained. */
export interface Subject {
  readonly kind: Kind;
  readonly key: Key;
}

/** How it is explained. */
export interface ExplainOptions extends FactsOptions {
  /** So many volumes, or nodes, are told at most, 20 by default. */
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
  const facts = new Facts(client, dialect, options);
  const object = await client.resource(kind).get(key, { signal: options.signal });
  const isTerminating = object.metadata.deletionTimestamp !== undefined;
  const deletion = isTerminating ? await explainDeletion(facts, object) : [];
  const { reasons, ...own } = await explainKind(facts, kind, object, limit);
  const { phase } = (object as { status?: { phase?: string } }).status ?? {};
  const { resourceVersion } = object.metadata;
  return {
    kind: "Why",
    apiVersion: `${REPORT_GROUP}/${REPORT_VERSION}`,
    object: { ...refOf(object), resourceVersion },
    ...(phase === undefined ? {} : { phase }),
    isTerminating,
    reasons: [...deletion, ...reasons, ...(facts.isCut ? [{ says: cutAfter(facts) }] : [])],
    ...own,
  };
}

const cutAfter = ({ mostRead }: Facts): string => `there is more than the ${mostRead} objects that were looked at`;

type Part = Pick<WhyReport, "reasons" | "considered" | "nodes" | "leftOut" | "content">;

/** What only objects of a kind have. */
async function explainKind(facts: Facts, kind: Kind, object: ApiObject, limit: number): Promise<Part> {
  switch (`${apiVersionOf(kind)} ${kind.kind}`) {
    case "v1 PersistentVolumeClaim":
      return explainClaim(facts, object as PersistentVolumeClaim, limit);
    case "v1 PersistentVolume":
      return { reasons: await explainVolume(facts, object as PersistentVolume) };
    case "v1 Pod":
      return explainPod(facts, object as Pod, limit);
    case "v1 Namespace":
      if (object.metadata.deletionTimestamp === undefined) return { reasons: [] };
      return explainNamespace(facts, object as Namespace);
    default:
      return { reasons: [] };
  }
}
