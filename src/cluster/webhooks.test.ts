/** Webhooks and the registry together: what becomes of the objects that they return. */
import { afterEach, describe, expect, test } from "vitest";
import { type Behaviour, type Review, allow, patch, webhook } from "../admission/webhooks/testing/webhooks.ts";
import { alwaysAllow } from "../auth/admin.ts";
import { kubernetes } from "../meta/dialect.ts";
import { openMemoryStore } from "../storage/memory/store.ts";
import { isObject } from "../value/value.ts";
import { type Cluster, createCluster } from "./index.ts";

const GROUP = "/apis/admissionregistration.k8s.io/v1";
const MAPS = "/api/v1/namespaces/default/configmaps";
const identity = { user: "jane", groups: ["system:masters"] };
let cluster: Cluster;

afterEach(() => cluster.close(0));

/** A cluster with one webhook about a resource, and the reviews that it gets. */
async function clusterWith(type: "Mutating" | "Validating", resource: string, behaviour: Behaviour) {
  const reviews: Review[] = [];
  const hooks = {
    async call({ url }: { readonly url: string }, body: string | Uint8Array) {
      const review = JSON.parse(Buffer.from(body as Uint8Array).toString()) as Review;
      reviews.push(review);
      return await behaviour(review, { url });
    },
    close: () => undefined,
  };
  cluster = await createCluster({
    store: await openMemoryStore(),
    dialect: kubernetes,
    authorizer: () => alwaysAllow,
    hooks,
  });
  const rules = [{ operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: [resource] }];
  const { code } = await send("POST", `${GROUP}/${type.toLowerCase()}webhookconfigurations`, {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: `${type}WebhookConfiguration`,
    metadata: { name: "conf" },
    webhooks: [webhook("h.example.com", { rules })],
  });
  if (code !== 201) throw new Error(`expected the configuration to be created, got ${code}`);
  return reviews;
}

async function send(method: string, url: string, body?: object, type = "application/json") {
  const headers = { "content-type": type };
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await cluster.server.inject({ method, url, headers, identity, ...sent });
  const object = JSON.parse(await response.text()) as Record<string, unknown> & { metadata: Record<string, unknown> };
  return { code: response.code, object };
}

const map = (more: object = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "a", namespace: "default", ...more },
  data: { k: "v" },
});

const on =
  (operation: string, behaviour: Behaviour): Behaviour =>
  (review, address) =>
    (review.request["operation"] === operation ? behaviour : allow())(review, address);

describe("what a mutating webhook makes of an object", () => {
  test.each([
    ["a namespace of another object", "/metadata/namespace", "other", 400],
    ["a resourceVersion of a new object", "/metadata/resourceVersion", "7", 500],
    ["a member of a wrong type", "/data/k", 7, 500],
    ["another kind", "/kind", "Secret", 500],
    ["an invalid name of a key", "/data", { "not/valid": "x" }, 422],
  ])("HOOK-25, HOOK-26: %s", async (_, path, value, code) => {
    await clusterWith("Mutating", "configmaps", patch([{ op: "add", path, value }]));
    expect((await send("POST", MAPS, map())).code).toBe(code);
  });

  test("HOOK-26: an object is stored under the name that a webhook gives it", async () => {
    await clusterWith("Mutating", "configmaps", patch([{ op: "replace", path: "/metadata/name", value: "b" }]));
    expect((await send("POST", MAPS, map())).code).toBe(201);
    expect((await send("GET", `${MAPS}/b`)).code).toBe(200);
    expect((await send("GET", `${MAPS}/a`)).code).toBe(404);
  });

  test("HOOK-25: unknown members are dropped", async () => {
    await clusterWith("Mutating", "configmaps", patch([{ op: "add", path: "/nosuch", value: 1 }]));
    const { code, object } = await send("POST", MAPS, map());
    expect([code, object["nosuch"]]).toEqual([201, undefined]);
  });

  test("HOOK-27: fields that it adds are unowned", async () => {
    await clusterWith("Mutating", "configmaps", patch([{ op: "add", path: "/data/hooked", value: "x" }]));
    const { object } = await send("POST", MAPS, map());
    const [entry] = object.metadata["managedFields"] as [{ fieldsV1: object }];
    expect(object["data"]).toEqual({ hooked: "x", k: "v" });
    expect(entry.fieldsV1).toEqual({ "f:data": { ".": {}, "f:k": {} } });
  });

  test("HOOK-28: on the path of the status it can change the status only", async () => {
    const both = patch([
      { op: "add", path: "/spec/volumeName", value: "v" },
      { op: "add", path: "/status/phase", value: "Lost" },
    ]);
    await clusterWith("Mutating", "persistentvolumeclaims/status", both);
    const claims = "/api/v1/namespaces/default/persistentvolumeclaims";
    const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName: "" };
    const claim = { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { name: "c" }, spec };
    await send("POST", claims, claim);
    const { object } = await send("PUT", `${claims}/c/status`, { ...claim, status: { phase: "Pending" } });
    expect([object["spec"], object["status"]]).toMatchObject([{ storageClassName: "" }, { phase: "Lost" }]);
    expect(isObject(object["spec"]) && "volumeName" in object["spec"]).toBe(false);
  });
});

