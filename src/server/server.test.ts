import { gzipSync } from "node:zlib";
import { describe, expect, test, vi } from "vitest";
import { registryOf } from "../registry/testing/registry.ts";
import type { InjectResponse } from "./http/inject.ts";
import { KINDS } from "./testing/kinds.ts";
import { testServer } from "./testing/test-server.ts";

const CM = "/api/v1/namespaces/n/configmaps";
const JSON_TYPE = { "content-type": "application/json" };
const object = (name: string, over: object = {}) => ({
  kind: "ConfigMap",
  apiVersion: "v1",
  metadata: { name, namespace: "n" },
  data: { k: "v" },
  ...over,
});
const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";

describe("objects", () => {
  test("EP-10: get responds with the bytes of the cache, with a line end", async () => {
    const { ask, put, resource } = await testServer();
    await put(object("a"));
    const response = await ask("GET", `${CM}/a`);
    const configmaps = resource("configmaps");
    const entry = await configmaps.get({ namespace: "n", name: "a", subresource: "" }, { resourceVersion: "" });
    expect(response.code).toBe(200);
    expect(response.headers).toMatchObject({
      "content-type": "application/json",
      "cache-control": "no-cache, private",
    });
    expect(await response.text()).toBe(`${Buffer.from(configmaps.view(entry)).toString()}\n`);
  });

  test("DEC-18: what is not there is a Status 404 with the plural", async () => {
    const { json } = await testServer();
    const { code, body } = await json("GET", `${CM}/none`);
    expect(code).toBe(404);
    expect(body).toMatchObject({
      kind: "Status",
      reason: "NotFound",
      details: { name: "none", kind: "configmaps" },
      code: 404,
    });
  });

  test("EP-15: create responds with 201 and tells warnings; its manager is the one named, or the user agent", async () => {
    const { json } = await testServer();
    const text = JSON.stringify(object("a")).replace('"data":{"k":"v"}', '"data":{"k":"v","k":"w"}');
    const response = await json("POST", `${CM}?fieldManager=m`, { body: text, headers: JSON_TYPE });
    expect(response).toMatchObject({ code: 201, body: { data: { k: "w" } } });
    expect(response.headers["warning"]).toEqual(['299 - "duplicate field \\"data.k\\""']);
    const unnamed = await json("POST", CM, { body: JSON.stringify(object("b")), headers: JSON_TYPE });
    const managers = [response, unnamed].map(({ body }) => body.metadata.managedFields[0].manager as string);
    expect(managers).toEqual(["m", "tester"]);
  });

  test("EP-15: a create that is a dry run responds as one that is none, and stores nothing", async () => {
    const { ask, json } = await testServer();
    const body = JSON.stringify(object("a"));
    expect(await json("POST", `${CM}?dryRun=All`, { body })).toMatchObject({ code: 201, body: { data: { k: "v" } } });
    expect((await ask("GET", `${CM}/a`)).code).toBe(404);
  });

  test("DEC-17: a create takes YAML, no media type at all, and refuses others with 415", async () => {
    const { ask } = await testServer();
    const yaml = 'kind: ConfigMap\napiVersion: v1\nmetadata: {name: yaml, namespace: "n"}\n';
    expect(
      (await ask("POST", CM, { body: yaml, headers: { "content-type": "application/yaml; charset=utf-8" } })).code,
    ).toBe(201);
    expect((await ask("POST", CM, { body: JSON.stringify(object("j")) })).code).toBe(201);
    expect((await ask("POST", CM, { body: "x", headers: { "content-type": "text/plain" } })).code).toBe(415);
  });

  test.each([
    ["application/json-patch+json", [{ op: "replace", path: "/data/k", value: "w" }], 200],
    ["application/merge-patch+json", { data: { k: "w" } }, 200],
    ["application/merge-patch+json; charset=utf-8", { data: { k: "w" } }, 200],
    ["application/strategic-merge-patch+json", { data: { $patch: "replace", k: "w" } }, 200],
    ["application/Merge-Patch+json", { data: { k: "w" } }, 415],
    ["application/merge-patch+json ; q=1", { data: { k: "w" } }, 415],
    ["application/json", { data: { k: "w" } }, 415],
  ])("DEC-17: a patch of type %s, %j, is %i", async (type, patch, code) => {
    const { ask, json, put } = await testServer();
    await put(object("a"));
    const response = await ask("PATCH", `${CM}/a`, { body: JSON.stringify(patch), headers: { "content-type": type } });
    expect(response.code).toBe(code);
    expect((await json("GET", `${CM}/a`)).body.data).toEqual({ k: code === 200 ? "w" : "v" });
  });

  test("DEC-22: an apply patch is YAML, and takes over what is another's only by force", async () => {
    const { json, put } = await testServer();
    await put(object("a"));
    const headers = { "content-type": "application/apply-patch+yaml" };
    const body = "apiVersion: v1\nkind: ConfigMap\ndata: {k: w}";
    expect((await json("PATCH", `${CM}/a?fieldManager=m`, { body, headers })).code).toBe(409);
    const response = await json("PATCH", `${CM}/a?fieldManager=m&force=1`, { body, headers });
    expect(response).toMatchObject({ code: 200, body: { data: { k: "w" } } });
    expect(response.body.metadata.managedFields[0]).toMatchObject({ manager: "m", operation: "Apply" });
  });

  test("DEC-26: a delete responds with a Status or the object, and a body beats the query", async () => {
    const { ask, json, put } = await testServer();
    await put(object("a"));
    await put({ kind: "Widget", metadata: { name: "w" } });
    const first = await json("DELETE", `${CM}/a?dryRun=All`, { body: '{"gracePeriodSeconds":3}' });
    expect(first).toMatchObject({ code: 200, body: { kind: "Status", status: "Success", details: { name: "a" } } });
    expect((await ask("GET", `${CM}/a`)).code).toBe(404);
    const second = await json("DELETE", "/apis/example.com/v1/widgets/w?dryRun=All");
    expect(second).toMatchObject({ code: 200, body: { metadata: { name: "w" } } });
    expect((await ask("GET", "/apis/example.com/v1/widgets/w")).code).toBe(200);
  });

  test("EP-21: a delete of a collection takes what list and delete options choose", async () => {
    const { ask, json, put } = await testServer();
    for (const [name, a] of [
      ["o1", "b"],
      ["o2", "c"],
      ["o3", "b"],
      ["o4", "b"],
    ]) {
      await put(object(name!, { metadata: { name, namespace: "n", labels: { a } } }));
    }
    const names = async () =>
      (await json("GET", CM)).body.items.map((item: { metadata: { name: string } }) => item.metadata.name) as string[];
    const collection = `${CM}?labelSelector=a%3Db&limit=2`;
    expect((await ask("DELETE", collection, { body: '{"dryRun":["All"]}' })).code).toBe(200);
    expect(await names()).toEqual(["o1", "o2", "o3", "o4"]);
    expect((await ask("DELETE", collection, { body: '{"propagationPolicy":"Background"}' })).code).toBe(200);
    expect(await names()).toEqual(["o2", "o4"]);
  });

  test("a namespace is an object of the cluster, although its path looks like a namespace", async () => {
    const { json } = await testServer();
    expect(await json("GET", "/api/v1/namespaces/n/status")).toMatchObject({
      code: 200,
      body: { kind: "Namespace", metadata: { name: "n" } },
    });
  });

  test("DEC-37: every response of a deprecated version says so", async () => {
    const { ask } = await testServer();
    const response = await ask("GET", "/apis/example.com/v1/widgets");
    expect(response.headers["warning"]).toEqual(['299 - "example.com/v1 Widget is deprecated"']);
  });
});

