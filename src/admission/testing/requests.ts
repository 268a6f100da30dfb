/**
 * Writes and stored objects as admission sees them, for its tests.
 *
 * @module
 */
import type { ApiObject } from "../../schema/definition.ts";
import type { Lookup } from "../../schema/lookup.ts";
import type { AdmissionRequest, AdmissionStep } from "../contract.ts";

/** The kinds of resources, where a step asks for the kind of an object. */
const KINDS: Readonly<Record<string, string>> = {
  limitranges: "LimitRange",
  "priorityclasses.scheduling.k8s.io": "PriorityClass",
  resourcequotas: "ResourceQuota",
  "runtimeclasses.node.k8s.io": "RuntimeClass",
  serviceaccounts: "ServiceAccount",
};

/** A lookup over a few objects, by `resource`, `resource/name` or `resource/namespace/name`. */
export function lookupOf(objects: Readonly<Record<string, readonly ApiObject[]>>): Lookup {
  const all = (resource: string): readonly ApiObject[] =>
    (objects[resource] ?? []).map((object) => ({ ...object, kind: KINDS[resource] ?? object.kind }));
  return {
    collect: (resource, read) =>
      Promise.resolve(
        all(resource)
          .map(read)
          .filter((found) => found !== undefined),
      ),
    get: (resource, namespace, name) =>
      all(resource).find(({ metadata }) => metadata.name === name && (metadata.namespace ?? "") === namespace),
    first: (resource, limit) =>
      all(resource)
        .slice(0, limit)
        .map(({ metadata: { name = "", namespace = "" } }) => ({ namespace, name })),
    follow: () => ({ mark: 0, changedSince: () => [] }),
  };
}

/** An object with only the members that a test sets. */
export const objectOf = (metadata: object, more: object = {}): ApiObject =>
  ({ apiVersion: "v1", kind: "X", metadata, ...more }) as ApiObject;

/** A create of a ConfigMap in the namespace `team`, with the changes of a test. */
export function requestOf(more: Partial<AdmissionRequest> = {}): AdmissionRequest {
  const object = more.object ?? objectOf({ name: "a", namespace: "team" });
  for (const one of more.ref ? [object, more.old] : []) if (one?.kind === "X") one.kind = more.ref?.kind ?? "";
  return {
    operation: "CREATE",
    ref: { group: "", plural: "configmaps", kind: "ConfigMap" },
    namespaced: true,
    equivalents: [],
    namespace: "team",
    name: "a",
    nameInPath: "",
    shownName: more.name ?? "a",
    subresource: "",
    object,
    old: undefined,
    version: "v1",
    options: { dryRun: false },
    isPlanned: false,
    identity: { user: "u", groups: [] },
    warnings: [],
    hold: { signal: new AbortController().signal },
    lookup: lookupOf({}),
    replace: () => undefined,
    note: () => undefined,
    as: () => undefined,
    reinvoke: () => undefined,
    isReinvocation: false,
    trace: undefined,
    ...more,
  };
}

/** A step whose requests read stored objects through a lookup. */
export function reading(lookup: Lookup, step: AdmissionStep): AdmissionStep {
  return {
    ...step,
    mutate: (request) => step.mutate?.({ ...request, lookup }),
    validate: (request) => step.validate?.({ ...request, lookup }),
    commit: (request) => step.commit?.({ ...request, lookup }),
  };
}

/** The result of a step that does not wait; fails for one that does. */
export function atOnce(done: void | Promise<void>): void {
  if (done instanceof Promise) throw new Error("expected the step to act at once, it waits");
}
