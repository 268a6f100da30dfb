import { describe, expect, test } from "vitest";
import { acceptReport } from "../../src/meta/ownership-reports.ts";
import type { ApplyConflictReport, BlameReport } from "../../src/meta/ownership-reports.ts";
import { type Members } from "../rules/answer.ts";
import { APPLY, type Api, fresh, serve } from "../rules/api.ts";

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const BLAME = { accept: acceptReport("Blame") };
const EXPLAIN = { accept: `${acceptReport("ApplyConflict")}, application/json` };

const configMap = (name: string, data: Members): Members => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  data,
});

/** A ConfigMap whose `colour` two managers share and whose `size` a third one wrote. */
async function shared(api: Api): Promise<{ name: string; path: string }> {
  const name = fresh("shared");
  const path = `${CONFIG_MAPS}/${name}`;
  await api.apply(path, "alice", configMap(name, { colour: "red" }));
  // An apply that only adds itself to the owners has no time in the kubernetes dialect (DEC-14): give it something to write.
  await api.apply(path, "bob", configMap(name, { colour: "red", also: "bob's" }));
  await api.patch(path, "application/merge-patch+json", { data: { size: "3" } }, { fieldManager: "carol" });
  return { name, path };
}

describe.each(["neutral", "kubernetes"] as const)("reports of ownership in the %s dialect", (dialect) => {
  const api = serve({ dialect });

  const blameOf = async (path: string): Promise<BlameReport> => (await api.get(path, {}, BLAME)).body as never;

  test("OWN-6, OWN-12: blame names every leaf with its managers, operation and time", async () => {
    const { name, path } = await shared(api);
    const answer = await api.get(path, {}, BLAME);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/json"]);
    const report = answer.body as never as BlameReport;
    expect(report).toMatchObject({ kind: "Blame", apiVersion: "keelson.dev/v1", absent: [] });
    expect(report.object).toMatchObject({ apiVersion: "v1", kind: "ConfigMap", name, namespace: "default" });
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/) as string;
    expect(report.leaves.filter(({ field }) => /^\.data\.(colour|size)$/.test(field))).toEqual([
      {
        field: ".data.colour",
        pointer: "/data/colour",
        value: "red",
        managers: [
          { manager: "alice", operation: "Apply", apiVersion: "v1", time },
          { manager: "bob", operation: "Apply", apiVersion: "v1", time },
        ],
      },
      {
        field: ".data.size",
        pointer: "/data/size",
        value: "3",
        managers: [{ manager: "carol", operation: "Update", apiVersion: "v1", time }],
      },
    ]);
    expect(report.leaves.find(({ field }) => field === ".metadata.name")?.managers).toEqual([]);
    expect(report.leaves.some(({ field }) => field.includes("managedFields"))).toBe(false);
  });

  test("blame is there as YAML, and of a version that is asked for", async () => {
    const { path } = await shared(api);
    const yaml = await api.get(path, {}, { accept: "application/yaml;as=Blame;g=keelson.dev;v=v1" });
    expect([yaml.status, yaml.headers.get("content-type")]).toEqual([200, "application/yaml"]);
    expect(yaml.text).toMatch(/field: '?\.data\.colour'?\n/);
    const { object } = await blameOf(path);
    expect((await api.get(path, { resourceVersion: object.resourceVersion }, BLAME)).status).toBe(200);
    expect((await api.get(`${CONFIG_MAPS}/nobody`, {}, BLAME)).body).toMatchObject({ kind: "Status", code: 404 });
  });

  test("MF-1: writes through a subresource are blamed on it", async () => {
    const name = fresh("ns");
    const path = `/api/v1/namespaces/${name}`;
    await api.post("/api/v1/namespaces", { metadata: { name } });
    const condition = { type: "Checked", status: "True" };
    await api.merge(`${path}/status`, { status: { conditions: [condition] } }, { fieldManager: "checker" });
    const { leaves } = await blameOf(path);
    const leaf = leaves.find(({ field }) => field === '.status.conditions[type="Checked"].status');
    expect(leaf).toMatchObject({ value: "True", managers: [{ manager: "checker", subresource: "status" }] });
  });

  test.each([
    ["another group", "application/json;as=Blame;g=meta.k8s.io;v=v1"],
    ["another version", "application/json;as=Blame;g=keelson.dev;v=v2"],
    ["no group", "application/json;as=Blame"],
  ])("blame in %s is not acceptable", async (_what, accept) => {
    const { path } = await shared(api);
    expect((await api.get(path, {}, { accept })).status).toBe(406);
    expect((await api.get(path, {}, { accept: `${accept}, application/json` })).body).toMatchObject({
      kind: "ConfigMap",
    });
  });

  test("blame is of one object, not of lists or writes", async () => {
    const { path } = await shared(api);
    expect((await api.get(CONFIG_MAPS, {}, BLAME)).status).toBe(406);
    expect((await api.patch(path, "application/merge-patch+json", { data: { x: "1" } }, {}, BLAME)).status).toBe(406);
    expect((await api.get(path)).at("data.x")).toBeUndefined();
  });

  test("DEC-20: who does not ask for an explanation gets the Status as ever", async () => {
    const { name, path } = await shared(api);
    const body = configMap(name, { colour: "blue" });
    const plain = await api.apply(path, "dave", body);
    expect(plain.body).toMatchObject({ kind: "Status", reason: "Conflict", code: 409 });
    expect(Object.keys(plain.body)).toEqual([
      "kind",
      "apiVersion",
      "metadata",
      "status",
      "message",
      "reason",
      "details",
      "code",
    ]);
    for (const accept of ["*/*", "application/json", `application/json, ${acceptReport("ApplyConflict")}`]) {
      const again = await api.patch(path, APPLY, body, { fieldManager: "dave" }, { accept });
      expect(again.body).toEqual(plain.body);
    }
  });

  test("OWN-2, OWN-3: an explained conflict names values, owners, last writes; nothing is stored", async () => {
    const { name, path } = await shared(api);
    const before = await api.get(path);
    const body = configMap(name, { colour: "blue", size: "3" });
    const answer = await api.patch(path, APPLY, body, { fieldManager: "dave" }, EXPLAIN);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([409, "application/json"]);
    const plain = await api.apply(path, "dave", body);
    const report = answer.body as never as ApplyConflictReport;
    expect(report).toMatchObject({
      kind: "ApplyConflict",
      apiVersion: "keelson.dev/v1",
      status: "Failure",
      reason: "Conflict",
      code: 409,
      message: plain.body["message"],
      manager: "dave",
      object: { name, resourceVersion: before.resourceVersion },
    });
    expect(report.conflicts).toMatchObject([
      {
        field: ".data.colour",
        pointer: "/data/colour",
        current: "red",
        proposed: "blue",
        owners: [
          { manager: "alice", operation: "Apply" },
          { manager: "bob", time: expect.any(String) as string },
        ],
        waysOut: [{ choice: "keep" }, { choice: "take" }, { choice: "share" }],
      },
    ]);
    expect((await api.get(path)).text).toBe(before.text);
  });

  test.each([
    ["OWN-16", "keep", "red", ["alice", "bob"]],
    ["OWN-15", "take", "blue", ["dave"]],
    ["OWN-17", "share", "red", ["alice", "bob", "dave"]],
  ])("%s: the way out `%s` is a way out", async (_rule, choice, colour, owners) => {
    const { name, path } = await shared(api);
    const body = configMap(name, { colour: "blue", mine: "1" });
    const answer = await api.patch(path, APPLY, body, { fieldManager: "dave" }, EXPLAIN);
    const [conflict] = (answer.body as never as ApplyConflictReport).conflicts;
    const way = conflict!.waysOut.find((one) => one.choice === choice)!;
    const data = body["data"] as Members;
    for (const { op, path: at, value } of way.patch ?? []) {
      expect(at).toBe("/data/colour");
      if (op === "remove") delete data["colour"];
      else data["colour"] = value;
    }
    expect((await api.apply(path, "dave", body, { ...way.query })).status).toBe(200);
    const { leaves } = await blameOf(path);
    const leaf = leaves.find(({ field }) => field === ".data.colour");
    expect([leaf?.value, leaf?.managers.map(({ manager }) => manager).toSorted()]).toEqual([colour, owners]);
  });

  test("an apply without a conflict answers the object whatever was asked for beside it; alone it is not acceptable", async () => {
    const { name, path } = await shared(api);
    const body = configMap(name, { mine: "1" });
    expect((await api.patch(path, APPLY, body, { fieldManager: "dave" }, EXPLAIN)).at("data.mine")).toBe("1");
    const alone = { accept: acceptReport("ApplyConflict") };
    const refused = await api.patch(path, APPLY, configMap(name, { other: "1" }), { fieldManager: "dave" }, alone);
    expect(refused.status).toBe(406);
    expect((await api.get(path)).at("data.other")).toBeUndefined();
  });

  test("other refusals are Statuses also for those who ask for explanations", async () => {
    const { name, path } = await shared(api);
    const stale = { ...configMap(name, { mine: "1" }), metadata: { name, resourceVersion: "1" } };
    const answer = await api.patch(path, APPLY, stale, { fieldManager: "dave" }, EXPLAIN);
    expect(answer.body).toMatchObject({ kind: "Status", reason: "Conflict" });
  });

  test("an explanation is there as YAML and in dry runs", async () => {
    const { name, path } = await shared(api);
    const accept = { accept: "application/yaml;as=ApplyConflict;g=keelson.dev;v=v1, application/yaml" };
    const query = { fieldManager: "dave", dryRun: "All" };
    const answer = await api.patch(path, APPLY, configMap(name, { colour: "blue" }), query, accept);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([409, "application/yaml"]);
    expect(answer.text).toContain("kind: ApplyConflict");
  });

  test("keyed entries are explained by their key, places in the body by position", async () => {
    const name = fresh("pod");
    const path = `/api/v1/namespaces/default/pods/${name}`;
    const pod = (image: string): Members => ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name },
      spec: {
        containers: [
          { name: "b", image: "b:1" },
          { name: "a", image },
        ],
      },
    });
    const created = await api.apply(path, "alice", pod("a:1"));
    expect(created.status).toBe(201);
    const answer = await api.patch(path, APPLY, pod("a:2"), { fieldManager: "dave" }, EXPLAIN);
    expect((answer.body as never as ApplyConflictReport).conflicts).toMatchObject([
      {
        field: '.spec.containers[name="a"].image',
        pointer: "/spec/containers/1/image",
        current: "a:1",
        proposed: "a:2",
        owners: [{ manager: "alice" }],
      },
    ]);
    const { leaves } = await blameOf(path);
    const image = leaves.find(({ field }) => field === '.spec.containers[name="a"].image');
    expect(image).toMatchObject({ pointer: "/spec/containers/1/image", managers: [{ manager: "alice" }] });
  });
});
