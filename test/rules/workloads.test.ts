/**
 * What only a server shows of workloads and Pods: generations, scales with their owners, deletes, cells of tables.
 *
 * @module
 */
import { describe, expect, test } from "vitest";
import type { Answer } from "./answer.ts";
import { type Api, fresh, serve } from "./api.ts";

const api = serve({ dialect: "kubernetes" });
const strict = serve({
  dialect: "kubernetes",
  "enable-admission-plugins": "Priority,DefaultTolerationSeconds,ServiceAccount",
});

const labels = { app: "web" };
const containers = [{ name: "a", image: "a" }];
const podTemplate = { metadata: { labels }, spec: { containers } };
const spec = { selector: { matchLabels: labels }, template: podTemplate };

/** A collection in a namespace of its own. */
async function place(collection: string, server: Api = api): Promise<string> {
  const ns = fresh("ns");
  await server.post("/api/v1/namespaces", { metadata: { name: ns } });
  const [group, plural] = collection.split(" ") as [string, string];
  return `${group === "v1" ? "/api/v1" : `/apis/${group}`}/namespaces/${ns}/${plural}`;
}

interface Owner {
  readonly manager: string;
  readonly subresource?: string;
  readonly fieldsV1: object;
}

const owners = (answer: Answer): readonly Owner[] => answer.at("metadata.managedFields") as readonly Owner[];

describe("KIND-All-3, KIND-All-4: generation counts changes of what is wanted", () => {
  test("from 1, not those of metadata or status, whose members stay as they were sent", async () => {
    const path = await place("apps/v1 deployments");
    const made = await api.post(path, { metadata: { name: "d", generation: 7 }, spec });
    expect(made.at("metadata.generation")).toBe(1);
    const status = { observedGeneration: 99, replicas: 1 };
    const reported = await api.merge(`${path}/d/status`, { metadata: { finalizers: ["a/b"] }, status });
    expect([reported.at("metadata.generation"), reported.at("status.observedGeneration")]).toEqual([1, 99]);
    expect((await api.merge(`${path}/d`, { spec: { replicas: 1 } })).at("metadata.generation")).toBe(1);
    expect((await api.merge(`${path}/d`, { spec: { replicas: 2 } })).at("metadata.generation")).toBe(2);
    expect((await api.delete(`${path}/d`)).at("metadata.generation")).toBe(3);
  });

  test("kinds that count none keep what a client says", async () => {
    const path = await place("apps/v1 controllerrevisions");
    const made = await api.post(path, { metadata: { name: "r", generation: 7 }, data: {}, revision: 1 });
    expect(made.at("metadata.generation")).toBe(7);
    expect((await api.merge(`${path}/r`, { revision: 2 })).at("metadata.generation")).toBe(7);
  });
});

describe("deleting what owns others", () => {
  const dependents = ["v1 replicationcontrollers", "batch/v1 jobs"] as const;
  const bodies = {
    [dependents[0]]: { metadata: { name: "x" }, spec: { template: podTemplate } },
    [dependents[1]]: {
      metadata: { name: "x" },
      spec: { template: { ...podTemplate, spec: { containers, restartPolicy: "Never" } } },
    },
  };

  test.each(dependents)("KIND-All-7: a delete of %s orphans unless told otherwise", async (collection) => {
    const path = await place(collection);
    await api.post(path, bodies[collection]);
    await api.delete(`${path}/x`);
    const left = await api.get(`${path}/x`);
    expect(left.at("metadata.finalizers")).toEqual(["orphan"]);
    expect([left.at("metadata.deletionGracePeriodSeconds"), typeof left.at("metadata.deletionTimestamp")]).toEqual([
      0,
      "string",
    ]);
    await api.delete(`${path}/x`, { propagationPolicy: "Foreground" });
    expect((await api.get(`${path}/x`)).at("metadata.finalizers")).toEqual(["foregroundDeletion"]);
    await api.delete(`${path}/x`, { propagationPolicy: "Background" });
    expect((await api.get(`${path}/x`)).status).toBe(404);
  });

  test("KIND-All-7: one of a Deployment is done at once", async () => {
    const path = await place("apps/v1 deployments");
    await api.post(path, { metadata: { name: "d" }, spec });
    expect((await api.delete(`${path}/d`)).at("kind")).toBe("Status");
    expect((await api.get(`${path}/d`)).status).toBe(404);
  });

  test("KIND-All-8: one of a Job warns that what it has made stays, one with a policy does not", async () => {
    const path = await place("batch/v1 jobs");
    await api.post(path, bodies["batch/v1 jobs"]);
    expect((await api.delete(`${path}/x`, { dryRun: "All" })).headers.get("warning")).toMatch(/^299 - /);
    const told = await api.delete(`${path}/x`, { propagationPolicy: "Background" });
    expect(told.headers.get("warning")).toBeNull();
  });
});

