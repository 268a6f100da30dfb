/** The order in which a request is judged, and what those may do whom no role names: AUTHN-1, 7, 12, 13, 37, RBAC-22, 59. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { type RunningServer, startServer } from "../../src/app/index.ts";
import { beforeTries } from "../tries.ts";

const home = mkdtempSync(join(tmpdir(), "keelson-trust-"));
const RBAC = "/apis/rbac.authorization.k8s.io/v1";
const CM = "/api/v1/namespaces/default/configmaps";

afterAll(() => rmSync(home, { recursive: true, force: true }));

let server: RunningServer;
beforeTries(async () => {
  const file = join(home, "tokens.csv");
  writeFileSync(file, 'plain,pat,1,"team"\nwriter,kim,2,"team"\npatcher,ada,3,\ncreator,bob,4,\nboth,eve,5,\n');
  server = await startServer({
    dev: true,
    port: 0,
    insecureHttp: true,
    dialect: "kubernetes",
    controllers: ["none"],
    tokenAuthFile: file,
    serviceAccountIssuer: ["https://issuer.example.com"],
  });
  const rules = [
    { verbs: ["create", "get", "update"], apiGroups: [""], resources: ["configmaps", "nothings"] },
    { verbs: ["create"], apiGroups: ["rbac.authorization.k8s.io"], resources: ["roles"] },
  ];
  await give("kim", rules, { kind: "User", name: "kim", apiGroup: "rbac.authorization.k8s.io" });
  return { [Symbol.asyncDispose]: () => server.close() };
});

interface Said {
  readonly token?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

/** The answer to a request; a body that is no text is sent as JSON. */
function send(method: string, path: string, { token, body, headers = {} }: Said = {}): Promise<Response> {
  const credential = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return fetch(server.url + path, {
    method,
    headers: { "content-type": "application/json", ...credential, ...headers },
    ...(body === undefined ? {} : { body: text }),
  });
}

const code = async (method: string, path: string, said: Said = {}): Promise<number> => {
  const answer = await send(method, path, said);
  await answer.arrayBuffer();
  return answer.status;
};

const admin = (): string => server.pki.adminToken;

/** Gives a user a cluster role of their own. */
async function give(name: string, rules: readonly object[], subject: object): Promise<void> {
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name };
  const metadata = { name };
  expect(await code("POST", `${RBAC}/clusterroles`, { token: admin(), body: { metadata, rules } })).toBe(201);
  const body = { metadata, roleRef, subjects: [subject] };
  expect(await code("POST", `${RBAC}/clusterrolebindings`, { token: admin(), body })).toBe(201);
}

describe("AUTHN-1: a refusal of an earlier step hides everything later", () => {
  const token = "writer";
  const wrong = { body: "{", headers: { "content-type": "text/css", accept: "text/css" } };
  const asRoot = { "impersonate-user": "root" };
  const NOTHINGS = "/api/v1/namespaces/default/nothings";

  test.each([
    ["a bad token, whatever else", "POST", NOTHINGS, { ...wrong, token: "unknown", headers: asRoot }, 401],
    ["impersonation without a user", "GET", NOTHINGS, { token: "plain", headers: { "impersonate-group": "g" } }, 400],
    ["impersonation that is not allowed", "POST", NOTHINGS, { ...wrong, token, headers: asRoot }, 403],
    ["no right, on what does not exist", "DELETE", NOTHINGS, { token: "plain" }, 403],
    ["no right, with a wrong body", "POST", CM, { ...wrong, token: "plain" }, 403],
    ["no such resource, with a wrong body", "POST", NOTHINGS, { ...wrong, token }, 404],
    ["no such verb, with a wrong body", "POST", `${CM}/a`, { ...wrong, token }, 405],
    ["a media type, with a wrong body", "POST", CM, { token, body: "{", headers: { accept: "text/css" } }, 406],
    ["a body of another type", "POST", CM, { token, body: "{", headers: { "content-type": "text/css" } }, 415],
    ["a body that cannot be read", "POST", CM, { token, body: "{" }, 400],
    ["an object with rules", "POST", CM, { token, body: { metadata: { name: "A b" } } }, 422],
  ] as const)("%s: %s %s", async (_what, method, path, said, expected) => {
    expect(await code(method, path, said)).toBe(expected);
  });

  test("admission comes before the rules of the kind", async () => {
    const role = (resources: string[]) => ({
      metadata: { name: "r" },
      rules: [{ verbs: ["get"], apiGroups: [""], resources, nonResourceURLs: ["/x"] }],
    });
    const path = `${RBAC}/namespaces/default/roles`;
    expect(await code("POST", path, { token, body: role(["secrets"]) })).toBe(403);
    expect(await code("POST", path, { token: admin(), body: role(["secrets"]) })).toBe(422);
  });
});