describe("lists and tables", () => {
  const names = (body: { items: { metadata: { name: string } }[] }): string[] =>
    body.items.map(({ metadata }) => metadata.name);

  test("DEC-4: a list has a head, items and a version; pages say how to go on", async () => {
    const { json, put } = await testServer();
    for (const name of ["a", "b", "c"]) await put(object(name));
    const all = await json("GET", CM);
    expect(all.body).toMatchObject({
      kind: "ConfigMapList",
      apiVersion: "v1",
      metadata: { resourceVersion: expect.any(String) as string },
    });
    expect(names(all.body)).toEqual(["a", "b", "c"]);
    const page = await json("GET", `${CM}?limit=2`);
    expect([names(page.body), page.body.metadata.remainingItemCount]).toEqual([["a", "b"], 1]);
    const rest = await json("GET", `${CM}?limit=2&continue=${page.body.metadata.continue}`);
    expect([names(rest.body), rest.body.metadata.continue]).toEqual([["c"], undefined]);
    expect((await json("GET", "/apis/example.com/v1/widgets")).body.items).toEqual([]);
  });

  test("an object with as many members as may stand side by side is returned in every form, and taken back", async () => {
    const { ask } = await testServer();
    const data = Object.fromEntries(Array.from({ length: 16_384 }, (_, i) => [`k${i}`, "several\nlines\n"]));
    const made = await ask("POST", CM, {
      body: JSON.stringify({ kind: "ConfigMap", apiVersion: "v1", metadata: { name: "full" }, data }),
    });
    expect(made.code).toBe(201);
    const body = await made.text();
    expect((await ask("PUT", `${CM}/full`, { body, headers: { "content-type": "application/json" } })).code).toBe(200);
    for (const accept of ["application/yaml", "application/json;as=Table;v=v1;g=meta.k8s.io"]) {
      const response = await ask("GET", `${CM}/full`, { headers: { accept } });
      expect([response.code, (await response.text()).includes("full")]).toEqual([200, true]);
    }
  });

  test("DEC-4: a large list arrives whole, in pieces, however slow the reader", async () => {
    const { ask, put } = await testServer();
    const big = "x".repeat(5000);
    for (let i = 0; i < 300; i++) await put(object(`o${i}`, { data: { big } }));
    const response = await ask("GET", CM);
    expect(response.headers["content-length"]).toBeUndefined();
    let pieces = 0;
    let text = "";
    for await (const piece of response.pieces()) {
      pieces++;
      text += Buffer.from(piece).toString();
    }
    expect(pieces).toBeGreaterThan(5);
    expect((JSON.parse(text) as { items: unknown[] }).items).toHaveLength(300);
  });

  test("a table has the name, the columns of the definition and the metadata of each object", async () => {
    const { json, put } = await testServer();
    await put(object("a"));
    const { body } = await json("GET", CM, { headers: { accept: TABLE } });
    expect(body).toMatchObject({ kind: "Table", apiVersion: "meta.k8s.io/v1" });
    expect(
      body.columnDefinitions.map((c: { name: string; format: string; priority: number }) => [
        c.name,
        c.format,
        c.priority,
      ]),
    ).toEqual([
      ["Name", "name", 0],
      ["Data", "", 0],
    ]);
    expect(body.rows).toMatchObject([
      {
        cells: ["a", 1],
        object: { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata: { name: "a" } },
      },
    ]);
  });

  test("includeObject says what a row carries, and nonsense is 400 before anything is written", async () => {
    const { json, put } = await testServer();
    await put(object("a"));
    const row = async (include: string) =>
      (await json("GET", `${CM}/a?includeObject=${include}`, { headers: { accept: TABLE } })).body.rows[0];
    expect((await row("None")).object).toBeNull();
    expect((await row("Object")).object).toMatchObject({ kind: "ConfigMap", data: { k: "v" } });
    const bad = await json("POST", `${CM}?includeObject=x`, {
      headers: { accept: TABLE },
      body: JSON.stringify(object("b")),
    });
    expect(bad.code).toBe(400);
    expect((await json("GET", `${CM}/b`)).code).toBe(404);
  });

  test("partial metadata leaves everything else out", async () => {
    const { json, put } = await testServer();
    await put(object("a"));
    const as = (shape: string) => ({ headers: { accept: `application/json;as=${shape};v=v1;g=meta.k8s.io` } });
    const one = await json("GET", `${CM}/a`, as("PartialObjectMetadata"));
    expect(Object.keys(one.body as object)).toEqual(["kind", "apiVersion", "metadata"]);
    const list = await json("GET", CM, as("PartialObjectMetadataList"));
    expect(list.body).toMatchObject({ kind: "PartialObjectMetadataList", items: [{ kind: "PartialObjectMetadata" }] });
    expect((await json("GET", CM, as("PartialObjectMetadata"))).code).toBe(406);
  });
});

