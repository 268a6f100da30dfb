/**
 * `keelson doctor` and `keelson upgrade check`, asked of this machine and of a server that runs.
 *
 * @module
 */
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { findEtcd } from "../etcd/binary.ts";
import { startEtcd } from "../etcd/start.ts";
import { Http2Client, Keelson, Scratch, run } from "./keelson.ts";

const hasEtcd = (await findEtcd()).path !== undefined;
const scratch = new Scratch();
/** kubectl makes a folder there. */
const home = scratch.fresh();
const data = scratch.fresh();
let server: Keelson;
beforeAll(async () => {
  server = await Keelson.serve(["--data-dir", data, "--port", "0", "--dialect", "kubernetes"]);
});
afterAll(async () => {
  await server.stop();
  scratch.remove();
});

interface Row {
  readonly check: string;
  readonly found: string;
  readonly verdict: string;
}

async function rowsOf(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { code, stdout, stderr } = await run([...args, "-o", "json"], { env: { HOME: home, ...env } });
  const { checks } = JSON.parse(stdout) as { checks: readonly Row[] };
  return { code, stderr, of: (name: string): Row | undefined => checks.find(({ check }) => check === name) };
}

describe("keelson doctor", () => {
  test("finds the server, its port, and what the admin may do", async () => {
    const { port } = new URL(server.url);
    const env = { KUBECONFIG: join(data, "admin.kubeconfig"), KEELSON_PORT: port };
    const { of } = await rowsOf(["doctor", "--data-dir", data], env);
    expect(of("rights")).toMatchObject({ verdict: "ok", found: "keelson:admin, may do everything" });
    expect(of("server")).toMatchObject({ verdict: "ok", found: expect.stringContaining("v1.35.0+keelson") as string });
    expect(of("clock")).toMatchObject({ verdict: "ok", found: "as the server's" });
    expect(of("data directory")).toMatchObject({ verdict: "ok", found: data });
    if (process.platform !== "linux") return;
    expect(of(`port ${port}`)).toMatchObject({
      verdict: "ok",
      found: `the server of this directory (pid ${server.pid})`,
    });
  });

  test("fails, and names the process, where another one has the port", async () => {
    const { port } = new URL(server.url);
    const { code, stderr, of } = await rowsOf(["doctor", "--data-dir", scratch.fresh()], { KEELSON_PORT: port });
    expect({ code, stderr }).toEqual({ code: 1, stderr: `keelson: 1 check failed: port ${port}\n` });
    expect(of(`port ${port}`)).toMatchObject({ verdict: "fail", found: expect.stringMatching(/^taken by /) as string });
    expect(of("kubeconfig")).toMatchObject({ verdict: "warn" });
  });

  test.each([
    ["null", "null"],
    ["numbers", '{"gitVersion":5,"status":{"allowed":"yes","userInfo":{"username":{}}}}'],
    ["nothing of it", '{"gitVersion":null,"status":null}'],
    ["what a terminal obeys", JSON.stringify({ gitVersion: `\u001b[2J${"v".repeat(1000)}` })],
  ])("judges a server that answers %s", async (_, answer) => {
    const hostile = createServer((_request, response) => response.end(answer)).listen(0, "127.0.0.1");
    onTestFinished(() => void hostile.close());
    await once(hostile, "listening");
    const { port } = hostile.address() as AddressInfo;
    const file = join(scratch.fresh(), "config");
    mkdirSync(join(file, ".."), { recursive: true });
    const cluster = { name: "a", cluster: { server: `http://127.0.0.1:${port}` } };
    const context = { name: "a", context: { cluster: "a", user: "a" } };
    const config = {
      apiVersion: "v1",
      kind: "Config",
      clusters: [cluster],
      contexts: [context],
      users: [{ name: "a", user: {} }],
    };
    writeFileSync(file, JSON.stringify({ ...config, "current-context": "a" }));
    const env = { KUBECONFIG: file, KEELSON_PORT: "0" };
    const { stdout, stderr } = await run(["doctor", "--data-dir", scratch.fresh()], { env: { HOME: home, ...env } });
    const line = /^server .*$/m.exec(stdout)?.[0];
    expect(line).toMatch(/^server +ok/);
    expect(line!.length).toBeLessThan(400);
    expect(stdout).not.toContain("\u001b");
    expect(stderr).not.toContain("at ");
  });

  test("prints a table", async () => {
    const { stdout } = await run(["doctor", "--data-dir", scratch.fresh()], { env: { HOME: home, KEELSON_PORT: "0" } });
    expect(stdout).toMatch(/^CHECK +FOUND +WHAT TO DO\nNode\.js +(?:ok|warn) +v/);
    expect(stdout).toContain("write and flush");
  });

  test("says which option is wrong", async () => {
    const { code, of } = await rowsOf(["doctor"], { KEELSON_PORT: "none" });
    expect(code).toBe(1);
    expect(of("options")).toMatchObject({
      found: expect.stringContaining("expected KEELSON_PORT to be a number") as string,
    });
  });
});

const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

