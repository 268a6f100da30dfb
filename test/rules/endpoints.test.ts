/** Paths, operations, and what each resource answers (EP-1..53, PAR-1, PAR-2, PAR-11). */
import { describe, expect, test } from "vitest";
import { adminToken } from "../../src/auth/admin.ts";
import { authenticatorChain } from "../../src/auth/chain.ts";
import { expectStatus } from "./answer.ts";
import { APPLY, JSON_TYPE, MERGE, fresh, serve } from "./api.ts";
import { RESOURCES, type Resource, collection, objectOf } from "./resources.ts";

const api = serve(
  {},
  {
    authenticator: ({ api: { clock, random } }) =>
      authenticatorChain({ clock, random, tokens: [adminToken("the-token-of-the-admin")], anonymous: () => false }),
  },
);

const IDS: Readonly<Record<string, string>> = {
  ConfigMap: "EP-30",
  Secret: "EP-31",
  LeaseCandidate: "EP-32, LC-1, VER-2",
  Event: "EP-33, EV-1, VER-4, EVT-1, EP-37",
  CSIDriver: "EP-38, CSID-1, VER-6",
  CSINode: "EP-39, CSIN-1, VER-6",
  CSIStorageCapacity: "EP-40, CAP-1, VER-6",
  StorageClass: "EP-41, SC-1, SC-19, VER-6",
  VolumeAttachment: "EP-42, VA-1, VER-6",
  VolumeAttributesClass: "EP-43, VAC-1, VER-6",
  StorageVersionMigration: "EP-44, SVM-1, VER-3",
  PersistentVolumeClaim: "EP-48, PVC-1, VER-5",
  PersistentVolume: "EP-49, PV-1, VER-5",
};

/** A new object of a resource, in a namespace of its own. */
async function create(r: Resource, metadata: object = {}) {
  const ns = fresh("ns");
  const name = fresh("n");
  const items = collection(r, ns);
  expectStatus(await api.post(items, objectOf(r, name, metadata)), 201);
  return { ns, name, items, item: `${items}/${name}` };
}