describe("paths and methods", () => {
  const codes = async (strict: boolean, requests: readonly string[]): Promise<string[]> => {
    const { ask, put } = await testServer({ strict });
    await put(object("a"));
    await put({ kind: "Widget", metadata: { name: "w" } });
    const seen: string[] = [];
    for (const request of requests) {
      const [method, url] = request.split(" ") as [string, string];
      const response = await ask(method, url, method === "POST" || method === "PUT" ? { body: "{}" } : {});
      const type = String(response.headers["content-type"]).startsWith("text/plain") ? " text" : "";
      seen.push(`${request} ${response.code}${type}`);
    }
    return seen;
  };
  const expectCodes = async (strict: boolean, lines: string): Promise<void> => {
    const expected = lines.trim().split(/\n\s*/);
    const requests = expected.map((line) => line.split(" ").slice(0, 2).join(" "));
    expect(await codes(strict, requests)).toEqual(expected);
  };

  test("DEC-18: a path that exists responds with 405 to methods it does not know, others 404", () =>
    expectCodes(
      false,
      `HEAD ${CM} 405
      OPTIONS ${CM}/a 405
      LINK ${CM}/a 405
      POST ${CM}/a 405
      PUT ${CM} 405
      PATCH ${CM} 405
      POST /api/v1/configmaps 405
      DELETE /api/v1/configmaps 405
      GET /apis/example.com/v1/reviews 405
      GET /apis/example.com/v1/reviews/x 404
      POST /api/v1/watch/configmaps 405
      GET /api/v1/watch/nosuchthings 404
      GET /api/v1/watch 404
      GET ${CM}/a/nosuch 404
      GET ${CM}/a/status 404
      POST /apis/example.com/v1/widgets/w/status 405
      POST /api/v1 405
      HEAD /api 405
      HEAD /apis 200
      PUT /apis 200
      DELETE /version 405
      OPTIONS /healthz 200 text
      OPTIONS /nosuch 404`,
    ));

  test("CVE-2019-11247: objects of the cluster have no path in a namespace, and the other way round", () =>
    expectCodes(
      false,
      `GET /apis/example.com/v1/widgets/w 200
      GET /apis/example.com/v1/namespaces/n/widgets/w 404
      GET /apis/example.com/v1/namespaces/n/widgets 404
      GET /api/v1/configmaps 200
      GET /api/v1/configmaps/a 404`,
    ));

  test("slashes at the end are forgiven where the reference does, doubled ones are not", () =>
    expectCodes(
      true,
      `GET ${CM}/ 200
      GET ${CM}/a/ 200
      GET ${CM}// 200
      GET /api/ 200
      GET /apis/ 200
      GET /apis/example.com/ 200
      GET /apis/example.com/v1/ 200
      GET /version/ 200
      GET /healthz/ 404 text
      GET /livez/ 404 text
      GET /openapi/v3/ 404 text
      GET /api//v1 404
      GET //api/v1/namespaces/n/configmaps 404 text
      GET /api/v1/namespaces/n//configmaps 404
      GET ${CM}//a 404`,
    ));

  test("CVE-2022-3162: escapes are read, impossible names are 400 or not found", () =>
    expectCodes(
      false,
      `GET ${CM}/%61 200
      GET /%61pi/v1/namespaces/n/configmaps/a 200
      GET /api/v1/namespaces/n/configmaps%2Fa 200
      GET ${CM}/a%2Fb 404
      GET ${CM}/a%20b 404
      GET ${CM}/%00 404
      GET ${CM}/%2e%2e 400
      GET ${CM}/a%25b 400
      GET /api/v1/namespaces/../configmaps/a 400
      GET ${CM}/%zz 400
      GET ${CM}/A 404
      GET /api/V1/configmaps 404`,
    ));

  test("DEC-18, CONV-1: an unknown group is a Status, or plain text where the dialect follows the reference", async () => {
    await expectCodes(
      true,
      "GET /apis/Example.com/v1 404 text\n GET /apis/x.y/v1/things 404 text\n GET /apis/example.com/v9 404\n GET /nosuch 404 text",
    );
    await expectCodes(false, "GET /apis/x.y/v1 404\n GET /apis/x.y/v1/things/t 404\n GET /nosuch 404");
  });
});

