/** Lists, selectors, pages and delete options: DEC-4, DEC-25, DEC-26, EP-6, EP-21. */
import { describe, expect, test } from "vitest";
import { fresh, serve } from "./api.ts";
import { RESOURCES, collection, objectOf, place } from "./resources.ts";

const api = serve();
const kube = serve({ dialect: "kubernetes" });

const maps = (ns: string): string => `/api/v1/namespaces/${ns}/configmaps`;

/** ConfigMaps of these names, each labelled with its name. */
async function filled(...names: string[]): Promise<string> {
  const items = maps(fresh("ns"));
  for (const name of names) await api.post(items, { metadata: { name, labels: { n: name, odd: "yes" } } });
  return items;
}

describe("order", () => {
  test("DEC-4: items are sorted by name, bytewise", async () => {
    const items = await filled("b", "a", "a-b", "a.b", "a0", "aa");
    expect((await api.get(items)).names).toEqual(["a", "a-b", "a.b", "a0", "aa", "b"]);
  });

  test("DEC-4: across namespaces they are sorted by the text namespace/name", async () => {
    const stem = fresh("order");
    const label = { labels: { stem } };
    for (const ns of [`${stem}0`, stem, `${stem}-x`]) {
      await api.post(maps(ns), { metadata: { name: "m", ...label } });
    }
    const list = await api.get("/api/v1/configmaps", { labelSelector: `stem=${stem}` });
    const namespaces = (list.body["items"] as { metadata: { namespace: string } }[]).map((i) => i.metadata.namespace);
    expect(namespaces).toEqual([`${stem}-x`, stem, `${stem}0`]);
  });

  test("DEC-4, kubernetes dialect: items of built-in kinds have neither kind nor apiVersion", async () => {
    const list = await kube.get("/api/v1/namespaces");
    const [first] = list.body["items"] as object[];
    expect(first).not.toHaveProperty("kind");
    expect(first).not.toHaveProperty("apiVersion");
  });
});

describe("selectors", () => {
  test.each([
    ["n=a", ["a"]],
    ["n==b", ["b"]],
    ["n!=a", ["b", "c"]],
    ["n in (a, c)", ["a", "c"]],
    ["n notin (a,c)", ["b"]],
    ["n", ["a", "b", "c"]],
    ["!n", []],
    ["!other", ["a", "b", "c"]],
    ["n,odd=yes,n!=b", ["a", "c"]],
    ["other!=x", ["a", "b", "c"]],
    ["", ["a", "b", "c"]],
  ])("DEC-25: the label selector %j finds %j", async (labelSelector, names) => {
    expect((await api.get(await filled("a", "b", "c"), { labelSelector })).names).toEqual(names);
  });

  test("DEC-25: labels are compared as numbers by < and >", async () => {
    const items = maps(fresh("ns"));
    for (const [name, n] of Object.entries({ a: "1", b: "5", c: "x" })) {
      await api.post(items, { metadata: { name, labels: { n } } });
    }
    expect((await api.get(items, { labelSelector: "n>1" })).names).toEqual(["b"]);
    expect((await api.get(items, { labelSelector: "n<5" })).names).toEqual(["a"]);
  });

  test.each(["n in", "n in (", "=a", "n=a,,", "n in (a", "a b"])(
    "DEC-25: the label selector %j is 400",
    async (labelSelector) => {
      expect((await api.get(maps("default"), { labelSelector })).status).toBe(400);
    },
  );

  test.each([
    ["metadata.name=b", ["b"]],
    ["metadata.name!=b", ["a", "c"]],
    ["metadata.name=none", []],
  ])("DEC-25: the field selector %s finds %j", async (fieldSelector, names) => {
    expect((await api.get(await filled("a", "b", "c"), { fieldSelector })).names).toEqual(names);
  });

  test("DEC-25: the namespace can be selected across namespaces", async () => {
    const stem = fresh("fs");
    for (const ns of [`${stem}-1`, `${stem}-2`]) await api.post(maps(ns), { metadata: { name: stem } });
    const query = { fieldSelector: `metadata.namespace=${stem}-2,metadata.name=${stem}` };
    expect((await api.get("/api/v1/configmaps", query)).names).toEqual([stem]);
  });

  test.each(RESOURCES)("DEC-25: $plural are selected by labels and by name, and by no unknown field", async (r) => {
    const items = collection(r, fresh("ns"));
    const [a, b] = [fresh("n"), fresh("n")];
    await api.post(items, objectOf(r, a, { labels: { l: a } }));
    await api.post(items, objectOf(r, b, { labels: { l: b } }));
    expect((await api.get(items, { labelSelector: `l=${b}` })).names).toEqual([b]);
    expect((await api.get(items, { fieldSelector: `metadata.name=${a}` })).names).toEqual([a]);
    expect((await api.get(items, { fieldSelector: "spec.none=x" })).status).toBe(400);
  });
});

