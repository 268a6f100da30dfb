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

interface Answer {
  readonly allowed: Signal<boolean | undefined>;
  asked: number;
}

/** An answer is asked again after this time. */
const FRESH_MS = 60_000;
const MOST_ANSWERS = 1000;

const answers = new Map<string, Answer>();

/**
 * Whether the user may do this; undefined until the server has answered. Without a namespace the question is about all
 * namespaces, without a name about all objects.
 */
export function can(
  verb: string,
  target: Target,
  namespace?: string,
  name?: string,
): ReadonlySignal<boolean | undefined> {
  const key = JSON.stringify([verb, target.group, target.resource, target.subresource, namespace, name]);
  let answer = answers.get(key);
  if (!answer) {
    answer = { allowed: signal(undefined), asked: -Infinity };
    answers.set(key, answer);
    for (const old of answers.keys()) {
      if (answers.size <= MOST_ANSWERS) break;
      answers.delete(old);
    }
  }
  if (performance.now() - answer.asked > FRESH_MS) {
    answer.asked = performance.now();
    void ask(answer, { verb, ...target, ...(namespace ? { namespace } : {}), ...(name ? { name } : {}) });
  }
  return answer.allowed;
}

/** Forgets all answers: another user has signed in. */
export function forgetRights(): void {
  answers.clear();
}

/** Where a review is created, by its plural: the group is that of the server's dialect. */
export function reviewPath(resource: string): { readonly url: string; readonly apiVersion: string } {
  const served = discovery
    .peek()
    .all.find((kind) => kind.resource === resource && kind.group.startsWith("authorization."));
  const apiVersion = served ? `${served.group}/${served.version}` : "authorization.k8s.io/v1";
  return { url: `/apis/${apiVersion}/${resource}`, apiVersion };
}

async function ask(answer: Answer, resourceAttributes: object): Promise<void> {
  try {
    const { url, apiVersion } = reviewPath("selfsubjectaccessreviews");
    const { status } = await request<{ status: { allowed: boolean } }>(url, {
      method: "POST",
      body: { apiVersion, kind: "SelfSubjectAccessReview", spec: { resourceAttributes } },
    });
    answer.allowed.value = status.allowed;
  } catch {
    // The next one who wants to know asks again.
    answer.asked = -Infinity;
  }
}
