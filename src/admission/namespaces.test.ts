import { describe, expect, test, vi } from "vitest";
import { kubernetes, neutral } from "../meta/dialect.ts";
import type { Dialect } from "../meta/dialect.ts";
import { type ProvisionNamespace, namespaceExists, namespaceLifecycle } from "./namespaces.ts";
import { atOnce, lookupOf, objectOf, reading, requestOf } from "./testing/requests.ts";

/** The step as the dialect runs it by default. */
const lifecycle = (dialect: Dialect, provision: ProvisionNamespace) =>
  namespaceLifecycle({ dialect, provision: dialect.rules.autoProvisionNamespaces ? provision : undefined });

const NAMESPACE = { group: "", plural: "namespaces", kind: "Namespace" };
const CLUSTER = { group: "", plural: "persistentvolumes", kind: "PersistentVolume" };
const there = lookupOf({ namespaces: [objectOf({ name: "team" })] });
const going = lookupOf({ namespaces: [objectOf({ name: "team", deletionTimestamp: "2026-01-01T00:00:00Z" })] });
const nothing = lookupOf({});

const code = (wanted: number, reason: string): Error => expect.objectContaining({ code: wanted, reason }) as Error;

describe("a create in a namespace", () => {
  test.each([neutral, kubernetes])("goes on where the namespace exists ($name)", async (dialect) => {
    const provision = vi.fn<(name: string) => Promise<void>>();
    const step = reading(there, lifecycle(dialect, provision));
    atOnce(step.mutate!(requestOf()));
    await step.commit!(requestOf());
    expect(provision).not.toHaveBeenCalled();
  });

  test("POL-5: creates a missing namespace, when all other steps agreed (neutral)", async () => {
    const provision = vi.fn<(name: string) => Promise<void>>().mockResolvedValue();
    const step = reading(nothing, lifecycle(neutral, provision));
    atOnce(step.mutate!(requestOf()));
    atOnce(step.validate!(requestOf()));
    expect(provision).not.toHaveBeenCalled();
    await step.commit!(requestOf());
    expect(provision.mock.calls).toEqual([["team"]]);
  });

  test.each([neutral, kubernetes])(
    "RBAC-51: a question about a namespace needs none, and makes none ($name)",
    (dialect) => {
      const provision = vi.fn<(name: string) => Promise<void>>();
      const step = reading(nothing, lifecycle(dialect, provision));
      const ref = {
        group: "authorization.k8s.io",
        plural: "localsubjectaccessreviews",
        kind: "LocalSubjectAccessReview",
      };
      expect(step.mutate!(requestOf({ ref }))).toBeUndefined();
      expect(step.commit!(requestOf({ ref }))).toBeUndefined();
      expect(provision).not.toHaveBeenCalled();
    },
  );

  test("POL-5: is 404 for a missing namespace (kubernetes)", async () => {
    const provision = vi.fn<(name: string) => Promise<void>>();
    const step = reading(nothing, lifecycle(kubernetes, provision));
    expect(() => step.mutate!(requestOf())).toThrow(code(404, "NotFound"));
    expect(step.commit!(requestOf())).toBeUndefined();
    expect(provision).not.toHaveBeenCalled();
  });

  test.each([neutral, kubernetes])(
    "DEC-34: is 403 with a cause where the namespace is being deleted ($name)",
    (dialect) => {
      const step = reading(
        going,
        lifecycle(dialect, () => Promise.resolve()),
      );
      expect(() => step.mutate!(requestOf())).toThrow(code(403, "Forbidden"));
      let causes: unknown;
      try {
        atOnce(step.mutate!(requestOf()));
      } catch (error) {
        causes = (error as { status: { details: { causes: unknown } } }).status.details.causes;
      }
      expect(causes).toEqual([
        { reason: "NamespaceTerminating", message: "namespace team is being terminated", field: "metadata.namespace" },
      ]);
    },
  );

  test.each(["UPDATE", "DELETE"] as const)(
    "DEC-34: an %s goes on there, so that finalizers can be removed",
    async (operation) => {
      const provision = vi.fn<(name: string) => Promise<void>>();
      for (const lookup of [going, nothing]) {
        const step = reading(lookup, lifecycle(neutral, provision));
        atOnce(step.mutate!(requestOf({ operation })));
        atOnce(step.validate!(requestOf({ operation })));
        await step.commit!(requestOf({ operation }));
      }
      expect(provision).not.toHaveBeenCalled();
    },
  );

  test("objects of the cluster have no namespace to look for", async () => {
    const request = requestOf({ ref: CLUSTER, namespaced: false, namespace: "" });
    const step = reading(
      nothing,
      lifecycle(kubernetes, () => Promise.reject(new Error("made a namespace"))),
    );
    atOnce(step.mutate!(request));
    await step.commit!(request);
    expect(step.name).toBe("NamespaceLifecycle");
  });
});

describe("a delete of a namespace", () => {
  const remove = (name: string) =>
    requestOf({ operation: "DELETE", ref: NAMESPACE, namespaced: false, namespace: "", name });

  test.each(["default", "kube-system", "kube-public"])("is 403 for %s in the kubernetes dialect", (name) => {
    const step = reading(
      there,
      lifecycle(kubernetes, () => Promise.resolve()),
    );
    expect(() => step.validate!(remove(name))).toThrow(code(403, "Forbidden"));
  });

  test("goes on for others, and for all in the neutral dialect", () => {
    atOnce(
      reading(
        there,
        lifecycle(kubernetes, () => Promise.resolve()),
      ).validate!(remove("team")),
    );
    atOnce(
      reading(
        there,
        lifecycle(kubernetes, () => Promise.resolve()),
      ).validate!(remove("kube-node-lease")),
    );
    atOnce(
      reading(
        there,
        lifecycle(neutral, () => Promise.resolve()),
      ).validate!(remove("default")),
    );
    // An object of another kind may be called so.
    const request = requestOf({ operation: "DELETE", name: "default" });
    expect(() =>
      reading(
        there,
        lifecycle(kubernetes, () => Promise.resolve()),
      ).validate!(request),
    ).not.toThrow();
  });
});

test("NamespaceExists refuses every write in a namespace that is not there, and nothing in the cluster", () => {
  const lookup = lookupOf({ namespaces: [objectOf({ name: "team" })] });
  const validate = (more: object): void => atOnce(namespaceExists.validate!(requestOf({ lookup, ...more })));
  validate({ operation: "DELETE", object: undefined });
  validate({ namespaced: false, namespace: "" });
  for (const operation of ["CREATE", "UPDATE", "DELETE"]) {
    expect(() => validate({ operation, namespace: "gone" })).toThrow('namespaces "gone" not found');
  }
});
