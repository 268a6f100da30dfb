import { type StdioOptions, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { X509Certificate } from "node:crypto";
import { closeSync, existsSync, mkdirSync, openSync, statSync, symlinkSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import http2 from "node:http2";
import https from "node:https";
import { networkInterfaces } from "node:os";
import { delimiter, dirname } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { findKubectls } from "../kubectl/kubectl.ts";
import { type Answer, EXECUTABLE, Http2Client, Keelson, Scratch, read, readAnswer, run, until } from "./keelson.ts";

const { version } = JSON.parse(read(new URL("../..", import.meta.url).pathname, "package.json")) as { version: string };
const scratch = new Scratch();
const kubectl = findKubectls().at(-1);
afterAll(() => scratch.remove());

interface Kubeconfig {
  readonly "current-context": string;
  readonly clusters: { cluster: { server: string; "certificate-authority-data": string } }[];
  readonly users: { user: Record<"client-certificate-data" | "client-key-data", string> }[];
}

describe("the first start", () => {
  let keelson: Keelson;
  const directory = scratch.fresh();
  const mode = (name: string): string => (statSync(`${directory}/${name}`).mode & 0o777).toString(8);
  const config = (): Kubeconfig => parse(read(directory, "admin.kubeconfig")) as Kubeconfig;
  const pem = (base64: string): string => Buffer.from(base64, "base64").toString();

  beforeAll(async () => {
    keelson = await Keelson.serve(["--data-dir", directory, "--port", "0"]);
  });
  afterAll(async () => {
    await keelson.stop();
  });

  test("prints version, address, data directory, KUBECONFIG, the time it took, three commands to try, and where to look", () => {
    expect(keelson.stdout.trimEnd().split("\n")).toEqual([
      `keelson ${version} (neutral dialect, sqlite store)`,
      "for clients of Kubernetes start another directory: --data-dir DIRECTORY --dialect kubernetes",
      expect.stringMatching(/^listening on https:\/\/127\.0\.0\.1:\d+$/),
      `data directory: ${directory}`,
      `export KUBECONFIG=${directory}/admin.kubeconfig`,
      expect.stringMatching(/^ready in \d+ ms$/),
      "",
      "try in another terminal, after the export above:",
      "  kubectl create configmap web --from-literal=colour=red",
      "  kubectl get configmap web -o yaml --show-managed-fields",
      "  npx keelson history configmap web",
      "",
      "where to look:",
      `  npx keelson console --data-dir ${directory}   opens the console in a browser`,
      `  npx keelson doctor --data-dir ${directory}    checks this machine, the directory and the clients`,
      "  docs/tutorial.md of the package is a tour, docs/README.md a list of all guides",
    ]);
    // One screen.
    expect(keelson.stdout.split("\n").length).toBeLessThan(24);
    expect(keelson.messages[0]).toBe("INFO  starting");
  });

  test("names the commands as `keelson` where that is in PATH, as in a container", async () => {
    const link = scratch.fresh();
    mkdirSync(link);
    symlinkSync(new URL("../../bin/keelson.js", import.meta.url).pathname, `${link}/keelson`);
    const other = await Keelson.serve(["--data-dir", scratch.fresh(), "--port", "0"], {
      executable: `${link}/keelson`,
    });
    await other.stop();
    expect(other.stdout).toContain("\n  keelson history configmap web\n");
    expect(other.stdout).not.toContain("npx");
  });

  test("the commands to look further are there", async () => {
    const { stdout } = await run(["help"]);
    const named = [...keelson.stdout.matchAll(/npx keelson (console|doctor) /g)].map(([, name]) => name);
    expect(named).toEqual(["console", "doctor"]);
    for (const name of named) expect(stdout).toMatch(new RegExp(`^  ${name} `, "m"));
  });

  test("makes files that only the owner may read", () => {
    const secret = [
      "admin.kubeconfig",
      "admin.token",
      "pki/ca.key",
      "pki/server.key",
      "pki/admin.key",
      "pki/token.key",
    ];
    expect(Object.fromEntries(secret.map((name) => [name, mode(name)]))).toEqual(
      Object.fromEntries(secret.map((name) => [name, "600"])),
    );
    expect([mode("."), mode("pki"), mode("store")]).toEqual(["700", "700", "700"]);
  });

  test("server.json names process, version and address, and info repeats it", async () => {
    expect(JSON.parse(read(directory, "server.json"))).toMatchObject({
      pid: keelson.pid,
      version,
      addresses: [keelson.url],
      dialect: "neutral",
    });
    const { stdout } = await run(["info", "--data-dir", directory, "-o", "json"]);
    expect(JSON.parse(stdout)).toMatchObject({ path: directory, dialect: "neutral", running: { pid: keelson.pid } });
    expect((await run(["info", "--data-dir", directory])).stdout).toContain(`pid ${keelson.pid}, ${keelson.url}`);
  });

  test("keelson kubeconfig prints the kubeconfig", async () => {
    const { stdout, code } = await run(["kubeconfig", "--data-dir", directory]);
    expect({ stdout, code }).toEqual({ stdout: read(directory, "admin.kubeconfig"), code: 0 });
  });

  test.skipIf(!kubectl)("kubectl works with the kubeconfig as it is", async () => {
    const env = { PATH: process.env["PATH"], HOME: directory, KUBECONFIG: `${directory}/admin.kubeconfig` };
    const { stdout } = await promisify(execFile)(kubectl!, ["get", "namespaces", "-o", "name"], { env });
    expect(stdout).toBe("namespace/default\n");
  });

  test.skipIf(!kubectl)("the commands to try work, in a checkout", async () => {
    const cwd = new URL("../..", import.meta.url).pathname;
    const PATH = [dirname(kubectl!), dirname(process.execPath), process.env["PATH"]].join(delimiter);
    const env = { PATH, HOME: directory, KUBECONFIG: `${directory}/admin.kubeconfig` };
    const [, tried = ""] = /try in another terminal.*:\n((?: {2}.*\n)+)/.exec(keelson.stdout) ?? [];
    const commands = tried.split("\n").filter((line) => line !== "");
    const outputs: string[] = [];
    for (const command of commands) {
      outputs.push((await promisify(execFile)("sh", ["-c", command], { cwd, env })).stdout);
    }
    expect(outputs).toEqual([
      "configmap/web created\n",
      expect.stringMatching(/manager: kubectl-create\n/),
      expect.stringMatching(/created +kubectl-create/),
    ]);
  });

  test("the kubeconfig names address and CA, and its client certificate is the admin", async () => {
    const { clusters, users } = config();
    expect(clusters[0]!.cluster.server).toBe(keelson.url);
    const session = http2.connect(keelson.url, {
      ca: pem(clusters[0]!.cluster["certificate-authority-data"]),
      cert: pem(users[0]!.user["client-certificate-data"]),
      key: pem(users[0]!.user["client-key-data"]),
    });
    const { status, json } = await readAnswer(session.request({ ":path": "/api/v1/namespaces/default" }));
    expect({ status, kind: json.kind }).toEqual({ status: 200, kind: "Namespace" });
    session.close();
  });

  test("HTTP/2 and HTTP/1.1 answer on the same port, chosen by ALPN", async () => {
    const client = await Http2Client.connect(keelson, directory);
    expect((client.session.socket as unknown as { alpnProtocol: string }).alpnProtocol).toBe("h2");
    expect((await client.send("GET", "/api/v1/namespaces/default")).status).toBe(200);
    client.close();
    const answer = await overHttp1(keelson, directory, "/api/v1/namespaces/default");
    expect(answer).toMatchObject({ httpVersion: "1.1", statusCode: 200 });
  });

  test("the serving certificate is good for localhost and both loopback addresses", async () => {
    for (const servername of ["localhost", "127.0.0.1", "::1"]) {
      const request = https.get(`${keelson.url}/healthz`, {
        ca: read(directory, "pki/ca.crt"),
        agent: false,
        // Checked as if it had been reached by this name.
        checkServerIdentity: (_, cert) => {
          expect(cert.subjectaltname).toMatch(servername === "::1" ? "0:0:0:0:0:0:0:1" : servername);
          return undefined;
        },
      });
      const [response] = (await once(request, "response")) as [IncomingMessage];
      response.resume();
      expect(response.statusCode).toBe(200);
    }
  });
});

test("a second start in the same directory prints no commands to try", async () => {
  const args = ["--data-dir", scratch.fresh(), "--port", "0"];
  const outputs: string[] = [];
  for (let start = 0; start < 2; start++) {
    const keelson = await Keelson.serve(args);
    await keelson.stop();
    outputs.push(keelson.stdout);
  }
  expect(outputs.map((output) => output.includes("kubectl create configmap web"))).toEqual([true, false]);
});

const REASONS: Readonly<Record<number, string>> = { 401: "Unauthorized", 403: "Forbidden" };

describe("identity", () => {
  let keelson: Keelson;
  let client: Http2Client;
  const directory = scratch.fresh();
  const ask = async (path: string, headers: Record<string, string>): Promise<Answer> => {
    const stranger = await Http2Client.connect(keelson, directory, headers);
    const answer = await stranger.send("GET", path);
    stranger.close();
    return answer;
  };

  beforeAll(async () => {
    keelson = await Keelson.serve(["--data-dir", directory, "--port", "0", "--dialect", "kubernetes"]);
    client = await Http2Client.connect(keelson, directory);
  });
  afterAll(async () => {
    client.close();
    await keelson.stop();
  });

  test.each([
    ["no credential", {}, 403],
    ["a wrong token", { authorization: "Bearer wrong" }, 401],
    ["the token with something behind it", { authorization: "Bearer TOKENx" }, 401],
    ["half the token", { authorization: "Bearer HALF" }, 401],
    ["a scheme that is not Bearer", { authorization: "Basic TOKEN" }, 403],
    ["no token behind the scheme", { authorization: "Bearer" }, 403],
  ])(
    "AUTH-1, AUTHN-4, AUTHN-6, AUTHN-11: %s is refused with a Status, whatever is asked for",
    async (_, headers: { authorization?: string }, code) => {
      const token = read(directory, "admin.token");
      const sent = Object.entries(headers).map(([name, value]) => [
        name,
        value.replace("TOKEN", token).replace("HALF", token.slice(0, 20)),
      ]);
      for (const path of ["/api/v1/namespaces", "/apis", "/metrics", "/openapi/v3", "/no/such/path"]) {
        const { status, json } = await ask(path, Object.fromEntries(sent) as Record<string, string>);
        expect({ path, status, reason: json.reason }).toEqual({ path, status: code, reason: REASONS[code] });
      }
    },
  );

  test("AUTH-1: a client certificate of another CA is answered 401", async () => {
    const other = scratch.fresh();
    const elsewhere = await Keelson.serve(["--data-dir", other, "--port", "0"]);
    await elsewhere.stop();
    const session = http2.connect(keelson.url, {
      ca: read(directory, "pki/ca.crt"),
      cert: read(other, "pki/admin.crt"),
      key: read(other, "pki/admin.key"),
    });
    const { status } = await readAnswer(session.request({ ":path": "/api/v1/namespaces" }));
    expect(status).toBe(401);
    session.close();
  });

  test("health, readiness and version are answered without a credential", async () => {
    for (const path of ["/livez", "/readyz", "/healthz"]) {
      expect(await ask(path, {})).toMatchObject({ status: 200, text: "ok" });
    }
    expect((await ask("/readyz?verbose", {})).text).toMatch(/\[\+\]log ok\n\[\+\]etcd ok\n\[\+\]watch-cache ok\n/);
    expect((await ask("/version", {})).status).toBe(200);
  });

  test("metrics tell of requests by verb and resource, watches, the store, the cache and the process", async () => {
    await client.send("POST", "/api/v1/namespaces", {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: "seen" },
    });
    await client.send("GET", "/api/v1/namespaces/seen");
    const { text } = await client.send("GET", "/metrics");
    const value = (series: string): number => {
      const line = text.split("\n").find((l) => l.startsWith(`${series} `));
      return Number(line?.slice(series.length + 1) ?? Number.NaN);
    };
    const labels = 'verb="get",group="",version="v1",resource="namespaces",subresource=""';
    expect(value(`apiserver_request_total{${labels},code="200"}`)).toBeGreaterThanOrEqual(1);
    expect(value(`apiserver_request_duration_seconds_count{${labels}}`)).toBeGreaterThanOrEqual(1);
    expect(value(`apiserver_response_sizes_sum{${labels}}`)).toBeGreaterThan(100);
    expect(value('apiserver_longrunning_requests{group="",version="v1",resource="namespaces"}')).toBeGreaterThan(0);
    expect(value("keelson_store_revision")).toBeGreaterThan(0);
    expect(value("keelson_store_bytes")).toBeGreaterThan(0);
    expect(value("keelson_store_writes_total")).toBeGreaterThan(0);
    expect(value("keelson_store_flush_duration_seconds_count")).toBeGreaterThan(0);
    expect(value('keelson_cache_objects{resource="core/namespaces"}')).toBeGreaterThanOrEqual(5);
    expect(value("keelson_cache_mismatches_total")).toBe(0);
    expect(value("process_resident_memory_bytes")).toBeGreaterThan(1e7);
    expect(value("process_cpu_user_seconds_total")).toBeGreaterThan(0);
  });
});

async function overHttp1(keelson: Keelson, directory: string, path: string): Promise<IncomingMessage> {
  const request = https.get(keelson.url + path, {
    ca: read(directory, "pki/ca.crt"),
    headers: { authorization: `Bearer ${read(directory, "admin.token")}` },
    agent: false,
  });
  const [response] = (await once(request, "response")) as [IncomingMessage];
  response.resume();
  return response;
}

test("with --log-format json every line is an object, whatever happens, and nothing is on standard output", async () => {
  const given = ["serve", "--dev", "--port", "0", "--log-format", "json"];
  const lines = (text: string): Record<string, unknown>[] =>
    text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  const keelson = new Keelson([...given, "--etcd-servers", "https://user:word@127.0.0.1:1"]);
  await until(() => keelson.stderr.includes('"ready"'));
  await keelson.stop();
  const [starting, ready, stopping] = lines(keelson.stderr);
  expect(starting).toMatchObject({
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
    level: "info",
    msg: "starting",
    version,
    options: { dev: "true", port: "0", "log-format": "json", "etcd-servers": "https://***@127.0.0.1:1" },
  });
  expect(ready).toMatchObject({ msg: "ready", url: expect.stringMatching(/^https:/) as string, dialect: "neutral" });
  expect(stopping).toMatchObject({ msg: "stopping", why: "SIGTERM" });
  expect(keelson.stdout).toBe("");
  const failed = await run([...given, "--bind", "192.0.2.1"]);
  expect(lines(failed.stderr).at(-1)).toMatchObject({
    level: "error",
    msg: "the program ends",
    error: "expected --bind to be an address of this machine, got 192.0.2.1",
  });
  expect([failed.code, failed.stdout]).toEqual([2, ""]);
});

test("where both outputs are one file it has the log, and of what is printed the token alone that no log has", async () => {
  const text = (): string => read(scratch.path, "both.log");
  const both = async (args: readonly string[]): Promise<string> => {
    const output = openSync(`${scratch.path}/both.log`, "w");
    const stdio: StdioOptions = ["ignore", output, output];
    const child = spawn(process.execPath, [EXECUTABLE, "serve", "--port", "0", ...args], { stdio });
    closeSync(output);
    const ended = once(child, "close");
    await until(() => /INFO {2}ready/.test(text()));
    child.kill("SIGTERM");
    await ended;
    return text();
  };
  const directory = scratch.fresh();
  const log = (await both(["--data-dir", directory])).split("\n").filter((line) => line !== "");
  // A machine that is busy also gets lines on the progress of its start, and on what was slow.
  expect(log.filter((line) => !/^\S+Z (?:INFO|WARN) /.test(line))).toEqual([]);
  const messages = log.map((line) => line.replace(/^\S+Z ([A-Z]+ +\S.*?)(?:  .*)?$/, "$1"));
  expect(messages.filter((one) => /^INFO {2}(?:starting|ready|stopping|stopped)$/.test(one))).toEqual([
    "INFO  starting",
    "INFO  ready",
    "INFO  stopping",
    "INFO  stopped",
  ]);
  expect(log[0]).toMatch(/ dataDir=\S+ store=sqlite options=\{"port":"0"\}$/);
  expect(await both(["--dev"])).toMatch(/^bearer token: \S+\nkubectl --server=\S+ .*\n/m);
});

test("variables of the environment that begin like ours and are no options are named, and stop nothing", async () => {
  const env = { KEELSON_PROT: "1", KEELSON_UI_COLOUR: "blue", KEELSON_ROOT: "/x" };
  const keelson = await Keelson.serve(["--dev", "--port", "0"], { env });
  await keelson.stop();
  const [warning] = keelson.stderr.split("\n").filter((line) => line.includes("WARN"));
  expect(warning).toContain("unknown environment variables are ignored");
  expect(warning).toContain("KEELSON_PROT; did you mean");
  expect(warning).toContain("KEELSON_UI_COLOUR");
  expect(keelson.stderr).not.toContain("KEELSON_ROOT");
});

test("--dev tells a kubectl without a kubeconfig what it needs, and --kubeconfig-out goes with the server", async () => {
  const file = `${scratch.path}/out.kubeconfig`;
  const plain = await Keelson.serve(["--dev", "--port", "0"]);
  const [, token] = /^bearer token: (.*)$/m.exec(plain.stdout)!;
  expect(plain.stdout).toContain(
    `\nkubectl --server=${plain.url} --token=${token} --insecure-skip-tls-verify get namespaces\n`,
  );
  await plain.stop();
  const keelson = await Keelson.serve(["--dev", "--port", "0", "--kubeconfig-out", file]);
  expect(keelson.stdout).toContain(`\nexport KUBECONFIG=${file}\n`);
  expect((statSync(file).mode & 0o777).toString(8)).toBe("600");
  const { clusters } = parse(read(scratch.path, "out.kubeconfig")) as Kubeconfig;
  expect(clusters[0]!.cluster.server).toBe(keelson.url);
  await keelson.stop();
  expect(existsSync(file)).toBe(false);

  const kept = await Keelson.serve(["--data-dir", scratch.fresh(), "--port", "0", "--kubeconfig-out", file]);
  await kept.stop();
  expect(existsSync(file)).toBe(true);
});

test("with all addresses of the machine the certificate names them, and they are printed", async () => {
  const directory = scratch.fresh();
  const keelson = await Keelson.serve(["--data-dir", directory, "--port", "0", "--bind", "0.0.0.0"]);
  const certificate = new X509Certificate(read(directory, "pki/server.crt"));
  const others = Object.values(networkInterfaces())
    .flatMap((all) => all ?? [])
    .filter(({ internal, family }) => !internal && family === "IPv4")
    .map(({ address }) => address);
  expect(others.map((address) => certificate.checkIP(address))).toEqual(others);
  const port = new URL(keelson.url).port;
  for (const address of others) expect(keelson.stdout).toContain(`https://${address}:${port}`);
  await keelson.stop();
});