describe("who asks", () => {
  const bare = async (headers: Record<string, string>, url = CM): Promise<InjectResponse> =>
    (await testServer()).server.inject({ url, headers });

  test("AUTH-1: no credential, a wrong one: 401; health and version are open", async () => {
    expect((await bare({})).code).toBe(401);
    const wrong = await bare({ authorization: "Bearer wrong" });
    expect([wrong.code, wrong.headers["www-authenticate"]]).toEqual([401, 'Bearer realm="keelson"']);
    for (const url of ["/healthz", "/livez", "/readyz", "/readyz/ping", "/version"])
      expect((await bare({}, url)).code).toBe(200);
    for (const url of ["/metrics", "/api", "/openapi/v3", "/nosuch"]) expect((await bare({}, url)).code).toBe(401);
  });

  test("DEC-36: rights are checked before existence", async () => {
    const { server } = await testServer();
    const headers = { authorization: "Bearer reader" };
    const refused = await server.inject({ method: "DELETE", url: "/apis/example.com/v1/nosuch/x", headers });
    expect(refused.code).toBe(403);
    expect(JSON.parse(await refused.text())).toMatchObject({
      reason: "Forbidden",
      details: { name: "x", group: "example.com", kind: "nosuch" },
    });
    expect((await server.inject({ url: "/apis/example.com/v1/nosuch/x", headers })).code).toBe(404);
  });

  test("every response has an Audit-Id; a client's own is kept when it is well formed", async () => {
    const { ask } = await testServer();
    expect((await ask("GET", "/version")).headers["audit-id"]).toMatch(/^[0-9a-f-]{36}$/);
    expect((await ask("GET", "/version", { headers: { "audit-id": "mine-1" } })).headers["audit-id"]).toBe("mine-1");
    expect((await ask("GET", "/version", { headers: { "audit-id": "a b, c" } })).headers["audit-id"]).toBe("a b, c");
  });
});

