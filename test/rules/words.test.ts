/**
 * Texts of responses that programs match, one line each, with the program: a change of one breaks a program.
 * Words of Events: `Multi-Attach` is in `test/controllers/attaching.test.ts`, those of claims in `test/why/`.
 */
import { beforeAll, expect, test } from "vitest";
import type { Answer, Members } from "./answer.ts";
import { type Query, fresh, serve } from "./api.ts";

const api = serve({ dialect: "kubernetes", "enable-admission-plugins": "ResourceQuota,ServiceAccount" });

const GROUP = "words.example.com";
const WORDS = `/apis/${GROUP}/v1/namespaces/default/words`;
const MAPS = "/api/v1/namespaces/default/configmaps";
const PODS = "/api/v1/namespaces/default/pods";
const JOBS = "/apis/batch/v1/namespaces/default/jobs";
const DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments";
const SERVICES = "/api/v1/namespaces/default/services";
const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

const schema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      required: ["needed"],
      properties: {
        needed: { type: "string" },
        least: { type: "integer", minimum: 1 },
        most: { type: "integer", maximum: 9 },
        over: { type: "integer", minimum: 1, exclusiveMinimum: true },
        step: { type: "integer", multipleOf: 3 },
        pattern: { type: "string", pattern: "^a$" },
        short: { type: "string", maxLength: 3 },
        long: { type: "string", minLength: 3 },
        one: { type: "string", enum: ["a", "b"] },
        few: { type: "array", maxItems: 1, items: { type: "string" } },
        some: { type: "array", minItems: 2, items: { type: "string" } },
        set: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
        day: { type: "string", format: "date" },
        either: {
          type: "object",
          "x-kubernetes-preserve-unknown-fields": true,
          oneOf: [{ required: ["a"] }, { required: ["b"] }],
        },
        any: {
          type: "object",
          "x-kubernetes-preserve-unknown-fields": true,
          anyOf: [{ required: ["a"] }, { required: ["b"] }],
        },
        rule: { type: "integer", "x-kubernetes-validations": [{ rule: "self < 5", message: "no more than five" }] },
        fixed: { type: "string", "x-kubernetes-validations": [{ rule: "self == oldSelf" }] },
      },
    },
  },
};

beforeAll(async () => {
  const versions = [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }];
  const names = { plural: "words", kind: "Word" };
  await api.post(DEFINITIONS, {
    metadata: { name: `words.${GROUP}` },
    spec: { group: GROUP, scope: "Namespaced", names, versions },
  });
  await api.until(WORDS, ({ status }) => status === 200);
});

const word = (spec: Members, query: Query = {}): Promise<Answer> =>
  api.post(
    WORDS,
    { apiVersion: `${GROUP}/v1`, kind: "Word", metadata: { name: fresh("w") }, spec: { needed: "x", ...spec } },
    query,
  );
const template = {
  metadata: { labels: { a: "b" } },
  spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] },
};

/** Makes an object and changes it. */
async function changed(items: string, body: Members, change: Members): Promise<Answer> {
  const name = fresh("n");
  const made = await api.post(items, { ...body, metadata: { name } });
  if (made.status !== 201) throw new Error(`expected the object to be made, got ${made.text}`);
  return api.merge(`${items}/${name}`, change);
}

async function stale(): Promise<Answer> {
  const name = fresh("n");
  const { body } = await api.post(MAPS, { metadata: { name } });
  await api.merge(`${MAPS}/${name}`, { data: { a: "1" } });
  return api.put(`${MAPS}/${name}`, body);
}

async function contested(): Promise<Answer> {
  const name = fresh("n");
  const body = (a: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { a } });
  await api.apply(`${MAPS}/${name}`, "one", body("1"));
  return api.apply(`${MAPS}/${name}`, "two", body("2"));
}

/** Takes a version out of a definition whose objects may be stored in it. */
async function withoutStoredVersion(): Promise<Answer> {
  const plural = fresh("stored");
  const [group, name] = ["stored.example.com", `${plural}.stored.example.com`];
  const stored = (version: string) => ({
    name: version,
    served: true,
    storage: true,
    schema: { openAPIV3Schema: { type: "object" } },
  });
  const names = { plural, kind: plural.replace(/^s/, "S") };
  const versions = [stored("v1")];
  await api.post(DEFINITIONS, { metadata: { name }, spec: { group, scope: "Namespaced", names, versions } });
  await api.until(`/apis/${group}/v1/${plural}`, ({ status }) => status === 200);
  return api.merge(`${DEFINITIONS}/${name}`, { spec: { versions: [stored("v2")] } });
}

