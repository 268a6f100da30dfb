/**
 * Clients of a kubeconfig against a server over HTTPS, and against one that tells what it was sent.
 *
 * @module
 */
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type RunningServer, startServer } from "../../src/app/index.ts";
import { type Connection, type KubeconfigOptions, fromKubeconfig, inCluster } from "../../src/client/index.ts";
import { Namespace } from "../../src/client/kinds/index.ts";
import { ManualClock } from "../../src/util/clock.ts";
import { decodeYaml } from "../../src/value/yaml.ts";

const folder = mkdtempSync(join(tmpdir(), "keelson-client-"));
const put = (name: string, content: string | object): string => {
  const path = join(folder, name);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
};

/** A server that answers what it was sent; 401 for the token `revoked`. */
const echo = http.createServer(({ headers, url }, response) => {
  response.writeHead(headers.authorization === "Bearer revoked" ? 401 : 200);
  response.end(JSON.stringify({ headers, url }));
});
let server: RunningServer;
/** Members of the kubeconfig of the admin. */
let admin: { readonly cluster: Record<string, string>; readonly user: Record<string, string> };

beforeAll(async () => {
  server = await startServer({ dev: true, port: 0, dialect: "kubernetes" });
  const { clusters, users } = decodeYaml(server.kubeconfig).value as unknown as {
    clusters: [{ cluster: Record<string, string> }];
    users: [{ user: Record<string, string> }];
  };
  admin = { cluster: clusters[0].cluster, user: users[0].user };
  await once(echo.listen(0, "127.0.0.1"), "listening");
});
afterAll(async () => {
  echo.closeAllConnections();
  echo.close();
  await server.close();
  rmSync(folder, { recursive: true });
});

let open: DisposableStack;
beforeEach(() => void (open = new DisposableStack()));
afterEach(() => open.dispose());

const echoAt = (): string => `http://127.0.0.1:${(echo.address() as AddressInfo).port}`;

const config = (cluster: object, user: object, context: object = {}): object => ({
  clusters: [{ name: "c", cluster }],
  users: [{ name: "u", user }],
  contexts: [{ name: "x", context: { cluster: "c", user: "u", ...context } }],
  "current-context": "x",
});

const connect = async (content: object | string, more: KubeconfigOptions = {}): Promise<Connection> => {
  const text = typeof content === "string" ? content : JSON.stringify(content);
  return open.use(await fromKubeconfig({ text, ...more }));
};

/** What headers a request of a connection has. */
const sent = async ({ client }: Connection): Promise<http.IncomingHttpHeaders> =>
  (await client.json<{ headers: http.IncomingHttpHeaders }>("GET", "/")).headers;

const namespaces = async ({ client }: Connection): Promise<number> =>
  (await client.resource(Namespace).list()).items.length;

