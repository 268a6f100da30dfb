/** Query parameters: PAR-1..19, DEC-21, DEC-23, DEC-24. */
import { describe, expect, test } from "vitest";
import { expectStatus } from "./answer.ts";
import { fresh, serve } from "./api.ts";
import { EVENT, RESOURCES, collection, objectOf, place } from "./resources.ts";

const api = serve();

describe.each(RESOURCES)("$kind", (r) => {
  const made = async () => {
    const ns = fresh("ns");
    const name = fresh("n");
    const items = collection(r, ns);
    const answer = await api.post(items, objectOf(r, name));
    expectStatus(answer, 201);
    return { name, items, item: `${items}/${name}`, answer };
  };

  const labelled = (name: string): object => objectOf(r, name, { labels: { a: "1" } });
  const label = { metadata: { labels: { a: "1" } } };

  test("PAR-4, PAR-9, PAR-10, PAR-15, PAR-16, PAR-17, PAR-18, PAR-19, DEC-21, DEC-23, AMB-10: a dry run answers and stores nothing", async () => {
    const { items, item, name, answer } = await made();
    const dryRun = "All";
    using watch = await api.watch(items, { resourceVersion: answer.resourceVersion });
    const created = await api.post(items, objectOf(r, `${name}-2`), { dryRun });
    expect([created.status, created.at("metadata.resourceVersion")]).toEqual([201, undefined]);
    expect(created.at("metadata.uid")).toMatch(/-/);
    const writes = [
      await api.put(item, labelled(name), { dryRun }),
      await api.merge(item, label, { dryRun }),
      await api.apply(item, "m", { apiVersion: r.apiVersion, kind: r.kind, ...label }, { dryRun }),
    ];
    for (const write of writes) expect([write.status, write.at("metadata.labels")]).toEqual([200, { a: "1" }]);
    expect((await api.apply(`${item}-3`, "m", objectOf(r, `${name}-3`), { dryRun })).status).toBe(201);
    expect((await api.delete(item, { dryRun })).status).toBe(200);
    expect((await api.delete(items, { dryRun })).status).toBe(200);
    expect((await api.get(`${item}-2`)).status).toBe(404);
    expect((await api.get(`${item}-3`)).status).toBe(404);
    expect((await api.get(item)).body).toEqual(answer.body);
    await api.merge(item, { metadata: { labels: { last: "1" } } });
    expect(await watch.take(1)).toEqual([`MODIFIED ${name}`]);
  });

  test("PAR-6, PAR-9, PAR-10, DEC-21, DEC-24: fieldValidation ignores, warns of or refuses unknown fields", async () => {
    const { items, item, name } = await made();
    const odd = { oddField: 1 };
    const write = {
      POST: (fieldValidation?: string) => api.post(items, { ...objectOf(r, fresh("n")), ...odd }, { fieldValidation }),
      PUT: (fieldValidation?: string) => api.put(item, { ...objectOf(r, name), ...odd }, { fieldValidation }),
      PATCH: (fieldValidation?: string) => api.merge(item, odd, { fieldValidation }),
    };
    for (const [method, send] of Object.entries(write)) {
      const ignored = await send("Ignore");
      expect([method, ignored.status < 300, ignored.warnings]).toEqual([method, true, []]);
      for (const value of ["Warn", "", undefined]) {
        const warned = await send(value);
        expect([method, warned.status < 300, warned.warnings]).toEqual([method, true, ['unknown field "oddField"']]);
        expect(warned.body).not.toHaveProperty("oddField");
      }
      const strict = await send("Strict");
      expect([method, strict.status]).toEqual([method, method === "PATCH" ? 422 : 400]);
      expect(strict.text).toContain("oddField");
      expect((await send("strict")).status).toBe(422);
    }
  });

  test("PAR-3, PAR-9, PAR-10, PAR-12, DEC-21: pretty indents", async () => {
    const { items, item, name } = await made();
    const answers = (query: Record<string, string>) =>
      Promise.all([
        api.get(item, query),
        api.get(items, query),
        api.put(item, objectOf(r, name), query),
        api.merge(item, {}, query),
      ]);
    for (const value of ["true", "1"]) {
      for (const { text } of await answers({ pretty: value })) expect(text).toMatch(/^\{\n +"/);
    }
    for (const query of [{}, { pretty: "false" }, { pretty: "yes" }]) {
      for (const { text } of await answers(query as Record<string, string>)) expect(text.trimEnd()).not.toContain("\n");
    }
  });

  test("PAR-5, PAR-9, DEC-21: fieldManager names the manager of every write", async () => {
    const { items, item, name } = await made();
    const query = { fieldManager: "me" };
    const changed = objectOf(r, fresh("n"), { labels: { a: "1" } });
    for (const answer of [
      await api.post(items, changed, query),
      await api.put(item, labelled(name), query),
      await api.merge(item, { metadata: { labels: { b: "1" } } }, query),
    ]) {
      expect(answer.owners["me Update"]).toEqual(expect.arrayContaining([expect.stringContaining("metadata.labels")]));
    }
  });

  test("PAR-7, APPLY-5, PAR-17: force overrides conflicts", async () => {
    const { item } = await made();
    const { apiVersion, kind } = r;
    const body = (value: string): object => ({ apiVersion, kind, metadata: { labels: { a: value } } });
    await api.apply(item, "x", body("1"));
    expect((await api.apply(item, "y", body("2"))).status).toBe(409);
    expect((await api.apply(item, "y", body("2"), { force: "false" })).status).toBe(409);
    expect((await api.apply(item, "y", body("2"), { force: "true" })).status).toBe(200);
  });

  test("DEC-21: unknown parameters are ignored", async () => {
    const { item, items } = await made();
    expect((await api.get(item, { colour: "red" })).status).toBe(200);
    expect((await api.get(items, { colour: "red" })).status).toBe(200);
    expect((await api.merge(item, {}, { colour: "red" })).status).toBe(200);
  });
});

describe("pretty for people", () => {
  test.each(["curl/8.1", "Wget/1.2", "Mozilla/5.0 (X11)"])("DEC-21: %s gets indented answers", async (agent) => {
    const path = "/api/v1/namespaces/default/configmaps";
    expect((await api.get(path, {}, { "user-agent": agent })).text).toMatch(/^\{\n +"/);
    expect((await api.get(path, { pretty: "false" }, { "user-agent": agent })).text.trimEnd()).not.toContain("\n");
  });
});

describe("fieldValidation in detail", () => {
  const post = (text: string, fieldValidation?: string) => {
    const at = place("ConfigMap");
    return api.post(at.collection, text.replace("NAME", at.name), { fieldValidation });
  };

  test("DEC-24: duplicate and nested unknown fields are reported by their paths", async () => {
    const doubled = '{"metadata":{"name":"NAME","colour":"red"},"data":{"a":"1","a":"2"}}';
    const warned = await post(doubled);
    expect(warned.status).toBe(201);
    expect(warned.warnings).toEqual(
      expect.arrayContaining([expect.stringContaining("data.a"), 'unknown field "metadata.colour"']),
    );
    const strict = await post(doubled, "Strict");
    expect([strict.status, strict.text]).toEqual([400, expect.stringContaining("metadata.colour")]);
    expect((await post(doubled, "Ignore")).warnings).toEqual([]);
  });

  test("DEC-24: an answer that refuses has the warnings as well", async () => {
    const refused = await post('{"metadata":{"name":"NAME"},"odd":1,"data":{"a b":""}}');
    expect([refused.status, refused.warnings]).toEqual([422, ['unknown field "odd"']]);
  });
});

describe("Event", () => {
  const events = async (count: number) => {
    const at = place("Event");
    for (let i = 0; i < count; i++) await api.post(at.collection, { metadata: { name: `e${i}` }, ...EVENT });
    return at.collection;
  };

  test("PAR-13, PAR-14: lists have continue, limit, pretty and watch, in a namespace and across all", async () => {
    const items = await events(3);
    for (const path of [items, "/apis/events.svc.io/v1/events"]) {
      const seen: string[] = [];
      let next: string | undefined;
      do {
        const page = await api.get(path, { limit: "2", continue: next, pretty: "true" });
        expect(page.names.length).toBeLessThanOrEqual(2);
        seen.push(...page.names);
        next = page.at("metadata.continue") as string | undefined;
      } while (next);
      expect(seen.length).toBeGreaterThanOrEqual(3);
      using watch = await api.watch(path);
      expect((await watch.next())?.type).toBe("ADDED");
    }
  });

  test("PAR-12, PAR-18, AMB-3: get has pretty; delete has dryRun and pretty", async () => {
    const items = await events(1);
    expect((await api.get(`${items}/e0`, { pretty: "true" })).text).toContain("\n  ");
    expect((await api.delete(`${items}/e0`, { dryRun: "All", pretty: "true" })).status).toBe(200);
    expect((await api.get(`${items}/e0`)).status).toBe(200);
  });

  test("PAR-19, DEC-26: delete collection has continue, dryRun and limit", async () => {
    const items = await events(5);
    await api.delete(items, { dryRun: "All" });
    expect((await api.get(items)).names).toHaveLength(5);
    const first = await api.delete(items, { limit: "2" });
    expect([first.status, first.body["kind"]]).toEqual([200, "Status"]);
    expect((await api.get(items)).names).toHaveLength(3);
    await api.delete(items);
    expect((await api.get(items)).names).toEqual([]);
  });
});

test("PAR-1, PAR-2: name and namespace are parts of the path", async () => {
  const at = place("ConfigMap");
  await api.post(at.collection, { metadata: { name: at.name } });
  const got = await api.get(at.item, { name: "other", namespace: "other" });
  expect([got.at("metadata.name"), got.at("metadata.namespace")]).toEqual([at.name, at.ns]);
});