test("KIND-All-11: a template keeps what it says in metadata, and has one where it says nothing", async () => {
  const path = await place("v1 podtemplates");
  const made = await api.post(path, {
    metadata: { name: "t" },
    template: { metadata: { name: "kept", namespace: "other", labels }, spec: { containers } },
  });
  expect(made.at("template.metadata")).toEqual({ name: "kept", namespace: "other", labels });
  expect(
    (await api.post(path, { metadata: { name: "u" }, template: { spec: { containers } } })).at("template.metadata"),
  ).toEqual({});
});

describe("scales", () => {
  /** A Deployment `d` that `team` has applied. */
  async function applied(replicas = 2): Promise<string> {
    const path = `${await place("apps/v1 deployments")}/d`;
    await api.apply(path, "team", intent({ replicas }));
    return path;
  }
  const intent = (more: object): object => ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "d" },
    spec: { ...spec, ...more },
  });

  test("KIND-All-17: a scale has the parent's name, its count and its selector, and no more of it", async () => {
    const path = await applied();
    await api.merge(path, { metadata: { labels: { a: "b" }, annotations: { a: "b" } } });
    const { body } = await api.get(`${path}/scale`);
    expect(body).toMatchObject({
      apiVersion: "autoscaling/v1",
      kind: "Scale",
      spec: { replicas: 2 },
      status: { replicas: 0, selector: "app=web" },
    });
    const own = ["creationTimestamp", "name", "namespace", "resourceVersion", "uid"];
    expect(Object.keys(body["metadata"] as object).toSorted()).toEqual(own);
    await api.strategic(`${path}/scale`, { spec: { replicas: 0 } });
    expect((await api.get(`${path}/scale`)).at("spec")).toEqual({});
  });

  test("KIND-All-18: what is wrong with one, and verbs that it does not have", async () => {
    const path = await applied();
    const { body } = await api.get(`${path}/scale`);
    const metadata = body["metadata"] as object;
    const status = async (change: object): Promise<number> =>
      (await api.put(`${path}/scale`, { ...body, ...change })).status;
    expect(await status({ kind: "Deployment" })).toBe(400);
    expect(await status({ metadata: { ...metadata, name: "other" } })).toBe(400);
    expect(await status({ metadata: { ...metadata, resourceVersion: "1" } })).toBe(409);
    expect(await status({ metadata: { ...metadata, uid: "other" } })).toBe(409);
    const negative = await api.put(`${path}/scale`, { ...body, spec: { replicas: -1 } });
    expect([negative.status, negative.causes]).toEqual([422, ["FieldValueInvalid spec.replicas"]]);
    expect((await api.get(`${path}-none/scale`)).status).toBe(404);
    expect((await api.post(`${path}/scale`, body)).status).toBe(405);
    expect((await api.delete(`${path}/scale`)).status).toBe(405);
    expect(await status({ spec: {} })).toBe(200);
    expect((await api.get(path)).at("spec.replicas")).toBe(0);
  });

  test("KIND-All-19: who scales owns the parent's replicas, against whom the next apply has a conflict", async () => {
    const path = await applied();
    await api.patch(
      `${path}/scale`,
      "application/merge-patch+json",
      { spec: { replicas: 5 } },
      { fieldManager: "scaler" },
    );
    const scaler = owners(await api.get(path)).find(({ manager }) => manager === "scaler");
    expect(scaler).toMatchObject({ subresource: "scale", fieldsV1: { "f:spec": { "f:replicas": {} } } });
    const refused = await api.apply(path, "team", intent({ replicas: 2 }));
    expect([refused.status, refused.causes]).toEqual([409, ["FieldManagerConflict .spec.replicas"]]);
    const shared = await api.apply(path, "team", intent({ replicas: 5 }));
    expect(shared.status).toBe(200);
    const holds = owners(shared).filter(({ fieldsV1 }) => JSON.stringify(fieldsV1).includes('"f:replicas"'));
    expect(holds.map(({ manager }) => manager).toSorted()).toEqual(["scaler", "team"]);
  });

  test("KIND-All-20: the first apply that no longer names them leaves replicas as the scale has them", async () => {
    const path = await applied();
    await api.merge(`${path}/scale`, { spec: { replicas: 5 } }, { fieldManager: "scaler" });
    expect((await api.apply(path, "team", intent({}))).at("spec.replicas")).toBe(5);
  });
});