describe("what webhooks get", () => {
  test("HOOK-18: a deletion of an object with finalizers is a deletion, and its release a change", async () => {
    const reviews = await clusterWith("Validating", "configmaps", allow());
    await send("POST", MAPS, map({ finalizers: ["example.com/hold"] }));
    await send("DELETE", `${MAPS}/a`);
    await send("PATCH", `${MAPS}/a`, { metadata: { finalizers: null } }, "application/merge-patch+json");
    expect(reviews.map(({ request }) => request["operation"])).toEqual(["CREATE", "DELETE", "UPDATE"]);
    expect((await send("GET", `${MAPS}/a`)).code).toBe(404);
  });

  test("HOOK-18: a collection is deleted by one review for each object", async () => {
    const reviews = await clusterWith("Validating", "configmaps", on("DELETE", allow()));
    await send("POST", MAPS, map());
    await send("POST", MAPS, map({ name: "b" }));
    await send("DELETE", `${MAPS}?labelSelector=!none`);
    const deletions = reviews.filter(({ request }) => request["operation"] === "DELETE");
    expect(new Set(deletions.map(({ request }) => request["name"]))).toEqual(new Set(["a", "b"]));
  });

  test("HOOK-13: a change of a scale is a review of a Scale", async () => {
    const reviews = await clusterWith("Validating", "deployments/scale", allow());
    const deployments = "/apis/apps/v1/namespaces/default/deployments";
    const labels = { app: "x" };
    const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } };
    await send("POST", deployments, {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "d" },
      spec: { selector: { matchLabels: labels }, template },
    });
    const scaled = await send(
      "PATCH",
      `${deployments}/d/scale`,
      { spec: { replicas: 3 } },
      "application/merge-patch+json",
    );
    expect(scaled.code).toBe(200);
    expect(reviews.map(({ request }) => request)).toMatchObject([
      {
        kind: { group: "autoscaling", version: "v1", kind: "Scale" },
        resource: { group: "apps", version: "v1", resource: "deployments" },
        subResource: "scale",
        object: { kind: "Scale", spec: { replicas: 3 } },
        oldObject: { kind: "Scale", spec: { replicas: 1 } },
      },
    ]);
  });

  test("HOOK-14: an Event of one group is reviewed in the other, where the rule names that", async () => {
    const reviews = await clusterWith("Validating", "events", allow());
    await send(
      "PATCH",
      `${GROUP}/validatingwebhookconfigurations/conf`,
      {
        webhooks: [
          webhook("h.example.com", {
            rules: [{ operations: ["*"], apiGroups: ["events.k8s.io"], apiVersions: ["v1"], resources: ["events"] }],
          }),
        ],
      },
      "application/merge-patch+json",
    );
    const involvedObject = { kind: "ConfigMap", namespace: "default", name: "a" };
    const { code } = await send("POST", "/api/v1/namespaces/default/events", {
      apiVersion: "v1",
      kind: "Event",
      metadata: { name: "e" },
      involvedObject,
      reason: "Why",
    });
    expect(code).toBe(201);
    expect(reviews[0]!.request).toMatchObject({
      kind: { group: "events.k8s.io", version: "v1", kind: "Event" },
      requestKind: { group: "", version: "v1", kind: "Event" },
      object: { apiVersion: "events.k8s.io/v1", regarding: involvedObject },
    });
  });

  test("a connection to a program is a review of its options", async () => {
    const reviews = await clusterWith("Validating", "pods/exec", allow());
    await send("POST", "/api/v1/namespaces/default/pods/p/exec?command=ls&stdout=true");
    expect(reviews[0]!.request).toMatchObject({
      operation: "CONNECT",
      kind: { group: "", version: "v1", kind: "PodExecOptions" },
      resource: { resource: "pods" },
      subResource: "exec",
      object: { kind: "PodExecOptions", apiVersion: "v1", command: ["ls"] },
      options: null,
    });
  });
});
