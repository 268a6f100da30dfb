/** Who may do what: APPLY-10, APPLY-11, AUTH-1..4, DEC-35, DEC-36, PROJ-33. */
import { describe, expect, test } from "vitest";
import { adminToken } from "../../src/auth/admin.ts";
import { authenticatorChain } from "../../src/auth/chain.ts";
import { type Answer, expectStatus } from "./answer.ts";
import { APPLY, MERGE, fresh, serve } from "./api.ts";
import { policed } from "./policed-cluster.ts";
import { RESOURCES, collection, objectOf } from "./resources.ts";

const TOKEN = "the-token-of-the-admin";
const api = serve(
  {},
  {
    authenticator: ({ api: { clock, random } }) =>
      authenticatorChain({ clock, random, tokens: [adminToken(TOKEN)], anonymous: () => false }),
  },
);

const EVERY_VERB = ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"];

describe("credentials", () => {
  const call = (headers: Record<string, string>, path = "/api/v1/namespaces/default/configmaps") =>
    api.send("GET", path, undefined, { headers, identity: null });

  test.each([
    ["no header", {}],
    ["an unknown token", { authorization: "Bearer unknown" }],
    ["an empty token", { authorization: "Bearer " }],
    ["another scheme", { authorization: "Basic dTpw" }],
    ["no scheme", { authorization: "token" }],
  ])("AUTH-1, ERR-1, DEC-35: %s is answered with 401 and a Status", async (_, headers) => {
    const answer = await call(headers);
    expect(answer.status).toBe(401);
    expect(answer.body).toMatchObject({
      kind: "Status",
      apiVersion: "v1",
      status: "Failure",
      reason: "Unauthorized",
      code: 401,
    });
  });

  test("DEC-35, SUP-10: the word bearer is taken in any case", async () => {
    for (const word of ["Bearer", "bearer", "BEARER"]) {
      expect((await call({ authorization: `${word} ${TOKEN}` })).status).toBe(200);
    }
  });

  test("AUTH-1, DEC-35: health and version are open, discovery and OpenAPI are not", async () => {
    for (const path of ["/healthz", "/livez", "/readyz", "/version"]) expect((await call({}, path)).status).toBe(200);
    for (const path of ["/api", "/apis", "/api/v1", "/openapi/v3", "/metrics"]) {
      expect((await call({}, path)).status).toBe(401);
    }
  });

  test("PROJ-33, SUP-7: a service account's token for another audience is no credential here", async () => {
    const ns = fresh("ns");
    await api.post(`/api/v1/namespaces/${ns}/serviceaccounts`, { metadata: { name: "a" } });
    const asked = { spec: { audiences: ["elsewhere"], expirationSeconds: 600 } };
    const issued = await api.post(`/api/v1/namespaces/${ns}/serviceaccounts/a/token`, asked);
    expectStatus(issued, 201);
    const token = String(issued.at("status.token"));
    const [, claims = ""] = token.split(".");
    const { aud, exp, iat, sub } = JSON.parse(Buffer.from(claims, "base64url").toString()) as Record<string, unknown>;
    expect([aud, Number(exp) - Number(iat), sub]).toEqual([["elsewhere"], 600, `system:serviceaccount:${ns}:a`]);
    expect((await call({ authorization: `Bearer ${token}` })).status).toBe(401);
  });
});