test("KIND-All-21: members that the server sets are unowned after an apply, and the writer's after a create", async () => {
  const path = await place("apps/v1 deployments");
  const [owner] = owners(
    await api.apply(`${path}/a`, "team", { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "a" }, spec }),
  );
  expect(JSON.stringify(owner)).not.toContain("f:revisionHistoryLimit");
  const [writer] = owners(await api.post(path, { metadata: { name: "b" }, spec }));
  expect(JSON.stringify(writer)).toContain("f:revisionHistoryLimit");
});

describe("Deployments", () => {
  test("KIND-Deployment-11: conditions merge by type; their times are null until a client sets them", async () => {
    const path = `${await place("apps/v1 deployments")}`;
    await api.post(path, { metadata: { name: "d" }, spec });
    const condition = (type: string, status: string): object => ({ status: { conditions: [{ type, status }] } });
    await api.strategic(`${path}/d/status`, condition("Available", "True"));
    const both = await api.strategic(`${path}/d/status`, condition("Progressing", "False"));
    expect(both.at("status.conditions")).toEqual([
      { type: "Progressing", status: "False", lastUpdateTime: null, lastTransitionTime: null },
      { type: "Available", status: "True", lastUpdateTime: null, lastTransitionTime: null },
    ]);
  });

  test("KIND-Deployment-13: no rollback; a restart is an annotation of the template", async () => {
    const path = `${await place("apps/v1 deployments")}`;
    await api.post(path, { metadata: { name: "d" }, spec });
    expect((await api.post(`${path}/d/rollback`, {})).status).toBe(404);
    const annotations = { "kubectl.kubernetes.io/restartedAt": "2030-01-01T00:00:00Z" };
    const restarted = await api.strategic(`${path}/d`, { spec: { template: { metadata: { annotations } } } });
    expect([restarted.at("metadata.generation"), restarted.at("spec.template.metadata.labels")]).toEqual([2, labels]);
  });
});

test("KIND-StatefulSet-10: claim templates are one value to patches and owners; to apply them again changes nothing", async () => {
  const path = `${await place("apps/v1 statefulsets")}/s`;
  const claim = (name: string): object => ({
    metadata: { name },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  });
  const intent = {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name: "s" },
    spec: { ...spec, volumeClaimTemplates: [claim("a")] },
  };
  const made = await api.apply(path, "team", intent);
  const [owner] = owners(made);
  expect(owner?.fieldsV1).toMatchObject({ "f:spec": { "f:volumeClaimTemplates": {} } });
  const again = await api.apply(path, "team", intent);
  expect(again.at("metadata.resourceVersion")).toBe(made.at("metadata.resourceVersion"));
  const replaced = await api.strategic(path, { spec: { volumeClaimTemplates: [claim("b")] } });
  expect([replaced.status, replaced.causes]).toEqual([422, ["FieldValueForbidden spec"]]);
});