describe("pages", () => {
  test("DEC-25: limit and continue show all, as of the first page, with what remains", async () => {
    const items = await filled("a", "b", "c", "d", "e");
    const first = await api.get(items, { limit: "2" });
    expect([first.names, first.at("metadata.remainingItemCount")]).toEqual([["a", "b"], 3]);
    await api.delete(`${items}/c`);
    await api.post(items, { metadata: { name: "cc" } });
    const second = await api.get(items, { limit: "2", continue: String(first.at("metadata.continue")) });
    expect([second.names, second.at("metadata.remainingItemCount")]).toEqual([["c", "d"], 1]);
    expect(second.at("metadata.resourceVersion")).toBe(first.at("metadata.resourceVersion"));
    const third = await api.get(items, { limit: "2", continue: String(second.at("metadata.continue")) });
    expect([third.names, third.at("metadata.continue"), third.at("metadata.remainingItemCount")]).toEqual([
      ["e"],
      undefined,
      undefined,
    ]);
    expect((await api.get(items)).names).toEqual(["a", "b", "cc", "d", "e"]);
  });

  test("DEC-25: with a selector it is not told what remains", async () => {
    const items = await filled("a", "b", "c");
    const page = await api.get(items, { limit: "1", labelSelector: "odd=yes" });
    expect([page.names, page.at("metadata.remainingItemCount")]).toEqual([["a"], undefined]);
    const query = { limit: "5", labelSelector: "odd=yes", continue: String(page.at("metadata.continue")) };
    expect((await api.get(items, query)).names).toEqual(["b", "c"]);
  });

  test("DEC-25: a list of one name is whole, whatever the limit and whatever comes after it", async () => {
    const items = await filled("a", "b", "c");
    const page = await api.get(items, { limit: "1", fieldSelector: "metadata.name=a" });
    expect([page.names, page.at("metadata.continue")]).toEqual([["a"], undefined]);
  });

  test.each(["0", "-1"])("DEC-25: a limit of %s is none", async (limit) => {
    expect((await api.get(await filled("a", "b"), { limit })).names).toEqual(["a", "b"]);
  });

  test("DEC-25, DEC-27: any page size is served", async () => {
    expect((await api.get(await filled("a", "b"), { limit: "100000" })).names).toEqual(["a", "b"]);
  });

  test("DEC-25: a token with a version other than 0, or malformed, is 400", async () => {
    const items = await filled("a", "b");
    const token = String((await api.get(items, { limit: "1" })).at("metadata.continue"));
    expect((await api.get(items, { limit: "1", continue: token, resourceVersion: "5" })).status).toBe(400);
    expect((await api.get(items, { limit: "1", continue: "e30" })).status).toBe(400);
    expect((await api.get(items, { limit: "1", continue: token, resourceVersion: "0" })).status).toBe(200);
  });
});