describe("a client of a kubeconfig", () => {
  test("reaches the server with the certificates that are in it", async () => {
    const connection = await connect(server.kubeconfig);
    expect([connection.server, connection.namespace]).toEqual([server.url, "default"]);
    expect(await namespaces(connection)).toBeGreaterThan(0);
  });

  test("expects the name in tls-server-name, and accepts any certificate where it is configured to", async () => {
    const wrong = await connect(config({ ...admin.cluster, "tls-server-name": "elsewhere.example" }, admin.user));
    await expect(namespaces(wrong)).rejects.toThrow(/no response from .*elsewhere\.example/);
    const { "certificate-authority-data": _, ...bare } = admin.cluster;
    await expect(namespaces(await connect(config(bare, admin.user)))).rejects.toThrow("no response from");
    const insecure = await connect(config({ ...bare, "insecure-skip-tls-verify": true }, admin.user));
    expect(await namespaces(insecure)).toBeGreaterThan(0);
  });

  test("sends a token, a password, and the impersonated user", async () => {
    expect(await sent(await connect(config({ server: echoAt() }, { token: "t" })))).toMatchObject({
      authorization: "Bearer t",
      "user-agent": "keelson-client",
    });
    const acting = {
      username: "a",
      password: "b",
      as: "jane",
      "as-groups": ["x", "y"],
      "as-user-extra": { "A/b": ["c"] },
    };
    expect(await sent(await connect(config({ server: echoAt() }, acting)))).toMatchObject({
      authorization: `Basic ${Buffer.from("a:b").toString("base64")}`,
      "impersonate-user": "jane",
      "impersonate-group": "x, y",
      "impersonate-extra-a%2fb": "c",
    });
  });

  test("impersonates another user over HTTPS, too", async () => {
    const jane = await connect(config(admin.cluster, { ...admin.user, as: "jane", "as-groups": ["a", "b"] }));
    await expect(namespaces(jane)).rejects.toThrow(/User "jane" cannot list/);
  });

  test("reads the token of a file again every minute, keeps the last one, and prefers it to a written one", async () => {
    const clock = new ManualClock();
    const tokenFile = put("token", "one\n");
    const connection = await connect(config({ server: echoAt() }, { tokenFile, token: "written" }), { clock });
    const token = async (): Promise<string | undefined> => (await sent(connection)).authorization;
    expect(await token()).toBe("Bearer one");
    put("token", "two\n");
    expect(await token()).toBe("Bearer one");
    clock.advance(60_000);
    expect(await token()).toBe("Bearer two");
    rmSync(tokenFile);
    clock.advance(60_000);
    expect(await token()).toBe("Bearer two");
    const never = await connect(config({ server: echoAt() }, { tokenFile: join(folder, "none") }));
    await expect(sent(never)).rejects.toThrow(`expected a token in ${join(folder, "none")}`);
  });

  test("reads the token of a file at once where the server does not accept it any more", async () => {
    const tokenFile = put("revoked", "revoked");
    const connection = await connect(config({ server: echoAt() }, { tokenFile }));
    await expect(sent(connection)).rejects.toMatchObject({ status: { code: 401 } });
    put("revoked", "fresh");
    expect((await sent(connection)).authorization).toBe("Bearer fresh");
  });

  test("takes the context that is named, its namespace, and several files as one", async () => {
    const first = put("first", { users: [{ name: "u", user: { token: "first" } }] });
    const second = put("second", {
      ...config({ server: echoAt() }, { token: "second" }, { namespace: "team" }),
      "current-context": "none",
    });
    const env = { KUBECONFIG: ["", join(folder, "absent"), first, second].join(delimiter) };
    const connection = open.use(await fromKubeconfig({ env, context: "x" }));
    expect([connection.context, connection.namespace]).toEqual(["x", "team"]);
    expect((await sent(connection)).authorization).toBe("Bearer first");
    await expect(fromKubeconfig({ env })).rejects.toThrow('expected "none" among the contexts of');
  });

  test("is looked for in KUBECONFIG, the home directory and a Pod, in this order", async () => {
    mkdirSync(join(folder, ".kube"));
    const home = { HOME: folder };
    const env = { ...home, KUBERNETES_SERVICE_HOST: "::1", KUBERNETES_SERVICE_PORT: "443" };
    const serviceAccount = join(folder, "account");
    await expect(fromKubeconfig({ env, serviceAccount })).rejects.toThrow(join(folder, ".kube/config"));
    mkdirSync(serviceAccount);
    for (const [name, text] of [
      ["token", "t"],
      ["ca.crt", "CA"],
      ["namespace", "pods\n"],
    ] as const) {
      writeFileSync(join(serviceAccount, name), text);
    }
    const where = async (variables: Record<string, string>): Promise<string> => {
      const found = open.use(await fromKubeconfig({ env: variables, serviceAccount }));
      return `${found.context} ${found.server} ${found.namespace}`;
    };
    expect(await where(env)).toBe("in-cluster https://[::1]:443 pods");
    writeFileSync(join(folder, ".kube/config"), JSON.stringify(config({ server: "https://home:1" }, {})));
    expect(await where(env)).toBe("x https://home:1 default");
    const listed = put("listed", config({ server: "https://listed:1" }, {}));
    expect(await where({ ...env, KUBECONFIG: listed })).toBe("x https://listed:1 default");
  });

  test.each<[string, object, object, string]>([
    ["a proxy of SOCKS", { server: "https://a", "proxy-url": "socks5://p" }, {}, "SOCKS is not supported"],
    ["an auth-provider", { server: "https://a" }, { "auth-provider": { name: "gcp" } }, "use an exec plugin"],
    ["no server", {}, {}, "expected server in"],
    ["no address", { server: "host" }, {}, "expected the address of a server"],
    [
      "another form of exec",
      { server: "https://a" },
      { exec: { apiVersion: "client.authentication.k8s.io/v1alpha1", command: "x" } },
      "to be client.authentication.k8s.io/v1 or client.authentication.k8s.io/v1beta1, got client.authentication.k8s.io/v1alpha1",
    ],
    [
      "exec of v1 that does not say whether it asks people",
      { server: "https://a" },
      { exec: { apiVersion: "client.authentication.k8s.io/v1", command: "x" } },
      "to be Never, IfAvailable, Always, found none",
    ],
  ])("with %s is refused with what was expected", async (_what, cluster, user, message) => {
    await expect(connect(config(cluster, user))).rejects.toThrow(message);
  });
});