describe("Pods", () => {
  const pod = (name: string, more: object = {}): object => ({ metadata: { name }, spec: { containers, ...more } });

  test("KIND-Pod-4: the new name of the service account wins, and the old one says the same", async () => {
    const path = await place("v1 pods");
    const names = async (name: string, more: object): Promise<unknown[]> => {
      const { body } = await api.post(path, pod(name, more));
      const { serviceAccountName, serviceAccount } = body["spec"] as Record<string, unknown>;
      return [serviceAccountName, serviceAccount];
    };
    expect(await names("a", { serviceAccountName: "new", serviceAccount: "old" })).toEqual(["new", "new"]);
    expect(await names("b", { serviceAccount: "old" })).toEqual(["old", "old"]);
  });

  test("KIND-Pod-16: on a node a delete takes its grace period, which a later one may shorten", async () => {
    const path = await place("v1 pods");
    await api.post(path, pod("p", { nodeName: "n", terminationGracePeriodSeconds: 20 }));
    const ends = (answer: Answer): unknown[] => [
      answer.at("metadata.deletionGracePeriodSeconds"),
      (Date.parse(String(answer.at("metadata.deletionTimestamp"))) - now) / 1000,
    ];
    const now = Math.floor(api.world.clock.now() / 1000) * 1000;
    expect(ends(await api.delete(`${path}/p`))).toEqual([20, 20]);
    expect(ends(await api.delete(`${path}/p`, { gracePeriodSeconds: "60" }))).toEqual([20, 20]);
    expect(ends(await api.delete(`${path}/p`, { gracePeriodSeconds: "5" }))).toEqual([5, 5]);
    await api.delete(`${path}/p`, { gracePeriodSeconds: "0" });
    expect((await api.get(`${path}/p`)).status).toBe(404);
  });

  test("KIND-Pod-16: without a node, or once it has ended, a Pod goes at once", async () => {
    const path = await place("v1 pods");
    await api.post(path, pod("p"));
    const gone = await api.delete(`${path}/p`);
    expect([gone.at("metadata.deletionGracePeriodSeconds"), gone.at("metadata.generation")]).toEqual([0, 2]);
    await api.post(path, pod("q", { nodeName: "n" }));
    await api.merge(`${path}/q/status`, { status: { phase: "Succeeded" } });
    await api.delete(`${path}/q`);
    for (const name of ["p", "q"]) expect((await api.get(`${path}/${name}`)).status).toBe(404);
  });

  test("KIND-Pod-20: classes and accounts may be missing, and nothing is added to what a client says", async () => {
    const path = await place("v1 pods");
    const named = { priorityClassName: "none", runtimeClassName: "none", serviceAccountName: "none" };
    const made = await api.post(path, pod("p", named));
    expect(made.status).toBe(201);
    expect(Object.keys(made.body["spec"] as object)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(priority|tolerations|volumes)$/)]),
    );
  });

  test("KIND-Pod-21: privileged containers are taken", async () => {
    const privileged = { containers: [{ name: "a", image: "a", securityContext: { privileged: true } }] };
    expect((await api.post(await place("v1 pods"), pod("p", privileged))).status).toBe(201);
  });

  test("KIND-Pod-24: one controller at most; owners have all their members, and are no Events", async () => {
    const path = await place("v1 pods");
    const owner = { apiVersion: "v1", kind: "Pod", name: "o", uid: "u", controller: true };
    const causes = async (...ownerReferences: object[]): Promise<unknown> =>
      (await api.post(path, { ...pod("p"), metadata: { name: "p", ownerReferences } }, { dryRun: "All" })).causes;
    expect(await causes(owner, { ...owner, name: "p", uid: "v" })).toEqual([
      "FieldValueInvalid metadata.ownerReferences",
    ]);
    expect(await causes({ ...owner, kind: "Event" })).toEqual(["FieldValueInvalid metadata.ownerReferences"]);
    expect(await causes({})).toEqual(
      ["apiVersion", "kind", "name", "uid"].map((member) =>
        expect.stringMatching(`metadata.ownerReferences(\\[0\\])?.${member}$`),
      ),
    );
  });

  /** Cells of the first four columns behind the name. */
  async function cells(status: object, more: object = {}, metadata: object = {}): Promise<unknown[]> {
    const path = await place("v1 pods");
    await api.post(path, { metadata: { name: "p", ...metadata }, spec: { containers, ...more } });
    await api.merge(`${path}/p/status`, { status });
    const accept = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };
    const table = (await api.get(`${path}/p`, {}, accept)).body as { rows: { cells: unknown[] }[] };
    return table.rows[0]!.cells.slice(1, 4);
  }
  const ended = (more: object): object => ({
    name: "a",
    image: "a",
    imageID: "",
    ready: false,
    restartCount: 0,
    state: { terminated: { exitCode: 0, ...more } },
  });
  const two = { containers: [...containers, { name: "b", image: "b" }] };
  const runs = { name: "b", image: "b", imageID: "", ready: true, restartCount: 3, state: { running: {} } };

  test.each<[string, object, object, unknown[]]>([
    ["a phase", { phase: "Running" }, {}, ["0/1", "Running", "0"]],
    ["the reason of the status", { phase: "Failed", reason: "Evicted" }, {}, ["0/1", "Evicted", "0"]],
    ["gated", {}, { schedulingGates: [{ name: "a/b" }] }, ["0/1", "SchedulingGated", "0"]],
    ["a code", { containerStatuses: [ended({ exitCode: 3 })] }, {}, ["0/1", "ExitCode:3", "0"]],
    ["a signal", { containerStatuses: [ended({ exitCode: 3, signal: 9 })] }, {}, ["0/1", "Signal:9", "0"]],
    [
      "one of two has ended",
      { phase: "Running", containerStatuses: [ended({ reason: "Completed" }), runs] },
      two,
      ["1/2", "NotReady", "3"],
    ],
    [
      "init containers run",
      {
        initContainerStatuses: [
          { ...ended({}), name: "i" },
          { ...runs, name: "j", ready: false, state: { waiting: { reason: "PodInitializing" } } },
        ],
      },
      {
        initContainers: [
          { name: "i", image: "i" },
          { name: "j", image: "j" },
        ],
      },
      ["0/1", "Init:1/2", "3"],
    ],
    [
      "an init container has failed",
      { initContainerStatuses: [{ ...ended({ exitCode: 2 }), name: "i" }] },
      { initContainers: [{ name: "i", image: "i" }] },
      ["0/1", "Init:ExitCode:2", "0"],
    ],
  ])("KIND-Pod-23: the columns of a Pod show %s", async (_, status, more, expected) => {
    expect(await cells(status, more)).toEqual(expected);
  });

  test("KIND-Pod-23: one that is being deleted is Terminating, Unknown where its node is lost", async () => {
    const path = await place("v1 pods");
    const accept = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };
    const phase = async (): Promise<unknown> =>
      ((await api.get(`${path}/p`, {}, accept)).body as { rows: { cells: unknown[] }[] }).rows[0]!.cells[2];
    await api.post(path, pod("p", { nodeName: "n" }));
    await api.delete(`${path}/p`);
    expect(await phase()).toBe("Terminating");
    await api.merge(`${path}/p/status`, { status: { reason: "NodeLost" } });
    expect(await phase()).toBe("Unknown");
  });
});

