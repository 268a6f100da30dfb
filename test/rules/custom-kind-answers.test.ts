/** Scales, columns and patches of custom kinds: CRD-32, CRD-35, DEC-18, DEC-31. */
import { describe, expect, test } from "vitest";
import { expectStatus } from "./answer.ts";
import { JSON_PATCH, MERGE, fresh, serve } from "./api.ts";
import { type Json, serveKind } from "./custom-kind.ts";

const api = serve({ dialect: "kubernetes" });

const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";
const ANY: Json = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

describe("CRD-35: the scale of an object without replicas", () => {
  const replicas = { type: "object", properties: { replicas: { type: "integer" } } };
  const schema = { type: "object", properties: { spec: replicas, status: replicas } };
  const scale = { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" };

  async function scaled(): Promise<string> {
    const kind = await serveKind(api, { schema, more: { subresources: { status: {}, scale } } });
    expectStatus(await api.post(kind.items, kind.body("a", { spec: {} })), 201);
    return `${kind.items}/a/scale`;
  }

  test("is an error that clients do not retry for ever, and that names the path", async () => {
    const answer = await api.get(await scaled());
    expectStatus(answer, 500);
    expect(answer.at("reason")).toBe("InternalError");
    expect(answer.at("message")).toContain('".spec.replicas"');
  });

  test("is there once a patch gives a number", async () => {
    const path = await scaled();
    const answer = await api.merge(path, { spec: { replicas: 2 } });
    expectStatus(answer, 200);
    expect(answer.at("spec")).toEqual({ replicas: 2 });
    expect((await api.get(path)).at("spec")).toEqual({ replicas: 2 });
  });
});

describe("columns", () => {
  test("CRD-32: a column without a description, or with an empty one, names its path", async () => {
    const column = { type: "string", jsonPath: ".spec.a" };
    const additionalPrinterColumns = [
      { name: "A", ...column },
      { name: "B", ...column, description: "" },
      { name: "C", ...column, description: "Own words." },
    ];
    const kind = await serveKind(api, { schema: ANY, more: { additionalPrinterColumns } });
    const table = await api.get(kind.items, {}, { accept: TABLE });
    const described = (table.at("columnDefinitions") as { description: string }[]).map((one) => one.description);
    const text = "Custom resource definition column (in JSONPath format): .spec.a";
    expect(described.slice(1)).toEqual([text, text, "Own words."]);
  });

  test("CRD-32: an object or a list is JSON with its members in order, as programs in Go write it", async () => {
    const additionalPrinterColumns = [".spec.a", ".spec.a.list", ".spec.a"].map((jsonPath, i) => ({
      name: `C${i}`,
      type: "string",
      jsonPath,
    }));
    const kind = await serveKind(api, { schema: ANY, more: { additionalPrinterColumns } });
    const cellsOf = async (name: string, a: Json) => {
      expectStatus(await api.post(kind.items, kind.body(name, { spec: { a } })), 201);
      return (await api.get(`${kind.items}/${name}`, {}, { accept: TABLE })).at("rows.0.cells");
    };
    const whole = '{"list":[{"c":2,"d":1},3],"z":"\\u003c"}';
    expect(await cellsOf("a", { z: "<", list: [{ d: 1, c: 2 }, 3] })).toEqual(["a", whole, '[{"c":2,"d":1},3]', whole]);
    expect(await cellsOf("b", { z: 1 })).toEqual(["b", '{"z":1}', null, '{"z":1}']);
  });
});

describe("a patch that takes away what an update needs", () => {
  async function thing(): Promise<string> {
    const kind = await serveKind(api, { schema: ANY });
    expectStatus(await api.post(kind.items, kind.body("a", { spec: { a: "1" } })), 201);
    return `${kind.items}/a`;
  }

  test.each([
    ["removes it", JSON_PATCH, [{ op: "remove", path: "/kind" }]],
    ["moves it", JSON_PATCH, [{ op: "move", from: "/kind", path: "/spec/a" }]],
    ["sets it to null", MERGE, { kind: null }],
  ])("DEC-18: a patch that %s is refused for the kind of a custom object", async (_, type, patch) => {
    expectStatus(await api.patch(await thing(), type, patch), 422);
  });

  test.each([
    ["removes it", JSON_PATCH, [{ op: "remove", path: "/metadata/resourceVersion" }]],
    ["sets it to null", MERGE, { metadata: { resourceVersion: null } }],
  ])("DEC-31: so is one that %s for the version of an object that is not replaced without", async (_, type, patch) => {
    const answer = await api.patch(await thing(), type, patch);
    expectStatus(answer, 422);
    expect(answer.causes).toEqual(["FieldValueInvalid metadata.resourceVersion"]);
    const name = fresh("d");
    expectStatus(await api.post("/apis/storage.k8s.io/v1/csidrivers", { metadata: { name }, spec: {} }), 201);
    expectStatus(await api.patch(`/apis/storage.k8s.io/v1/csidrivers/${name}`, type, patch), 422);
  });

  test("DEC-18, DEC-31: built-in kinds follow from the path, and most are replaced without a version", async () => {
    const name = fresh("c");
    const path = "/api/v1/namespaces/default/configmaps";
    await api.post(path, { metadata: { name } });
    for (const removed of ["/kind", "/metadata/resourceVersion"]) {
      expectStatus(await api.jsonPatch(`${path}/${name}`, [{ op: "remove", path: removed }]), 200);
    }
  });
});

describe("health", () => {
  test.each(["ping", "log", "etcd", "watch-cache"])(
    "%s has a name, which each of the three endpoints knows",
    async (name) => {
      for (const endpoint of ["healthz", "livez", "readyz"]) {
        const one = await api.get(`/${endpoint}/${name}`);
        expect([one.status, one.text]).toEqual([200, "ok"]);
        expect((await api.get(`/${endpoint}`, { verbose: "" })).text).toContain(`[+]${name} ok\n`);
        expect((await api.get(`/${endpoint}`, { verbose: "", exclude: name })).text).toContain(
          `[+]${name} excluded: ok\n`,
        );
      }
    },
  );

  test("whether everything has been read is a matter of being ready alone", async () => {
    expect((await api.get("/readyz/informer-sync")).status).toBe(200);
    expect((await api.get("/livez/informer-sync")).status).toBe(404);
  });
});

test("KIND-All-13: a warning of ports in a template names both by their whole paths", async () => {
  const ports = [{ containerPort: 80 }, { containerPort: 80 }];
  const spec = { restartPolicy: "Never", containers: [{ name: "c", image: "i", ports }] };
  const body = { metadata: { name: fresh("a") }, spec: { template: { spec } } };
  const { warnings } = await api.post("/apis/batch/v1/namespaces/default/jobs", body);
  const at = "spec.template.spec.containers[0].ports";
  expect(warnings.join()).toContain(`${at}[1]: duplicate port definition with ${at}[0]`);
});

test("CRD-42: a default of what may be an integer or a text is judged by all but its type", async () => {
  const port: Json = { "x-kubernetes-int-or-string": true, pattern: "^[a-z]+$", default: "80%" };
  const schema = { type: "object", properties: { spec: { type: "object", properties: { port } } } };
  await expect(serveKind(api, { schema })).rejects.toThrow("should match");
  const fine = {
    type: "object",
    properties: { spec: { type: "object", properties: { port: { ...port, default: "http" } } } },
  };
  await expect(serveKind(api, { schema: fine })).resolves.toBeDefined();
});

test("a finished deletion of a workload answers a Status", async () => {
  const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } };
  for (const [path, spec] of [
    ["/api/v1/namespaces/default/replicationcontrollers", { selector: { a: "b" }, template }],
    [
      "/apis/batch/v1/namespaces/default/jobs",
      { template: { ...template, spec: { ...template.spec, restartPolicy: "Never" } } },
    ],
  ] as const) {
    const name = fresh("w");
    expectStatus(await api.post(path, { metadata: { name }, spec }), 201);
    const gone = await api.delete(`${path}/${name}`, { propagationPolicy: "Background" });
    expect([gone.status, gone.at("kind")]).toEqual([200, "Status"]);
  }
});