describe("versions", () => {
  test("DEC-25: unset is the present, 0 any, another not older, Exact exactly that", async () => {
    const items = await filled("a");
    const at = String((await api.get(items)).at("metadata.resourceVersion"));
    await api.post(items, { metadata: { name: "b" } });
    const names = async (query: Record<string, string>) => (await api.get(items, query)).names;
    expect(await names({})).toEqual(["a", "b"]);
    expect(await names({ resourceVersion: "0" })).toEqual(["a", "b"]);
    expect(await names({ resourceVersion: at })).toEqual(["a", "b"]);
    expect(await names({ resourceVersion: at, resourceVersionMatch: "NotOlderThan" })).toEqual(["a", "b"]);
    expect(await names({ resourceVersion: at, resourceVersionMatch: "Exact" })).toEqual(["a"]);
    expect(await names({ resourceVersion: at, limit: "5" })).toEqual(["a"]);
    expect(await names({ resourceVersion: "0", limit: "1" })).toEqual(["a", "b"]);
  });

  test.each([
    [{ resourceVersionMatch: "Exact" }],
    [{ resourceVersion: "0", resourceVersionMatch: "Exact" }],
    [{ resourceVersion: "5", resourceVersionMatch: "Odd" }],
  ])("DEC-25: the options %j are 422", async (query) => {
    expect((await api.get(maps("default"), query)).status).toBe(422);
  });
});

describe("delete", () => {
  const made = async (finalizers: string[] = []) => {
    const at = place("ConfigMap");
    const answer = await api.post(at.collection, { metadata: { name: at.name, finalizers } });
    return { ...at, answer };
  };

  test("DEC-26: preconditions in the body and in the query", async () => {
    const { item, answer } = await made();
    const { uid, resourceVersion } = answer;
    for (const preconditions of [{ uid: "other" }, { resourceVersion: "1" }, { uid: "" }]) {
      const refused = await api.delete(item, {}, { preconditions });
      expect([refused.status, refused.body["reason"]]).toEqual([409, "Conflict"]);
    }
    expect((await api.delete(item, { uid: "other" })).status).toBe(409);
    expect((await api.delete(item, { resourceVersion: "1" })).status).toBe(409);
    expect((await api.delete(item, {}, { preconditions: { uid, resourceVersion } })).status).toBe(200);
  });

  test("DEC-26: DeleteOptions may have any apiVersion, but no other kind", async () => {
    for (const apiVersion of ["v1", "meta.svc.io/v1", "storage.svc.io/v1"]) {
      const { item } = await made();
      expect((await api.delete(item, {}, { kind: "DeleteOptions", apiVersion })).status).toBe(200);
    }
    const { item } = await made();
    expect((await api.delete(item, {}, { kind: "ConfigMap", apiVersion: "v1" })).status).toBe(400);
    expect((await api.delete(item, {}, "{")).status).toBe(400);
    expect((await api.delete(item, {}, { unknown: 1 })).status).toBe(200);
  });

  test("DEC-26: with a body the query is ignored; an empty body counts as none", async () => {
    const { item } = await made();
    await api.delete(item, { dryRun: "All" }, "");
    expect((await api.get(item)).status).toBe(200);
    await api.delete(item, { dryRun: "All" }, {});
    expect((await api.get(item)).status).toBe(404);
  });

  test("DEC-26: dryRun in the body", async () => {
    const { item } = await made();
    expect((await api.delete(item, {}, { dryRun: ["All"] })).status).toBe(200);
    expect((await api.get(item)).status).toBe(200);
  });

  test.each([
    [{ propagationPolicy: "Foreground", orphanDependents: true }],
    [{ propagationPolicy: "Odd" }],
    [{ dryRun: ["Some"] }],
  ])("DEC-26: the options %j are 422", async (options) => {
    const { item } = await made();
    expect((await api.delete(item, {}, options)).status).toBe(422);
    expect((await api.get(item)).status).toBe(200);
  });

  test("DEC-26, AMB-41: a kind that answers a Status does so while finalizers are pending", async () => {
    const { item, name, answer } = await made(["x.io/a"]);
    const deleted = await api.delete(item);
    expect(deleted.status).toBe(200);
    expect(deleted.body).toMatchObject({ kind: "Status", status: "Success", details: { name, uid: answer.uid } });
    expect((await api.get(item)).at("metadata.deletionTimestamp")).toMatch(/Z$/);
    await api.merge(item, { metadata: { finalizers: null } });
  });

  test("DEC-26: a kind that answers the object shows that it is being deleted", async () => {
    const at = place("CSIDriver");
    await api.post(at.collection, { metadata: { name: at.name, finalizers: ["x.io/a"] }, spec: {} });
    const deleted = await api.delete(at.item);
    expect([deleted.status, deleted.body["kind"]]).toEqual([200, "CSIDriver"]);
    expect(deleted.at("metadata.deletionTimestamp")).toMatch(/Z$/);
    await api.merge(at.item, { metadata: { finalizers: null } });
    expect((await api.get(at.item)).status).toBe(404);
  });

  test("DEC-26, kubernetes dialect: then every kind answers the object", async () => {
    const item = `${maps("default")}/${fresh("n")}`;
    await kube.post(maps("default"), { metadata: { name: item.split("/").at(-1), finalizers: ["x.io/a"] } });
    expect((await kube.delete(item)).body["kind"]).toBe("ConfigMap");
  });

  test("DEC-26, DEC-18: foreground deletion waits behind its finalizer with 202, orphaning behind its own", async () => {
    const foreground = await made();
    const first = await api.delete(foreground.item, { propagationPolicy: "Foreground" });
    const after = await api.get(foreground.item);
    expect([first.status, after.at("metadata.finalizers")]).toEqual([202, ["foregroundDeletion"]]);
    const orphan = await made();
    const second = await api.delete(orphan.item, { propagationPolicy: "Orphan" });
    expect([second.status, (await api.get(orphan.item)).at("metadata.finalizers")]).toEqual([200, ["orphan"]]);
    for (const { item } of [foreground, orphan]) {
      await api.merge(item, { metadata: { finalizers: null } });
      expect((await api.get(item)).status).toBe(404);
    }
  });

  test("DEC-26: Background removes at once", async () => {
    const { item } = await made();
    expect((await api.delete(item, { propagationPolicy: "Background" })).status).toBe(200);
    expect((await api.get(item)).status).toBe(404);
  });
});

