/** A manager that applies an object in another version than before. */
import { describe, expect, test } from "vitest";
import type { Members } from "../rules/answer.ts";
import { type Api, fresh, serve } from "../rules/api.ts";

interface Applied {
  readonly name: string;
  /** The versions of the kind, and the path of its objects in one of them. */
  readonly versions: readonly string[];
  readonly pathIn: (version: string) => string;
  readonly members: (version: string) => Members;
}

const autoscaler: Applied = {
  name: "an autoscaler",
  versions: ["autoscaling/v1", "autoscaling/v2"],
  pathIn: (version) => `/apis/${version}/namespaces/default/horizontalpodautoscalers`,
  members: () => ({
    kind: "HorizontalPodAutoscaler",
    spec: { maxReplicas: 5, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" } },
  }),
};

const event: Applied = {
  name: "an Event",
  versions: ["v1", "events.k8s.io/v1"],
  pathIn: (version) => `/${version === "v1" ? "api" : "apis"}/${version}/namespaces/default/events`,
  members: (version) => ({
    kind: "Event",
    type: "Normal",
    reason: "Tried",
    action: "Try",
    eventTime: "2026-01-02T03:04:05.000000Z",
    reportingInstance: "here",
    ...(version === "v1"
      ? { involvedObject: { namespace: "default" }, reportingComponent: "example.com/tester" }
      : { regarding: { namespace: "default" }, reportingController: "example.com/tester" }),
  }),
};

const custom: Applied = {
  name: "a custom object",
  versions: ["v1", "v2"].map((version) => `versions.example.com/${version}`),
  pathIn: (version) => `/apis/${version}/namespaces/default/parts`,
  members: () => ({ kind: "Part", spec: { size: 1 } }),
};

async function definePart(api: Api): Promise<void> {
  const schema = {
    openAPIV3Schema: {
      type: "object",
      properties: { spec: { type: "object", properties: { size: { type: "integer" } } } },
    },
  };
  const { status } = await api.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "parts.versions.example.com" },
    spec: {
      group: "versions.example.com",
      scope: "Namespaced",
      names: { plural: "parts", kind: "Part" },
      versions: ["v1", "v2"].map((name) => ({ name, served: true, storage: name === "v1", schema })),
    },
  });
  expect(status).toBe(201);
  await expect.poll(async () => (await api.get(custom.pathIn("versions.example.com/v2"))).status).toBe(200);
}

/** What an applier may own of metadata, and nothing else there. */
const METADATA: Readonly<Record<string, Members>> = {
  "a label": { labels: { a: "b" } },
  "an annotation": { annotations: { a: "b" } },
  "a finalizer": { finalizers: ["example.com/a"] },
  "an owner": { ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "a", uid: "1" }] },
};

describe.each(["neutral", "kubernetes"] as const)("apply in another version, in the %s dialect", (dialect) => {
  const api = serve({ dialect });

  // The neutral dialect has one group of events.
  describe.each(dialect === "neutral" ? [autoscaler, custom] : [autoscaler, custom, event])("of $name", (applied) => {
    const [older, newer] = applied.versions as [string, string];

    test.each(
      [
        [older, newer],
        [newer, older],
      ].flatMap(([from, to]) => Object.keys(METADATA).map((what) => [what, from!, to!] as const)),
    )("MF-4, OWN-9: %s is kept and given up, from %s to %s", async (what, from, to) => {
      if (applied === custom && (await api.get(applied.pathIn(from))).status !== 200) await definePart(api);
      const name = fresh("other");
      const body = (apiVersion: string, metadata: Members): Members => ({
        apiVersion,
        ...applied.members(apiVersion),
        metadata: { name, ...metadata },
      });
      const apply = async (version: string, metadata: Members, manager = "one"): Promise<Members> => {
        const path = `${applied.pathIn(version)}/${name}`;
        const answer = await api.apply(path, manager, body(version, metadata), { force: "true" });
        expect((answer.body as Members)["message"]).toBeUndefined();
        expect(answer.status).toBeLessThan(202);
        return answer.body["metadata"] as Members;
      };
      const [member] = Object.keys(METADATA[what]!) as [string];
      const { uid } = await apply(from, METADATA[what]!);
      const kept = await apply(to, METADATA[what]!);
      expect([kept["uid"], kept[member]]).toEqual([uid, METADATA[what]![member]]);
      expect((await apply(from, METADATA[what]!))[member]).toEqual(METADATA[what]![member]);
      // What another one owns stays, in whatever version it was applied.
      await apply(to, METADATA[what]!, "two");
      expect((await apply(to, {}))[member]).toEqual(METADATA[what]![member]);
      const gone = await apply(from, {}, "two");
      expect([gone["uid"], gone["name"], gone[member]]).toEqual([uid, name, undefined]);
      await api.delete(`${applied.pathIn(to)}/${name}`);
    });
  });
});

describe("owners at a version that a definition does not have any more", () => {
  const api = serve({ dialect: "kubernetes" });
  const group = "moved.example.com";
  const definition = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/parts.${group}`;
  const at = (version: string, name = ""): string => `/apis/${group}/${version}/namespaces/default/parts/${name}`;
  const part = (version: string, size: number): Members => ({
    apiVersion: `${group}/${version}`,
    kind: "Part",
    metadata: { name: "a" },
    spec: { size },
  });

  const documentOf = (versions: readonly string[]): Members => ({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `parts.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural: "parts", kind: "Part" },
      versions: versions.map((name) => ({
        name,
        served: true,
        storage: name === "v2",
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      })),
    },
  });

  test("an apply is refused in the words that tools wait for; other writes go on, and mend it", async () => {
    const made = await api.post(definition.slice(0, definition.lastIndexOf("/")), documentOf(["v1", "v2"]));
    expect(made.status).toBe(201);
    await api.until(at("v1").slice(0, -1), ({ status }) => status === 200);
    expect((await api.apply(at("v1", "a"), "one", part("v1", 1))).status).toBe(201);
    expect((await api.apply(definition, "definer", documentOf(["v2"]), { force: "true" })).status).toBe(200);
    await api.until(at("v1").slice(0, -1), ({ status }) => status === 404);
    const refused = await api.apply(at("v2", "a"), "two", part("v2", 1));
    expect([refused.status, String(refused.at("message"))]).toEqual([
      400,
      expect.stringContaining(`request to convert CR to an invalid group/version: ${group}/v1`),
    ]);
    expect((await api.merge(at("v2", "a"), { metadata: { labels: { a: "b" } } })).status).toBe(200);
    const moved = [{ op: "replace", path: "/metadata/managedFields/0/apiVersion", value: `${group}/v2` }];
    expect((await api.jsonPatch(at("v2", "a"), moved)).status).toBe(200);
    expect((await api.apply(at("v2", "a"), "one", part("v2", 2))).body["spec"]).toEqual({ size: 2 });
  });
});