describe("AUTHN-7: where a token may stand", () => {
  test("in no query", async () => {
    expect(await code("GET", `${CM}?access_token=${admin()}`)).toBe(403);
    expect(await code("GET", `${CM}?access_token=unknown`, { token: admin() })).toBe(200);
  });

  /** The subprotocol that a watch over WebSocket is given, or the status that it is refused with. */
  const opened = (protocols: readonly string[]): Promise<string | number> =>
    new Promise((resolve, reject) => {
      const socket = new WebSocket(`${server.url.replace("http", "ws")}${CM}?watch=1`, [...protocols]);
      socket.on("open", () => {
        resolve(socket.protocol);
        socket.close();
      });
      socket.on("unexpected-response", (_request, response) => {
        resolve(response.statusCode ?? 0);
        socket.terminate();
      });
      socket.on("error", reject);
    });
  const bearer = (token: string): string =>
    `base64url.bearer.authorization.k8s.io.${Buffer.from(token).toString("base64url")}`;

  test("in a subprotocol beside another one, which is the one that is answered", async () => {
    expect(await opened([bearer(admin()), "v1.json"])).toBe("v1.json");
    expect(await opened([bearer("unknown"), "v1.json"])).toBe(401);
    expect(await opened(["v1.json"])).toBe(403);
  });
});

describe("who no role names", () => {
  const OPEN = ["/healthz", "/livez", "/readyz", "/version", "/version/"];

  test("AUTHN-12: an anonymous user may read health and version, and nothing else", async () => {
    for (const path of OPEN) expect([path, await code("GET", path)]).toEqual([path, 200]);
    const kept = ["/", "/api", "/apis", "/openapi/v2", "/openapi/v3", "/metrics", "/livez/ping", "/openid/v1/jwks"];
    for (const path of [...kept, "/.well-known/openid-configuration"]) {
      expect([path, await code("GET", path)]).toEqual([path, 403]);
    }
    for (const method of ["HEAD", "OPTIONS", "POST"]) {
      for (const path of OPEN) expect([method, path, await code(method, path)]).toEqual([method, path, 403]);
    }
  });

  test("AUTHN-13: a role that is bound to the anonymous user counts like any", async () => {
    expect(await code("GET", "/metrics/")).toBe(403);
    expect(await code("GET", `${CM}/public`)).toBe(403);
    const subject = { apiGroup: "rbac.authorization.k8s.io" };
    const rules = [{ verbs: ["get"], apiGroups: [""], resources: ["configmaps"], resourceNames: ["public"] }];
    await give("for-nobody", rules, { ...subject, kind: "User", name: "system:anonymous" });
    const paths = [{ verbs: ["get"], nonResourceURLs: ["/api"] }];
    await give("for-strangers", paths, { ...subject, kind: "Group", name: "system:unauthenticated" });
    await expect.poll(() => code("GET", `${CM}/public`)).toBe(404);
    await expect.poll(() => code("GET", "/api")).toBe(200);
    expect(await code("GET", `${CM}/other`)).toBe(403);
    expect(await code("GET", "/api", { token: "unknown" })).toBe(401);
  });

  test("AUTHN-37: the documents of the issuer are for service accounts, not for other users", async () => {
    const accounts = "/api/v1/namespaces/default/serviceaccounts";
    await code("POST", accounts, { token: admin(), body: { metadata: { name: "robot" } } });
    const issued = await send("POST", `${accounts}/robot/token`, { token: admin(), body: { spec: {} } });
    const { status } = (await issued.json()) as { status: { token: string } };
    for (const path of ["/.well-known/openid-configuration", "/openid/v1/jwks"]) {
      expect([path, await code("GET", path, { token: status.token })]).toEqual([path, 200]);
      expect([path, await code("GET", path, { token: "plain" })]).toEqual([path, 403]);
      expect([path, await code("GET", path)]).toEqual([path, 403]);
    }
  });

  test("RBAC-59: a user without a binding may use self reviews and discovery, and no more", async () => {
    const token = "plain";
    const served = ["/api", "/api/v1", "/apis", "/apis/apps", "/apis/apps/v1", "/openapi/v2", "/openapi/v3", ...OPEN];
    for (const path of served) expect([path, await code("GET", path, { token })]).toEqual([path, 200]);
    for (const path of ["/", "/metrics", "/livez/ping", "/readyz/ping", CM]) {
      expect([path, await code("GET", path, { token })]).toEqual([path, 403]);
    }
    const ask = (path: string, spec?: object): Promise<number> =>
      code("POST", `/apis/${path}`, { token, body: spec ? { spec } : {} });
    const about = { resourceAttributes: { verb: "get", resource: "pods" } };
    expect(await ask("authentication.k8s.io/v1/selfsubjectreviews")).toBe(201);
    expect(await ask("authorization.k8s.io/v1/selfsubjectaccessreviews", about)).toBe(201);
    expect(await ask("authorization.k8s.io/v1/selfsubjectrulesreviews", { namespace: "default" })).toBe(201);
    expect(await ask("authorization.k8s.io/v1/subjectaccessreviews", { ...about, user: "x" })).toBe(403);
    expect(await ask("authentication.k8s.io/v1/tokenreviews", { token: "x" })).toBe(403);
  });
});

