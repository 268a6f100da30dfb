/**
 * How commands reach a server: with all that a kubeconfig may say, by the executable as a user runs it.
 */
import { once } from "node:events";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { decodeYaml } from "../../src/value/yaml.ts";
import { Keelson, Scratch, read, run } from "./keelson.ts";

const scratch = new Scratch();
const data = scratch.fresh();
/** Returns the impersonated user and the credential of a request in its version. */
const echo = http.createServer(({ headers }, response) =>
  response.end(
    JSON.stringify({ gitVersion: `${String(headers["impersonate-user"] ?? "self")} ${headers.authorization}` }),
  ),
);
let server: Keelson;
let admin: { readonly cluster: Record<string, string>; readonly user: Record<string, string> };

beforeAll(async () => {
  server = await Keelson.serve(["--data-dir", data, "--port", "0", "--dialect", "kubernetes"]);
  const { clusters, users } = decodeYaml(Buffer.from(read(data, "admin.kubeconfig"))).value as unknown as {
    clusters: [{ cluster: Record<string, string> }];
    users: [{ user: Record<string, string> }];
  };
  admin = { cluster: clusters[0].cluster, user: users[0].user };
  await once(echo.listen(0, "127.0.0.1"), "listening");
});
afterAll(async () => {
  echo.close();
  await server.stop();
  scratch.remove();
});

const put = (name: string, content: string | object): string => {
  const path = join(scratch.path, name);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
};
const text = (member: string): string => Buffer.from(admin.user[member]!, "base64").toString();

/** A kubeconfig; the context `other` has the same server and no user. */
const config = (cluster: object, user: object): string =>
  put("kubeconfig", {
    clusters: [{ name: "c", cluster }],
    users: [{ name: "u", user }],
    contexts: [
      { name: "x", context: { cluster: "c", user: "u" } },
      { name: "other", context: { cluster: "c" } },
    ],
    "current-context": "x",
  });

const V1 = "client.authentication.k8s.io/v1";

/** A program that gives credentials, named from where the kubeconfig is, and tells how often it ran. */
function exec(status: object): object {
  const answer = put("answer", { apiVersion: V1, kind: "ExecCredential", status });
  chmodSync(put("plugin.sh", `#!/bin/sh\necho run >> "${put("runs", "")}"\ncat "${answer}"\n`), 0o755);
  return { exec: { apiVersion: V1, command: "./plugin.sh", interactiveMode: "Never" } };
}
const runs = (): number => readFileSync(join(scratch.path, "runs"), "utf8").split("\n").length - 1;

const who = async (user: object, ...args: readonly string[]): Promise<string> => {
  const { port } = echo.address() as AddressInfo;
  const kubeconfig = config({ server: `http://127.0.0.1:${port}` }, user);
  const { stdout, stderr } = await run(["version", "--server", "--kubeconfig", kubeconfig, ...args]);
  return (/^server +(.*)$/m.exec(stdout)?.[1] ?? "") + stderr;
};

describe("a command speaks for the user of the kubeconfig", () => {
  test("with a token, the token of a file, a password, and as another user", async () => {
    expect(await who({ token: "t" })).toBe("self Bearer t");
    put("token", "of-file\n");
    expect(await who({ tokenFile: "token" })).toBe("self Bearer of-file");
    const basic = Buffer.from("ann:secret").toString("base64");
    expect(await who({ username: "ann", password: "secret", as: "kim" })).toBe(`kim Basic ${basic}`);
    expect(await who({ token: "t" }, "--context", "other")).toBe("self undefined");
  });

  test("with the token of an exec plugin, whose error is printed without a stack", async () => {
    expect(await who(exec({ token: "of-plugin" }))).toBe("self Bearer of-plugin");
    expect(runs()).toBe(1);
    const plugin = { apiVersion: V1, command: "no-such-plugin", interactiveMode: "Never", installHint: "Get it." };
    expect(await who({ exec: plugin })).toMatch(
      /^keelson: expected credentials from no-such-plugin: .*ENOENT\nGet it\.\n$/,
    );
  });
});

describe("with the certificate of an exec plugin", () => {
  const plugin = (): object =>
    exec({ clientCertificateData: text("client-certificate-data"), clientKeyData: text("client-key-data") });

  test.each<[string, ...(readonly string[])]>([
    ["version", "--server"],
    ["blame", "namespace", "default"],
    ["history", "namespace", "default"],
    ["diff", "namespace", "default", "@2"],
    ["why", "namespace", "default"],
    ["who-can", "get", "pods"],
    ["backup", "--force", join(scratch.path, "backup")],
  ])("%s reaches the server", async (...args) => {
    const kubeconfig = config(admin.cluster, plugin());
    const { stderr } = await run([...args, "--kubeconfig", kubeconfig]);
    // Whatever it has to say of the object: the server has said it.
    expect(stderr).not.toMatch(/exec|credentials|no response from|Unauthorized|kubeconfig/);
    expect(runs()).toBe(1);
  });

  test("node registers itself", async () => {
    const kubeconfig = config(admin.cluster, plugin());
    const node = new Keelson(["node", "--name", "n1", "--dir", scratch.fresh(), "--kubeconfig", kubeconfig]);
    await expect.poll(() => node.stderr, { timeout: 20_000 }).toContain("the node is ready");
    expect((await node.stop()).code).toBe(0);
    expect(runs()).toBe(1);
  });
});

test("tls-server-name says which name the certificate is to have", async () => {
  const asked = (name: string) => [
    "version",
    "--server",
    "--kubeconfig",
    config({ ...admin.cluster, "tls-server-name": name }, admin.user),
  ];
  expect((await run(asked("localhost"))).stdout).toContain("server ");
  expect((await run(asked("elsewhere.example"))).stderr).toContain("elsewhere.example");
});

test("a command goes through the proxy of the kubeconfig, else through that of the environment", async () => {
  const proxy = `http://127.0.0.1:${(echo.address() as AddressInfo).port}`;
  const asked = (cluster: object, env: Record<string, string>) =>
    run(["version", "--server", "--kubeconfig", config(cluster, { token: "t" })], { env });
  const plain = { server: "http://api.example" };
  expect((await asked({ ...plain, "proxy-url": proxy }, {})).stdout).toContain("self Bearer t");
  expect((await asked(plain, { HTTP_PROXY: proxy })).stdout).toContain("self Bearer t");
  expect((await asked({ ...plain, "proxy-url": "socks5://a" }, {})).stderr).toMatch(/^keelson: proxy-url in .*SOCKS/);
});

test("a command that finds no kubeconfig says how to name one", async () => {
  expect((await run(["version", "--server"], { env: { HOME: scratch.path } })).stderr).toContain(
    `expected a kubeconfig at ${join(scratch.path, ".kube", "config")}, found none; name one with --kubeconfig`,
  );
});