async function goingNamespace(): Promise<Answer> {
  const name = fresh("n");
  await api.post("/api/v1/namespaces", { metadata: { name, finalizers: ["example.com/x"] } });
  await api.delete(`/api/v1/namespaces/${name}`);
  return api.post(`/api/v1/namespaces/${name}/configmaps`, { metadata: { name: "a" } });
}

async function goingObject(): Promise<Answer> {
  const name = fresh("n");
  await api.post(MAPS, { metadata: { name, finalizers: ["example.com/x"] } });
  await api.delete(`${MAPS}/${name}`);
  return api.merge(`${MAPS}/${name}`, { metadata: { finalizers: ["example.com/x", "example.com/y"] } });
}

const service = { spec: { ports: [{ port: 80 }] } };
const deployment = {
  spec: {
    selector: { matchLabels: { a: "b" } },
    template: { ...template, spec: { containers: [{ name: "c", image: "i" }] } },
  },
};

test.each<[words: string, matchedBy: string, ask: () => Promise<Answer>]>([
  [
    "field is immutable",
    "operators that make Jobs again",
    () => changed(JOBS, { spec: { template } }, { spec: { completionMode: "Indexed", completions: 2 } }),
  ],
  [
    "field is immutable",
    "Argo CD, Helm: selectors",
    () => changed(DEPLOYMENTS, deployment, { spec: { selector: { matchLabels: { a: "c" } } } }),
  ],
  [
    "may not change once set",
    "e2e of Services",
    () => changed(SERVICES, service, { spec: { clusterIP: "10.96.0.99", clusterIPs: ["10.96.0.99"] } }),
  ],
  [
    "field not declared in schema",
    "kustomize and operators that apply",
    () => api.apply(`${MAPS}/a`, "m", { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, zz: 1 }),
  ],
  [
    "invalid timeout specified in the request URL",
    "e2e of the API machinery",
    () => api.get(MAPS, { timeout: "soon" }),
  ],
  [
    "the object has been modified; please apply your changes to the latest version and try again",
    "scripts around kubectl replace",
    stale,
  ],
  ["Operation cannot be fulfilled on configmaps", "logs that are filtered for conflicts", stale],
  ['Apply failed with 1 conflict: conflict with "one"', "Flux, kubectl's tests", contested],
  ["because it is being terminated", "controllers that stop in a namespace that goes", goingNamespace],
  ["no new finalizers can be added if the object is being deleted", "operators at their last reconcile", goingObject],
  [
    "already exists",
    "scripts that create twice",
    async () => {
      const metadata = { name: fresh("n") };
      await api.post(MAPS, { metadata });
      return api.post(MAPS, { metadata });
    },
  ],
  ['configmaps "gone" not found', "kubectl wait --for=delete", () => api.get(`${MAPS}/gone`)],
  [
    "metadata.resourceVersion: Invalid value",
    "clients of custom kinds that replace",
    async () => {
      const made = await word({});
      const { metadata, ...rest } = made.body as { metadata: Members };
      const { resourceVersion: _, ...bare } = metadata;
      return api.put(`${WORDS}/${String(metadata["name"])}`, { ...rest, metadata: bare });
    },
  ],
  [
    "must be specified for an update",
    "the same",
    async () => {
      const made = await word({});
      const { metadata, ...rest } = made.body as { metadata: Members };
      const { resourceVersion: _, ...bare } = metadata;
      return api.put(`${WORDS}/${String(metadata["name"])}`, { ...rest, metadata: bare });
    },
  ],
  [
    "the UID in the precondition (another) does not match the UID in record",
    "the garbage collector of the original",
    async () => {
      const name = fresh("n");
      await api.post(MAPS, { metadata: { name } });
      return api.delete(`${MAPS}/${name}`, {}, { preconditions: { uid: "another" } });
    },
  ],
  [
    "error looking up service account default/gone",
    "operators that wait for their account",
    () =>
      api.post(PODS, {
        metadata: { name: "p" },
        spec: { serviceAccountName: "gone", containers: [{ name: "c", image: "i" }] },
      }),
  ],
  [
    "strict decoding error: unknown field",
    "kubectl --validate",
    () => api.post(MAPS, { metadata: { name: "a" }, zz: 1 }, { fieldValidation: "Strict" }),
  ],
  [
    "the body of the request was in an unknown format - accepted media types include:",
    "client-go",
    () => api.post(MAPS, "x", {}, { "content-type": "text/csv" }),
  ],
  ["only the following media types are accepted:", "client-go", () => api.get(MAPS, {}, { accept: "text/csv" })],
  ["spec.needed: Required value", "tests of operators", () => word({ needed: undefined } as unknown as Members)],
  ["spec.least in body should be greater than or equal to 1", "tests of operators", () => word({ least: 0 })],
  ["spec.most in body should be less than or equal to 9", "tests of operators", () => word({ most: 10 })],
  ["spec.over in body should be greater than 1", "tests of operators", () => word({ over: 1 })],
  ["spec.step in body should be a multiple of 3", "tests of operators", () => word({ step: 4 })],
  ["spec.pattern in body should match '^a$'", "tests of operators", () => word({ pattern: "b" })],
  ["spec.short: Too long: may not be more than 3 bytes", "tests of operators", () => word({ short: "abcd" })],
  ["spec.long in body should be at least 3 chars long", "tests of operators", () => word({ long: "ab" })],
  ['spec.one: Unsupported value: "c": supported values: "a", "b"', "tests of operators", () => word({ one: "c" })],
  ["spec.few: Too many: 2: must have at most 1 item", "tests of operators", () => word({ few: ["a", "b"] })],
  ["spec.some in body should have at least 2 items", "tests of operators", () => word({ some: ["a"] })],
  ['spec.set[1]: Duplicate value: "a"', "tests of operators", () => word({ set: ["a", "a"] })],
  ['spec.day in body must be of type date: "x"', "tests of operators", () => word({ day: "x" })],
  ['spec.least in body must be of type integer: "string"', "tests of operators", () => word({ least: "x" })],
  ["must validate one and only one schema (oneOf). Found none valid", "tests of operators", () => word({ either: {} })],
  ["must validate at least one schema (anyOf)", "tests of operators", () => word({ any: {} })],
  [
    'status.storedVersions[0]: Invalid value: "v1": missing from spec.versions; v1 was previously a storage version, and must remain in spec.versions until',
    "the migrator of definitions of cluster-api",
    withoutStoredVersion,
  ],
  ["spec.rule: Invalid value: 5: no more than five", "tests of rules", () => word({ rule: 5 })],
  [
    "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
    "controller-gen's users",
    () => word({ needed: undefined, rule: 5 } as unknown as Members),
  ],
])("%s (%s)", async (words, _matchedBy, ask) => {
  const { status, body } = await ask();
  const { message, details } = body as {
    message: string;
    details?: { causes?: { field?: string; message: string }[] };
  };
  const causes = (details?.causes ?? []).map((cause) => `${cause.field ?? ""}: ${cause.message}`);
  expect([status >= 400 && status < 500, [message, ...causes].join("\n")]).toEqual([
    true,
    expect.stringContaining(words),
  ]);
});

test("exceeded quota: controllers that wait for room", async () => {
  const namespace = fresh("quota");
  await api.post("/api/v1/namespaces", { metadata: { name: namespace } });
  const quotas = `/api/v1/namespaces/${namespace}/resourcequotas`;
  await api.post(quotas, { metadata: { name: "q" }, spec: { hard: { "count/configmaps": "0" } } });
  await api.merge(`${quotas}/q/status`, {
    status: { hard: { "count/configmaps": "0" }, used: { "count/configmaps": "0" } },
  });
  const { body } = await api.post(`/api/v1/namespaces/${namespace}/configmaps`, { metadata: { name: "a" } });
  expect(body["message"]).toContain(
    "exceeded quota: q, requested: count/configmaps=1, used: count/configmaps=0, limited: count/configmaps=0",
  );
});