describe("failures and limits", () => {
  test("a mistake of ours is 500, is logged, and tells nothing", async () => {
    const { json, logged, resource } = await testServer();
    resource("configmaps").get = () => Promise.reject(new Error("secret detail"));
    const { code, body } = await json("GET", `${CM}/a`);
    expect([code, body.reason]).toEqual([500, "InternalError"]);
    expect(JSON.stringify(body)).not.toContain("secret");
    expect(logged[0]!.fields["cause"]).toContain("secret detail");
  });

  test("413: a body over the limit, also one that only becomes so when it is inflated", async () => {
    const { ask } = await testServer({ limits: { bodyBytes: 1000 } });
    const big = JSON.stringify(object("a", { data: { k: "x".repeat(2000) } }));
    expect((await ask("POST", CM, { body: big })).code).toBe(413);
    const gzip = { "content-encoding": "gzip" };
    expect((await ask("POST", CM, { body: gzipSync(big), headers: gzip })).code).toBe(413);
    expect((await ask("POST", CM, { body: gzipSync(JSON.stringify(object("a"))), headers: gzip })).code).toBe(201);
    expect((await ask("POST", CM, { body: "no gzip", headers: gzip })).code).toBe(400);
    expect((await ask("POST", CM, { body: "x", headers: { "content-encoding": "br" } })).code).toBe(415);
  });

  test("400: bodies that are too deep or no JSON", async () => {
    const { ask } = await testServer();
    for (const body of ["", "{", "nonsense", `{"a":${"[".repeat(5000)}${"]".repeat(5000)}}`]) {
      expect((await ask("POST", CM, { body })).code).toBe(400);
    }
  });

  test("DEC-27, APF-22: over the limit of requests at a time: 429 with Retry-After", async () => {
    const { ask, resource } = await testServer({ limits: { reads: 1 } });
    let release = (): void => {};
    const entry = new Promise<never>((_resolve, reject) => {
      release = () => reject(new Error("done"));
    });
    // The first may still wait for its turn when it is released.
    entry.catch(() => {});
    resource("configmaps").get = () => entry;
    const first = ask("GET", `${CM}/a`);
    const second = await ask("GET", `${CM}/b`);
    expect([second.code, second.headers["retry-after"]]).toEqual([429, "1"]);
    expect(await second.text()).toContain("Too many requests");
    release();
    await first;
    await Promise.resolve();
    expect((await ask("GET", CM)).code).toBe(200);
  });

  test("CVE-2019-11253: a large YAML document is read beside the event loop", async () => {
    const { ask, server } = await testServer();
    const lines = Array.from({ length: 16_000 }, (_, i) => `  key${i}: value ${i}`);
    const body = `kind: ConfigMap\napiVersion: v1\nmetadata: {name: big, namespace: "n"}\ndata:\n${lines.join("\n")}\n`;
    let turns = 0;
    const count = setInterval(() => turns++, 5);
    const response = await ask("POST", CM, { body, headers: { "content-type": "application/yaml" } });
    clearInterval(count);
    expect([response.code, turns > 3]).toEqual([201, true]);
    const bad = await ask("POST", CM, { body: `${body}\n\t: [`, headers: { "content-type": "application/yaml" } });
    expect(bad.code).toBe(400);
    await server.close(0);
  });

  test("CVE-2020-8552: what clients send makes no series of metrics", async () => {
    const { ask } = await testServer();
    for (let i = 0; i < 50; i++) {
      await ask(`M${i}`, `/x${i}?q=${i}`, { headers: { "user-agent": `agent${i}` } });
      await ask("GET", `${CM}/n${i}`);
      await ask("GET", `/apis/g${i}.io/v1/things`);
    }
    const text = await (await ask("GET", "/metrics")).text();
    expect(text).toContain(
      'apiserver_request_total{verb="get",group="",version="v1",resource="configmaps",subresource="",code="404"} 50',
    );
    expect(text.split("\n").filter((line) => line.startsWith("apiserver_request_total"))).toHaveLength(3);
  });
});

test("what a server has opened is closed where a later part cannot be made, and when it is closed", async () => {
  const { kinds } = await registryOf(KINDS);
  const closed = vi.fn();
  vi.spyOn(kinds, "onChange").mockReturnValue({ [Symbol.dispose]: closed });
  const route = { path: "/twice", handle: () => undefined };
  await expect(testServer({ registry: kinds, routes: [route, route] })).rejects.toThrow("one route for /twice");
  expect(closed).toHaveBeenCalledTimes(1);
  const { server } = await testServer({ registry: kinds });
  expect(closed).toHaveBeenCalledTimes(1);
  await server.close(0);
  expect(closed).toHaveBeenCalledTimes(2);
});