test("RBAC-22: apply owns rules, subjects and roleRef as a whole; a strategic merge patch replaces them", async () => {
  const token = admin();
  const apply = async (manager: string, plural: string, body: object): Promise<string[]> => {
    const answer = await send("PATCH", `${RBAC}/${plural}/whole?fieldManager=${manager}`, {
      token,
      body: { apiVersion: "rbac.authorization.k8s.io/v1", metadata: { name: "whole" }, ...body },
      headers: { "content-type": "application/apply-patch+yaml" },
    });
    const { details } = (await answer.json()) as { details?: { causes?: { field: string }[] } };
    return answer.status < 300 ? [] : (details?.causes ?? []).map(({ field }) => field);
  };
  const rule = (resource: string) => ({ verbs: ["get"], apiGroups: [""], resources: [resource] });
  const role = (...resources: string[]) => ({ kind: "ClusterRole", rules: resources.map(rule) });
  expect(await apply("one", "clusterroles", role("pods"))).toEqual([]);
  expect(await apply("two", "clusterroles", role("pods", "nodes"))).toEqual([".rules"]);

  const binding = (role_: string, user: string) => ({
    kind: "ClusterRoleBinding",
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role_ },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: user }],
  });
  expect(await apply("one", "clusterrolebindings", binding("whole", "a"))).toEqual([]);
  const conflicts = await apply("two", "clusterrolebindings", binding("view", "b"));
  expect(conflicts.toSorted()).toEqual([".roleRef", ".subjects"]);

  const patched = await send("PATCH", `${RBAC}/clusterroles/whole`, {
    token,
    body: { rules: [rule("secrets")] },
    headers: { "content-type": "application/strategic-merge-patch+json" },
  });
  expect(((await patched.json()) as { rules: object[] }).rules).toEqual([rule("secrets")]);
});

describe("SUP-9: roles decide of an apply as of the verbs that it is made of", () => {
  const verbs = { patcher: ["patch"], creator: ["create"], both: ["create", "patch"], plain: [] } as const;
  const users = { patcher: "ada", creator: "bob", both: "eve", plain: "pat" } as const;
  const apply = (token: string, name: string): Promise<number> =>
    code("PATCH", `${CM}/${name}?fieldManager=m`, {
      token,
      body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name } },
      headers: { "content-type": "application/apply-patch+yaml" },
    });

  beforeTries(async () => {
    for (const token of ["patcher", "creator", "both"] as const) {
      const rules = [{ verbs: verbs[token], apiGroups: [""], resources: ["configmaps"] }];
      await give(users[token], rules, { kind: "User", name: users[token], apiGroup: "rbac.authorization.k8s.io" });
    }
    await code("POST", CM, { token: admin(), body: { metadata: { name: "there" } } });
  });

  test.each([
    ["both", 201, 200],
    ["patcher", 403, 200],
    ["creator", 403, 403],
    ["plain", 403, 403],
  ] as const)("%s: %i for what is new, %i for what is there", async (token, isNew, isThere) => {
    expect(await apply(token, `new-${token}`)).toBe(isNew);
    expect(await apply(token, "there")).toBe(isThere);
  });
});