describe("permissions", () => {
  const cluster = policed();

  const body = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", data: { a: "1" } });
  const apply = (item: string, verbs: readonly string[]): Promise<Answer> =>
    cluster.as(verbs).send("PATCH", `${item}?fieldManager=m`, body, APPLY);

  test("APPLY-10, AUTH-4, DEC-36: an apply that creates needs create and patch", async () => {
    const item = `/api/v1/namespaces/default/configmaps/${fresh("n")}`;
    for (const verbs of [["patch"], ["create"], []]) {
      const denied = await apply(item, verbs);
      expect([verbs, denied.status, denied.body["reason"]]).toEqual([verbs, 403, "Forbidden"]);
    }
    expect((await cluster.as(EVERY_VERB).send("GET", item)).status).toBe(404);
    expect((await apply(item, ["patch", "create"])).status).toBe(201);
  });

  test("APPLY-11, AUTH-2, AUTH-3: an apply to what exists needs patch, and patch alone", async () => {
    const item = `/api/v1/namespaces/default/configmaps/${fresh("n")}`;
    await apply(item, EVERY_VERB);
    for (const verbs of [["create"], ["update"], EVERY_VERB.filter((verb) => verb !== "patch")]) {
      expect((await apply(item, verbs)).status).toBe(403);
    }
    expect((await apply(item, ["patch"])).status).toBe(200);
  });

  test("DEC-36, DEC-32: a PUT that creates needs create and update", async () => {
    const event = RESOURCES.find((r) => r.kind === "Event")!;
    const name = fresh("n");
    const item = `${collection(event, "default")}/${name}`;
    const object = JSON.stringify(objectOf(event, name));
    expect((await cluster.as(["update"]).send("PUT", item, object)).status).toBe(403);
    expect((await cluster.as(["create"]).send("PUT", item, object)).status).toBe(403);
    expect((await cluster.as(["create", "update"]).send("PUT", item, object)).status).toBe(201);
    expect((await cluster.as(["update"]).send("PUT", item, object)).status).toBe(200);
  });

  test.each(RESOURCES)("DEC-36: each operation on $plural needs its verb, and no other", async (r) => {
    const items = collection(r, "default");
    const name = fresh("n");
    const item = `${items}/${name}`;
    const object = JSON.stringify(objectOf(r, name));
    const needs = async (verb: string, method: string, path: string, sent?: string, type?: string): Promise<void> => {
      const others = EVERY_VERB.filter((other) => other !== verb);
      expect([verb, await cluster.as(others).status(method, path, sent, type)]).toEqual([verb, 403]);
      const allowed = await cluster.as([verb]).status(method, path, sent, type);
      expect([verb, allowed < 300]).toEqual([verb, true]);
    };
    await needs("create", "POST", items, object);
    await needs("get", "GET", item);
    await needs("list", "GET", items);
    await needs("watch", "GET", `${items}?watch=true`);
    await needs("update", "PUT", item, object);
    await needs("patch", "PATCH", item, "{}", MERGE);
    await needs("delete", "DELETE", item);
    await needs("deletecollection", "DELETE", `${items}?labelSelector=none%3Dsuch`);
  });

  test("DEC-36: status paths are resources of their own", async () => {
    const name = fresh("n");
    const pv = RESOURCES.find((r) => r.kind === "PersistentVolume")!;
    await cluster.as(EVERY_VERB).send("POST", collection(pv, ""), JSON.stringify(objectOf(pv, name)));
    const item = `${collection(pv, "")}/${name}`;
    const status = JSON.stringify({ status: { message: "m" } });
    expect((await cluster.as(["patch"]).send("PATCH", `${item}/status`, status, MERGE)).status).toBe(403);
    expect((await cluster.as(["patch status"]).send("PATCH", `${item}/status`, status, MERGE)).status).toBe(200);
    expect((await cluster.as(["patch status"]).send("PATCH", item, "{}", MERGE)).status).toBe(403);
  });

  test("DEC-36: rights come before existence, and the refusal says who may not do what", async () => {
    const denied = await cluster.as([]).send("GET", "/api/v1/namespaces/default/configmaps/missing");
    expect(denied.status).toBe(403);
    expect(denied.body).toMatchObject({ kind: "Status", reason: "Forbidden", code: 403 });
    expect(denied.body["message"]).toContain(
      'configmaps "missing" is forbidden: User "somebody" cannot get resource "configmaps" in API group "" in the namespace "default"',
    );
  });
});

test("SUP-7: OpenAPI tells that a token is asked for by a TokenRequest", async () => {
  const { body } = await api.get("/openapi/v3/api/v1");
  const { paths, components } = body as Record<string, Record<string, Record<string, object>>>;
  const { post } = paths!["/api/v1/namespaces/{namespace}/serviceaccounts/{name}/token"] as { post: object };
  expect(post).toHaveProperty("requestBody");
  const [, name = ""] = /"#\/components\/schemas\/([^"]*TokenRequest)"/.exec(JSON.stringify(post)) ?? [];
  expect(components!["schemas"]).toHaveProperty([name]);
});