test("KIND-Job-3: a Job whose name is generated has the labels of its template, and not those that the server makes", async () => {
  const jobs = "/apis/batch/v1/namespaces/default/jobs";
  const template = {
    metadata: { labels: { app: "a" } },
    spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] },
  };
  const labelsOf = async (metadata: Json): Promise<string[]> =>
    Object.keys((await api.post(jobs, { metadata, spec: { template } })).at("metadata.labels") as object).toSorted();
  expect(await labelsOf({ generateName: "a-" })).toEqual(["app"]);
  expect(await labelsOf({ name: fresh("a") })).toHaveLength(5);
  expect(await labelsOf({ name: fresh("a"), generateName: "a-" })).toHaveLength(5);
});

describe("a server with the option to refuse privileged containers", () => {
  const strict = serve({ dialect: "kubernetes" }, { allowsPrivileged: false });

  test("KIND-PodSpec-9: refuses them and processes of the node, in Pods and in templates", async () => {
    const pod = (spec: Json) => ({ metadata: { name: fresh("p") }, spec: { serviceAccountName: "default", ...spec } });
    const pods = "/api/v1/namespaces/default/pods";
    const privileged = { containers: [{ name: "c", image: "i", securityContext: { privileged: true } }] };
    const refused = await strict.post(pods, pod(privileged));
    expect(refused.causes).toEqual(["FieldValueForbidden spec.containers[0].securityContext.privileged"]);
    const host = {
      hostNetwork: true,
      securityContext: { windowsOptions: { hostProcess: true } },
      containers: [{ name: "c", image: "i" }],
    };
    expect((await strict.post(pods, pod(host))).causes).toEqual(["FieldValueForbidden spec"]);
    const job = pod({ template: { spec: { restartPolicy: "Never", ...privileged } } });
    expect((await strict.post("/apis/batch/v1/namespaces/default/jobs", job)).status).toBe(422);
    expect((await api.post(pods, pod(privileged))).status).toBe(201);
  });
});