describe.each(RESOURCES.map((r) => ({ ...r, ids: IDS[r.kind]! })))("$kind", (r) => {
  test(`${r.ids}, EP-1, EP-2, EP-3, PAR-1, PAR-2: it is served at its path, with its kind`, async () => {
    const { ns, name, item } = await create(r);
    const got = await api.get(item);
    expect(got.status).toBe(200);
    expect(got.body).toMatchObject({ apiVersion: r.apiVersion, kind: r.kind, metadata: { name } });
    expect(got.at("metadata.namespace")).toBe(r.namespaced ? ns : undefined);
  });

  test(`${r.ids}, EP-20, EP-45, EP-51: a delete answers ${r.deleteReturns}, a delete of the collection a Status`, async () => {
    const { item, items, name } = await create(r, { labels: { only: "one" } });
    const { uid } = await api.get(item);
    const deleted = await api.delete(item);
    expect(deleted.status).toBe(200);
    const answers =
      r.deleteReturns === "object"
        ? { apiVersion: r.apiVersion, kind: r.kind, metadata: { name, uid } }
        : { apiVersion: "v1", kind: "Status", status: "Success", details: { name, kind: r.plural, uid } };
    expect(deleted.body).toMatchObject(answers);
    const label = fresh("l");
    await api.post(items, objectOf(r, name, { labels: { only: label } }));
    const all = await api.delete(items, { labelSelector: `only=${label}` });
    expect(all.status).toBe(200);
    expect(all.body).toMatchObject({ apiVersion: "v1", kind: "Status", status: "Success" });
    expect(all.body["items"]).toBeUndefined();
    expect((await api.get(item)).status).toBe(404);
  });

  test("EP-11, EP-15, EP-16, EP-18, EP-35, DEC-18: get, create, update and patch answer the resource", async () => {
    const ns = fresh("ns");
    const name = fresh("n");
    const items = collection(r, ns);
    const what = { apiVersion: r.apiVersion, kind: r.kind, metadata: { name } };
    const item = `${items}/${name}`;
    const answers = [
      await api.post(items, objectOf(r, name)),
      await api.get(item),
      await api.put(item, objectOf(r, name, { labels: { a: "b" } })),
      await api.merge(item, { metadata: { labels: { a: "c" } } }),
      await api.apply(item, "m", { ...what, metadata: { name, labels: { d: "e" } } }),
    ];
    expect(answers.map((answer) => answer.status)).toEqual([201, 200, 200, 200, 200]);
    for (const answer of answers) expect(answer.body).toMatchObject(what);
    const created = await api.apply(`${items}/${name}-2`, "m", objectOf(r, `${name}-2`));
    expectStatus(created, 201);
  });

  test("EP-4, EP-5, EP-7, EP-8, EP-13, EP-36, EP-46, EP-52, META-3, META-12, DEC-4: lists are of the list kind", async () => {
    const { items, name } = await create(r);
    const list = await api.get(items);
    expect(list.status).toBe(200);
    expect(list.body).toMatchObject({ apiVersion: r.apiVersion, kind: `${r.kind}List`, metadata: {} });
    expect(list.at("metadata.resourceVersion")).toMatch(/^\d+$/);
    expect(list.names).toContain(name);
    const item = (list.body["items"] as object[]).find((i) => JSON.stringify(i).includes(`"${name}"`));
    expect(item).toMatchObject({ apiVersion: r.apiVersion, kind: r.kind, metadata: { name } });
  });

  test("DEC-18: other methods on a path that exists are 405, a missing object is 404", async () => {
    const { item, items, name } = await create(r);
    expect((await api.post(item, objectOf(r, name))).status).toBe(405);
    expect((await api.put(items, objectOf(r, name))).status).toBe(405);
    expect((await api.patch(items, MERGE, {})).status).toBe(405);
    for (const answer of [
      await api.get(`${item}-x`),
      await api.delete(`${item}-x`),
      await api.merge(`${item}-x`, {}),
    ]) {
      expect(answer.status).toBe(404);
      expect(answer.body).toMatchObject({
        kind: "Status",
        apiVersion: "v1",
        status: "Failure",
        reason: "NotFound",
        code: 404,
        details: { name: `${name}-x`, kind: r.plural },
      });
    }
  });

  test("DEC-32, EP-16: a PUT on a missing name creates only Events and LeaseCandidates", async () => {
    const ns = fresh("ns");
    const name = fresh("n");
    const creates = ["Event", "LeaseCandidate"].includes(r.kind);
    const put = await api.put(`${collection(r, ns)}/${name}`, objectOf(r, name));
    expectStatus(put, creates ? 201 : 404);
    expect((await api.get(`${collection(r, ns)}/${name}`)).status).toBe(creates ? 200 : 404);
  });

  test("AUTH-1, EP-22, ERR-1: every operation answers 401 without acceptable credentials", async () => {
    const { item, items, name } = await create(r);
    const object = objectOf(r, name, { labels: { stolen: "yes" } });
    for (const authorization of ["Bearer wrong", "Basic YTpi", ""]) {
      const call = (method: string, path: string, body?: object, type = JSON_TYPE) =>
        api.send(method, path, body, {
          headers: { authorization, ...(body ? { "content-type": type } : {}) },
          identity: null,
        });
      const answers = [
        await call("GET", item),
        await call("GET", items),
        await call("POST", items, object),
        await call("PUT", item, object),
        await call("PATCH", item, object, MERGE),
        await call("PATCH", item, object, APPLY),
        await call("DELETE", item),
        await call("DELETE", items),
        ...(r.namespaced ? [await call("GET", `${r.prefix}/${r.plural}`)] : []),
        ...(r.status
          ? [
              await call("GET", `${item}/status`),
              await call("PUT", `${item}/status`, object),
              await call("PATCH", `${item}/status`, object, MERGE),
            ]
          : []),
      ];
      for (const answer of answers) {
        expect(answer.status).toBe(401);
        expect(answer.body).toMatchObject({ kind: "Status", reason: "Unauthorized", code: 401 });
      }
    }
    expect((await api.get(item)).at("metadata.labels")).toBeUndefined();
  });
});