describe("delete collection", () => {
  test.each(RESOURCES)("EP-21, DEC-26: of $plural takes selectors, in its namespace only", async (r) => {
    const ns = fresh("ns");
    const items = collection(r, ns);
    const label = fresh("l");
    const names = [fresh("n"), fresh("n"), fresh("n")];
    for (const name of names) await api.post(items, objectOf(r, name, { labels: { set: label, name } }));
    const other = collection(r, fresh("ns"));
    if (r.namespaced) await api.post(other, objectOf(r, names[0]!, { labels: { set: label, name: names[0] } }));
    await api.delete(items, { fieldSelector: `metadata.name=${names[1]}` });
    expect((await api.get(items, { labelSelector: `set=${label}` })).names).toEqual([names[0], names[2]]);
    const all = await api.delete(items, { labelSelector: `set=${label}` });
    expect(all.body).toMatchObject({ kind: "Status", apiVersion: "v1", status: "Success" });
    expect((await api.get(items, { labelSelector: `set=${label}` })).names).toEqual([]);
    const left = r.namespaced ? [names[0]] : [];
    expect((await api.get(other, { labelSelector: `set=${label}` })).names).toEqual(left);
  });

  test("EP-21, AMB-48, kubernetes dialect: it answers the list of what was deleted", async () => {
    const label = fresh("l");
    await kube.post(maps("default"), { metadata: { name: label, labels: { l: label } } });
    const answer = await kube.delete(maps("default"), { labelSelector: `l=${label}` });
    expect([answer.status, answer.body["kind"], answer.names]).toEqual([200, "ConfigMapList", [label]]);
  });
});
