/**
 * What the user may do, asked of the server with a SelfSubjectAccessReview.
 *
 * @module
 */
import { signal, type ReadonlySignal, type Signal } from "@preact/signals";
import { discovery } from "./discovery.ts";
import { request } from "./http.ts";

/** What is asked about: a kind, or one of its subresources. */
export interface Target {
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
}

interface Decision {
  readonly allowed: Signal<boolean | undefined>;
  asked: number;
}

/** A decision is requested again after this time. */
const FRESH_MS = 60_000;
const MAX_DECISIONS = 1000;

const decisions = new Map<string, Decision>();

/**
 * Whether the user may do this; undefined until the server has responded. Without a namespace the question is about all
 * namespaces, without a name about all objects.
 */
export function can(
  verb: string,
  target: Target,
  namespace?: string,
  name?: string,
): ReadonlySignal<boolean | undefined> {
  const key = JSON.stringify([verb, target.group, target.resource, target.subresource, namespace, name]);
  let decision = decisions.get(key);
  if (!decision) {
    decision = { allowed: signal(undefined), asked: -Infinity };
    decisions.set(key, decision);
    for (const old of decisions.keys()) {
      if (decisions.size <= MAX_DECISIONS) break;
      decisions.delete(old);
    }
  }
  if (performance.now() - decision.asked > FRESH_MS) {
    decision.asked = performance.now();
    void ask(decision, { verb, ...target, ...(namespace ? { namespace } : {}), ...(name ? { name } : {}) });
  }
  return decision.allowed;
}

/** Forgets all decisions: another user has signed in. */
export function forgetRights(): void {
  decisions.clear();
}

/** Where a review is created, by its plural: the group is that of the server's dialect. */
export function reviewPath(resource: string): { readonly url: string; readonly apiVersion: string } {
  const served = discovery
    .peek()
    .all.find((kind) => kind.resource === resource && kind.group.startsWith("authorization."));
  const apiVersion = served ? `${served.group}/${served.version}` : "authorization.k8s.io/v1";
  return { url: `/apis/${apiVersion}/${resource}`, apiVersion };
}

async function ask(decision: Decision, resourceAttributes: object): Promise<void> {
  try {
    const { url, apiVersion } = reviewPath("selfsubjectaccessreviews");
    const { status } = await request<{ status: { allowed: boolean } }>(url, {
      method: "POST",
      body: { apiVersion, kind: "SelfSubjectAccessReview", spec: { resourceAttributes } },
    });
    decision.allowed.value = status.allowed;
  } catch {
    // The next one who wants to know asks again.
    decision.asked = -Infinity;
  }
}