test.each(RESOURCES.filter((r) => r.namespaced))(
  "EP-6, EP-14: $plural are listed across namespaces, and not created there",
  async (r) => {
    const one = await create(r);
    const other = await create(r);
    const list = await api.get(`${r.prefix}/${r.plural}`);
    expect(list.body).toMatchObject({ kind: `${r.kind}List` });
    expect(list.names).toEqual(expect.arrayContaining([one.name, other.name]));
    expectStatus(await api.post(`${r.prefix}/${r.plural}`, objectOf(r, fresh("n"))), 405);
  },
);

test.each(RESOURCES.filter((r) => !r.namespaced))("EP-9, PAR-11: $plural are in no namespace", async (r) => {
  const { name } = await create(r);
  expectStatus(await api.get(`${r.prefix}/namespaces/default/${r.plural}`), 404);
  expectStatus(await api.get(`${r.prefix}/namespaces/default/${r.plural}/${name}`), 404);
});

test.each(RESOURCES.filter((r) => !r.status))(
  "EP-34, LC-20, CM-13, SEC-11, EV-32, CSID-42, CSIN-21, CAP-15, SC-22, VAC-12: $plural have no status",
  async (r) => {
    const { item, name } = await create(r);
    expectStatus(await api.get(`${item}/status`), 404);
    expectStatus(await api.put(`${item}/status`, objectOf(r, name)), 404);
    expectStatus(await api.merge(`${item}/status`, {}), 404);
    expect((await api.get(item)).body["status"]).toBeUndefined();
  },
);

test.each(RESOURCES.filter((r) => r.status))(
  "EP-10, EP-12, EP-17, EP-19, EP-42, EP-44, EP-50: $plural have a status path with get, put and patch",
  async (r) => {
    const { item, name } = await create(r);
    const what = { apiVersion: r.apiVersion, kind: r.kind, metadata: { name } };
    const got = await api.get(`${item}/status`);
    expectStatus(got, 200);
    expect(got.body).toMatchObject({ ...what, ...r.minimal });
    const put = await api.put(`${item}/status`, got.sendable);
    expectStatus(put, 200);
    expect(put.body).toMatchObject(what);
    const patched = await api.merge(`${item}/status`, { status: {} });
    expectStatus(patched, 200);
    expect(patched.body).toMatchObject(what);
    expectStatus(await api.post(`${item}/status`, objectOf(r, name)), 405);
    expectStatus(await api.delete(`${item}/status`), 405);
  },
);

test("VOL-2: volumes have no path of their own", async () => {
  expect((await api.get("/api/v1/volumes")).status).toBe(404);
  expect((await api.get("/api/v1/namespaces/default/volumes")).status).toBe(404);
});

test("META-13, DEC-4: a list without objects has an empty items array", async () => {
  const list = await api.get(`/apis/events.svc.io/v1/namespaces/${fresh("ns")}/events`);
  expect(list.body).toMatchObject({ apiVersion: "events.svc.io/v1", kind: "EventList", items: [] });
});

test("DEC-18, CONV-1: an unknown group, version and resource answer 404 with a Status", async () => {
  for (const path of ["/apis/none.svc.io/v1/x", "/apis/storage.svc.io/v9/csidrivers", "/api/v1/nothings", "/nowhere"]) {
    const answer = await api.get(path);
    expect([path, answer.status]).toEqual([path, 404]);
    expect(answer.body).toMatchObject({ kind: "Status", reason: "NotFound", code: 404 });
  }
});