describe("keelson upgrade check", () => {
  test("finds formats, the server, and versions that were requested and stored", async () => {
    const client = await Http2Client.connect(server, data);
    expect((await client.send("GET", "/api/v1/namespaces/default/endpoints")).status).toBe(200);
    client.close();
    const { code, of } = await rowsOf(["upgrade", "check", "--data-dir", data]);
    expect(code).toBe(0);
    expect(of("data directory")).toMatchObject({ verdict: "ok", found: "format 1, dialect kubernetes" });
    expect(of("store")).toMatchObject({ verdict: "ok", found: "format 1" });
    expect(of("closed")).toMatchObject({ found: "a server runs" });
    expect(of("running server")).toMatchObject({ found: expect.stringContaining(`pid ${server.pid}`) as string });
    expect(of("stored versions")).toMatchObject({ verdict: "ok" });
    expect(of("deprecated versions")).toMatchObject({
      verdict: "ok",
      found: "requested, and removed in no known release: endpoints v1",
    });
    expect(of("newest release")).toBeUndefined();
  });

  test("reads all definitions with the credential of an exec plugin, large ones in short pages", async () => {
    const client = await Http2Client.connect(server, data);
    const group = "upgrade.example";
    const paths: string[] = [];
    // Together longer than the longest response that is read.
    for (const kind of ["First", "Second", "Third", "Fourth", "Fifth"]) {
      const plural = `${kind.toLowerCase()}s`;
      const schema = { openAPIV3Schema: { type: "object", description: "d".repeat(1_000_000) } };
      await client.done("POST", DEFINITIONS, {
        apiVersion: "apiextensions.k8s.io/v1",
        kind: "CustomResourceDefinition",
        metadata: { name: `${plural}.${group}` },
        spec: {
          group,
          names: { kind, plural },
          scope: "Namespaced",
          versions: [{ name: "v1", served: true, storage: true, schema }],
        },
      });
      paths.push(`${DEFINITIONS}/${plural}.${group}`);
    }
    const file = join(scratch.fresh(), "config");
    mkdirSync(join(file, ".."), { recursive: true });
    const status = { token: readFileSync(join(data, "admin.token"), "utf8").trim() };
    const issued = { apiVersion: "client.authentication.k8s.io/v1", kind: "ExecCredential", status };
    const exec = {
      apiVersion: issued.apiVersion,
      command: process.execPath,
      args: ["-e", `console.log(${JSON.stringify(JSON.stringify(issued))})`],
      interactiveMode: "Never",
    };
    const cluster = { server: server.url, "certificate-authority": join(data, "pki/ca.crt") };
    const config = {
      clusters: [{ name: "a", cluster }],
      contexts: [{ name: "a", context: { cluster: "a", user: "a" } }],
      users: [{ name: "a", user: { exec } }],
      "current-context": "a",
    };
    writeFileSync(file, JSON.stringify(config));
    const { code, of } = await rowsOf(["upgrade", "check", "--data-dir", scratch.fresh(), "--kubeconfig", file]);
    expect({ code, stored: of("stored versions") }).toMatchObject({
      code: 0,
      stored: { verdict: "ok", found: "5 definitions, each stored in one version" },
    });
    expect(of("deprecated versions")).toMatchObject({ verdict: "ok" });
    for (const path of paths) await client.done("DELETE", path);
    client.close();
  });

  test("fails for a directory of a newer program, and changes nothing", async () => {
    const newer = scratch.fresh();
    mkdirSync(newer);
    writeFileSync(join(newer, "keelson.json"), '{"format":99,"dialect":"kubernetes"}');
    const { code, stderr, of } = await rowsOf(["upgrade", "check", "--data-dir", newer]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: "keelson: 1 check failed: data directory\n" });
    expect(of("data directory")).toMatchObject({ verdict: "fail", found: "format 99, dialect kubernetes" });
  });

  test("fails for a directory that cannot be read", async () => {
    const damaged = scratch.fresh();
    mkdirSync(damaged);
    writeFileSync(join(damaged, "keelson.json"), "");
    const { code, of } = await rowsOf(["upgrade", "check", "--data-dir", damaged]);
    const found = expect.stringContaining("keelson.json to name format and dialect") as string;
    expect({ code, row: of("data directory") }).toMatchObject({ code: 1, row: { verdict: "fail", found } });
  });

  test.runIf(hasEtcd)("reads the data of a server over etcd, and changes nothing", async () => {
    const etcd = await startEtcd();
    onTestFinished(() => etcd.close());
    const flags = ["--store", "etcd", "--etcd-servers", etcd.endpoints.join(","), "--etcd-prefix", "/mine"];
    const check = (directory: string) => rowsOf(["upgrade", "check", "--data-dir", directory, ...flags]);
    const empty = await check(scratch.fresh());
    expect(empty.of("store in etcd")).toMatchObject({
      verdict: "ok",
      found: `etcd ${etcd.version}: nothing is stored below /mine`,
    });
    const directory = scratch.fresh();
    const running = await Keelson.serve(["--data-dir", directory, "--port", "0", "--dialect", "kubernetes", ...flags]);
    await running.stop();
    const found = `etcd ${etcd.version}: format 1, dialect kubernetes`;
    const { code, of } = await check(directory);
    expect({ code, etcd: of("etcd")?.found }).toEqual({ code: 0, etcd: "1 reachable" });
    expect(of("store in etcd")).toMatchObject({ verdict: "ok", found });
    await Promise.all(etcd.members.map((member) => member.kill()));
    const gone = await check(directory);
    expect({ code: gone.code, verdict: gone.of("store in etcd")?.verdict }).toEqual({ code: 1, verdict: "fail" });
    expect(gone.of("store in etcd")?.found).toMatch(/^Expected a member of etcd at .*, found none that responds/);
  });

  test("fails for an option that this version does not have", async () => {
    const config = join(scratch.path, "old.yaml");
    writeFileSync(config, "event-tll: 2h\n");
    const { code, of } = await rowsOf(["upgrade", "check", "--data-dir", scratch.fresh(), "--config", config]);
    expect(code).toBe(1);
    expect(of("options")).toMatchObject({ verdict: "fail", found: expect.stringContaining("event-tll") as string });
  });
});