describe("steps of admission", () => {
  test("KIND-PodAdmission-6: templates are left as they are", async () => {
    const path = await place("apps/v1 deployments", strict);
    const template = { ...podTemplate, spec: { containers, priorityClassName: "none" } };
    const made = await strict.post(path, { metadata: { name: "d" }, spec: { ...spec, template } });
    expect(made.status).toBe(201);
    expect(made.at("spec.template.spec.tolerations")).toBeUndefined();
    expect(made.at("spec.template.spec.priority")).toBeUndefined();
  });

  test("KIND-PodAdmission-7: fields that they add to an applied Pod are unowned, and a dry run is admitted alike", async () => {
    const path = await place("v1 pods", strict);
    const intent = { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec: { containers } };
    const dry = await strict.apply(`${path}/p`, "team", intent, { dryRun: "All" });
    const made = await strict.apply(`${path}/p`, "team", intent);
    for (const answer of [dry, made]) {
      expect(answer.at("spec.priority")).toBe(0);
      expect(answer.at("spec.tolerations")).toHaveLength(2);
      expect(answer.at("spec.serviceAccountName")).toBe("default");
      expect(answer.at("spec.volumes.0.projected.sources")).toHaveLength(3);
      expect(JSON.stringify(owners(answer))).not.toMatch(/f:(priority|tolerations|serviceAccountName|volumes)/);
    }
  });
});