test("a client in a Pod has the token, the authority and the namespace of its service account", async () => {
  const serviceAccount = join(folder, "pod");
  mkdirSync(serviceAccount);
  const { hostname, port } = new URL(server.url);
  const env = { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port };
  const ca = Buffer.from(admin.cluster["certificate-authority-data"]!, "base64").toString();
  writeFileSync(join(serviceAccount, "ca.crt"), ca);
  writeFileSync(join(serviceAccount, "namespace"), "team");
  const connection = open.use(await inCluster({ env, serviceAccount }));
  expect(connection.namespace).toBe("team");
  await expect(namespaces(connection)).rejects.toThrow("expected a token in");
  writeFileSync(join(serviceAccount, "token"), "nobody");
  await expect(namespaces(connection)).rejects.toMatchObject({ status: { code: 401 } });
  await expect(inCluster({ env: {}, serviceAccount })).rejects.toThrow("expected KUBERNETES_SERVICE_HOST");
});

describe("an exec plugin", () => {
  const PLUGIN = `
    import { appendFileSync, readFileSync } from "node:fs";
    appendFileSync(process.env.RUNS, process.env.KUBERNETES_EXEC_INFO + "\\n");
    const answer = readFileSync(process.argv[2], "utf8");
    if (answer.startsWith("fail")) { console.error(answer); process.exit(3); }
    process.stdout.write(answer);
  `;
  const V1 = "client.authentication.k8s.io/v1";
  const runsFile = join(folder, "runs");
  const runs = (): { spec: unknown }[] =>
    readFileSync(runsFile, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { spec: unknown });

  beforeEach(() => {
    put("plugin.mjs", PLUGIN);
    put("runs", "");
  });

  const exec = (more: object = {}): object => ({
    exec: {
      apiVersion: V1,
      command: process.execPath,
      args: [join(folder, "plugin.mjs"), join(folder, "answer")],
      env: [{ name: "RUNS", value: runsFile }],
      interactiveMode: "IfAvailable",
      ...more,
    },
  });
  const answer = (status: object, apiVersion = V1): void =>
    void put("answer", { apiVersion, kind: "ExecCredential", status });

  test("is run when it is needed, by one for all who wait, and again when its token is over or is not accepted", async () => {
    const clock = new ManualClock();
    const connection = await connect(config({ server: echoAt() }, exec()), { clock });
    expect(readFileSync(runsFile, "utf8")).toBe("");
    const expirationTimestamp = new Date(clock.now() + 60_000).toISOString();
    answer({ token: "one", expirationTimestamp });
    const both = await Promise.all([sent(connection), sent(connection)]);
    expect(both.map(({ authorization }) => authorization)).toEqual(["Bearer one", "Bearer one"]);
    expect(runs()).toEqual([{ apiVersion: V1, kind: "ExecCredential", spec: { interactive: false } }]);
    answer({ token: "revoked" });
    expect((await sent(connection)).authorization).toBe("Bearer one");
    clock.advance(60_000);
    await expect(sent(connection)).rejects.toMatchObject({ status: { code: 401 } });
    answer({ token: "three" });
    expect((await sent(connection)).authorization).toBe("Bearer three");
    expect((await sent(connection)).authorization).toBe("Bearer three");
    expect(runs()).toHaveLength(3);
  });

  test("may return a certificate, and gets the cluster where it requests it", async () => {
    const [cert, key] = ["client-certificate-data", "client-key-data"].map((member) =>
      Buffer.from(admin.user[member]!, "base64").toString(),
    );
    answer({ clientCertificateData: cert, clientKeyData: key }, "client.authentication.k8s.io/v1beta1");
    const extensions = [{ name: "client.authentication.k8s.io/exec", extension: { audience: "a" } }];
    const user = exec({
      apiVersion: "client.authentication.k8s.io/v1beta1",
      provideClusterInfo: true,
      interactiveMode: null,
    });
    const connection = await connect(config({ ...admin.cluster, extensions }, user));
    expect(await namespaces(connection)).toBeGreaterThan(0);
    expect(await namespaces(connection)).toBeGreaterThan(0);
    expect(runs().map(({ spec }) => spec)).toEqual([
      {
        interactive: false,
        cluster: {
          server: server.url,
          "certificate-authority-data": admin.cluster["certificate-authority-data"],
          config: { audience: "a" },
        },
      },
    ]);
  });

  test.each<[string, string | object, string]>([
    ["that fails", "fail: log in first", "it ended with code 3: fail: log in first"],
    ["that writes no JSON", "hello", "expected an ExecCredential in JSON from"],
    ["that answers another kind", { kind: "Pod" }, "expected the kind ExecCredential"],
    ["that answers another version", { kind: "ExecCredential", apiVersion: "v2" }, `expected the apiVersion ${V1}`],
    ["that gives nothing", { kind: "ExecCredential", apiVersion: V1 }, "expected a token or a certificate"],
    [
      "that gives half of a pair",
      { kind: "ExecCredential", apiVersion: V1, status: { token: "t", clientKeyData: "k" } },
      "expected a certificate with its key",
    ],
    [
      "that gives no time",
      { kind: "ExecCredential", apiVersion: V1, status: { token: "t", expirationTimestamp: "soon" } },
      "expected a time as status.expirationTimestamp",
    ],
  ])("%s is told with what was expected", async (_what, text, message) => {
    put("answer", text);
    await expect(sent(await connect(config({ server: echoAt() }, exec())))).rejects.toThrow(message);
  });

  test("that is missing is reported with the hint of the kubeconfig", async () => {
    const connection = await connect(
      config({ server: echoAt() }, exec({ command: "no-such-plugin", installHint: "Get it." })),
    );
    await expect(sent(connection)).rejects.toThrow(/no-such-plugin: .*ENOENT\nGet it\.$/);
    const people = await connect(config({ server: echoAt() }, exec({ interactiveMode: "Always" })));
    await expect(sent(people)).rejects.toThrow("expected a terminal");
  });

  test("with a path is looked for from where the kubeconfig is", async () => {
    put(
      "plugin.sh",
      `#!/bin/sh\nexec "${process.execPath}" "${join(folder, "plugin.mjs")}" "${join(folder, "answer")}"\n`,
    );
    const { chmodSync } = await import("node:fs");
    chmodSync(join(folder, "plugin.sh"), 0o755);
    answer({ token: "beside" });
    const path = put("kubeconfig", config({ server: echoAt() }, exec({ command: "./plugin.sh" })));
    const connection = open.use(await fromKubeconfig({ path }));
    expect((await sent(connection)).authorization).toBe("Bearer beside");
  });
});
