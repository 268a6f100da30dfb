/**
 * The namespaces in which a user may list a kind, for users who may not list it in all of them.
 *
 * @module
 */
import { CONSOLE_SESSION_PATH, type ConsoleSession } from "../../../src/meta/console-session.ts";
import { ApiFailure, request } from "./http.ts";
import { itemsOf, type KubeList } from "./kube.ts";
import { reviewPath, type Target } from "./rights.ts";

/** A rule of a SelfSubjectRulesReview. */
export interface ResourceRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
}

/** What a user may do in a namespace. */
interface Rules {
  readonly namespace: string;
  readonly resourceRules: readonly ResourceRule[];
  /** Whether an authorizer could not name all that it permits. */
  readonly incomplete: boolean;
}

/** Namespaces in which a kind may be listed. */
export interface Readable {
  /** Sorted by name. */
  readonly namespaces: readonly string[];
  /** How many namespaces were not looked at: only so many are. */
  readonly unknown: number;
  /** Whether the user may list namespaces; otherwise only those that the user's name suggests were looked at. */
  readonly listed: boolean;
}

/** The most namespaces whose rules are read. */
const MOST_REVIEWED = 100;
const AT_ONCE = 6;
/** What was read is read again after this time. */
const FRESH_MS = 60_000;

interface Known extends Omit<Readable, "namespaces"> {
  readonly rules: readonly Rules[];
}

const last: { known?: Promise<Known>; at: number } = { at: -Infinity };

/** Forgets what was read: another user has signed in. */
export function forgetReadable(): void {
  last.at = -Infinity;
}

/** Whether a rule permits a verb for all objects of a kind. */
export function permits(rules: readonly ResourceRule[], verb: string, { group, resource }: Target): boolean {
  const has = (names: readonly string[] | undefined, name: string): boolean =>
    names?.some((one) => one === "*" || one === name) === true;
  return rules.some(
    ({ verbs, apiGroups, resources, resourceNames }) =>
      has(verbs, verb) && has(apiGroups, group) && has(resources, resource) && !resourceNames?.length,
  );
}

/** Reads in which namespaces a kind may be listed. @throws {ApiFailure} if the rules cannot be read */
export async function readableNamespaces(target: Target): Promise<Readable> {
  if (performance.now() - last.at > FRESH_MS) {
    last.at = performance.now();
    last.known = readRules();
    last.known.catch(() => {
      last.at = -Infinity;
    });
  }
  const { rules, unknown, listed } = await last.known!;
  const namespaces = rules
    .filter(({ resourceRules, incomplete }) => incomplete || permits(resourceRules, "list", target))
    .map(({ namespace }) => namespace);
  return { namespaces, unknown, listed };
}

async function readRules(): Promise<Known> {
  const { names, unknown, listed } = await candidates();
  const waiting = [...names];
  const rules: Rules[] = [];
  const worker = async (): Promise<void> => {
    for (let namespace = waiting.shift(); namespace !== undefined; namespace = waiting.shift())
      // oxlint-disable-next-line no-await-in-loop -- a few at once
      rules.push(await rulesIn(namespace));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return { rules: rules.toSorted((a, b) => (a.namespace < b.namespace ? -1 : 1)), unknown, listed };
}

async function rulesIn(namespace: string): Promise<Rules> {
  const path = reviewPath("selfsubjectrulesreviews");
  const { status } = await request<{ status: Omit<Rules, "namespace"> }>(path.url, {
    method: "POST",
    body: { apiVersion: path.apiVersion, kind: "SelfSubjectRulesReview", spec: { namespace } },
  });
  return { namespace, resourceRules: status.resourceRules ?? [], incomplete: status.incomplete };
}

/** The namespaces that are looked at: those that may be listed; otherwise that of a service account, and `default`. */
async function candidates(): Promise<{ names: readonly string[]; unknown: number; listed: boolean }> {
  try {
    const list = await request<KubeList>("/api/v1/namespaces", {
      query: { limit: MOST_REVIEWED },
      accept: "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json;q=0.5",
    });
    const names = itemsOf(list).map(({ metadata }) => metadata.name);
    return { names, unknown: list.metadata.remainingItemCount ?? 0, listed: true };
  } catch (error) {
    if (!(error instanceof ApiFailure) || error.code !== 403) throw error;
    const { user } = await request<ConsoleSession>(CONSOLE_SESSION_PATH);
    return { names: namespacesOfUser(user), unknown: 0, listed: false };
  }
}

/** The namespace of a service account by its user name, and `default`. */
export function namespacesOfUser(user: string): readonly string[] {
  const [system, kind, namespace = "default"] = user.split(":");
  return [...new Set([...(system === "system" && kind === "serviceaccount" ? [namespace] : []), "default"])];
}
