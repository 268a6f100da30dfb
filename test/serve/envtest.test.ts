/**
 * The programs of the directory that `keelson envtest` makes, started as envtest starts them, without Go.
 *
 * @module
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { type IncomingMessage, get as plainGet } from "node:http";
import { request } from "node:https";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type KeyPair, client } from "../../src/pki/index.ts";
import { authority, serving } from "../../src/pki/certificate.ts";
import { Scratch, run } from "./keelson.ts";

const scratch = new Scratch();
const assets = join(scratch.path, "assets");
beforeAll(async () => {
  await run(["envtest", assets]);
});
afterAll(() => scratch.remove());

/** Less than running requests may take at the end; how busy the machine is proves nothing. */
const MOST_MS = 20_000;
const TERM = { now: Date.now(), days: 7 };
const users = authority(TERM);
const server = authority(TERM);
const strangers = authority(TERM);
const admin = client(users, "admin", ["system:masters"], TERM);

/** An unused port. */
async function freePort(): Promise<number> {
  const listener = createServer().listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address() as { port: number };
  listener.close();
  return port;
}

/** A program of the directory that runs. */
class Program implements AsyncDisposable {
  readonly process: ChildProcess;
  said = "";
  readonly ended: Promise<{ code: number | null; millis: number }>;
  #stopped = 0;

  constructor(name: "etcd" | "kube-apiserver", args: readonly string[]) {
    this.process = spawn(join(assets, name), args, { stdio: ["ignore", "ignore", "pipe"], detached: true });
    this.process.stderr!.on("data", (chunk: Buffer) => (this.said += chunk.toString()));
    this.ended = once(this.process, "close").then(([code]) => ({
      code: code as number | null,
      millis: performance.now() - this.#stopped,
    }));
  }

  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<{ code: number | null; millis: number }> {
    this.#stopped = performance.now();
    this.process.kill(signal);
    return this.ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop("SIGKILL");
  }
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Asks until there is an answer; rejects when the program has ended. */
async function eventually(program: Program, ask: () => Promise<Answer>): Promise<Answer> {
  const early = program.ended.then(() => {
    throw new Error(`the program has ended: ${program.said}`);
  });
  early.catch(() => {});
  for (;;) {
    const found = await Promise.race([early, ask().catch(() => undefined)]);
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function readAll(answer: IncomingMessage): Promise<Answer> {
  let text = "";
  for await (const piece of answer) text += String(piece);
  return { status: answer.statusCode!, text };
}

const askPlain = async (url: string): Promise<Answer> => {
  const [answer] = (await once(plainGet(url, { agent: false }), "response")) as [IncomingMessage];
  return readAll(answer);
};

/** An etcd that answers. */
async function startEtcd(directory: string, ...more: string[]): Promise<Program & { url: string }> {
  const url = `http://127.0.0.1:${await freePort()}`;
  const etcd = new Program("etcd", [`--data-dir=${directory}`, `--listen-client-urls=${url}`, ...more]);
  await eventually(etcd, () => askPlain(`${url}/health`));
  return Object.assign(etcd, { url });
}

interface Ask {
  readonly method?: string;
  readonly body?: object;
  readonly as?: KeyPair;
  readonly token?: string;
}

/** An API server with the certificates that envtest makes for it. */
class ApiServer extends Program {
  readonly port: number;
  readonly #ca: string;

  constructor(args: readonly string[], port: number, ca: string) {
    super("kube-apiserver", args);
    this.port = port;
    this.#ca = ca;
  }

  static async start(etcd: { url: string }, ...more: string[]): Promise<ApiServer> {
    const port = await freePort();
    const certificates = scratch.fresh();
    mkdirSync(certificates);
    const write = (name: string, text: string): void => writeFileSync(join(certificates, name), text);
    const own = serving(server, ["localhost", "127.0.0.1"], TERM);
    write("apiserver.crt", own.cert);
    write("apiserver.key", own.key);
    write("users.crt", users.cert);
    write("sa-signer.crt", server.cert);
    write("sa-signer.key", server.key);
    const api = new ApiServer(
      [
        "--allow-privileged=true",
        "--authorization-mode=RBAC",
        "--bind-address=127.0.0.1",
        `--cert-dir=${certificates}`,
        `--client-ca-file=${join(certificates, "users.crt")}`,
        "--disable-admission-plugins=ServiceAccount",
        `--etcd-servers=${etcd.url}`,
        `--secure-port=${port}`,
        `--service-account-issuer=https://127.0.0.1:${port}/`,
        `--service-account-key-file=${join(certificates, "sa-signer.crt")}`,
        `--service-account-signing-key-file=${join(certificates, "sa-signer.key")}`,
        "--service-cluster-ip-range=10.0.0.0/24",
        ...more,
      ],
      port,
      server.cert,
    );
    // As envtest does: an early request gets the response of the program that listens.
    await eventually(api, async () => {
      const answer = await api.ask("/readyz", { as: admin });
      if (answer.status !== 200) throw new Error(answer.text);
      return answer;
    });
    return api;
  }

  async ask(path: string, ask: Ask = {}): Promise<Answer> {
    return readAll(await this.open(path, ask));
  }

  /** Resolves when an answer has begun. */
  async open(path: string, { method = "GET", body, as, token }: Ask = {}): Promise<IncomingMessage> {
    const headers = {
      ...(body ? { "content-type": "application/json" } : {}),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    };
    const options = { method, path, port: this.port, host: "127.0.0.1", ca: this.#ca, headers, agent: false, ...as };
    const asked = request({ ...options, rejectUnauthorized: this.#ca !== "" });
    asked.end(body && JSON.stringify(body));
    const [answer] = (await once(asked, "response")) as [IncomingMessage];
    return answer;
  }
}

/** What a server answers, as JSON. */
// oxlint-disable-next-line typescript/no-explicit-any
const jsonOf = (answer: Answer): any => JSON.parse(answer.text);

const WHO = { method: "POST", body: { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" } };
const who = async (api: ApiServer, ask: Ask) => {
  const answer = await api.ask("/apis/authentication.k8s.io/v1/selfsubjectreviews", { ...ask, ...WHO });
  return answer.status === 201 ? jsonOf(answer).status.userInfo : answer.status;
};

const MAPS = "/api/v1/namespaces/default/configmaps";
const made = (name: string): Ask => ({
  method: "POST",
  as: admin,
  body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name } },
});

test("the command says what to tell the shell", async () => {
  const { stdout } = await run(["envtest", join(scratch.path, "a path")]);
  expect(stdout).toBe(`export KUBEBUILDER_ASSETS='${scratch.path}/a path'\n`);
});

describe("etcd", () => {
  test("reports that it is healthy, and ends on a signal", async () => {
    const data = scratch.fresh();
    await using etcd = await startEtcd(data, "--listen-peer-urls=http://127.0.0.1:1", "--unsafe-no-fsync=true");
    expect(await askPlain(`${etcd.url}/health`)).toEqual({ status: 200, text: '{"health":"true","reason":""}' });
    expect((await askPlain(`${etcd.url}/version`)).text).toMatch(/"etcdserver":"3\.6\./);
    expect((await askPlain(`${etcd.url}/v3/kv`)).status).toBe(404);
    expect(existsSync(data)).toBe(true);
    const { code, millis } = await etcd.stop();
    expect(code).toBe(0);
    expect(millis).toBeLessThan(MOST_MS);
    expect(etcd.said).toContain("flags that have no effect  flags=listen-peer-urls");
  });

  test.each([
    [["word"], 'etcd: expected a flag such as --name=value, got "word"\n', 2],
    [["--listen-client-urls=https://a:1"], /^etcd: expected --listen-client-urls to have addresses such as /, 2],
    [["--data-dir=/dev/null"], /^etcd: expected \/dev\/null\/keelson to be a directory that can be written to, /, 1],
  ])("%j is refused", async (args, message, code) => {
    const etcd = new Program("etcd", args);
    expect((await etcd.ended).code).toBe(code);
    expect(etcd.said).toMatch(message);
  });
});

describe("kube-apiserver", () => {
  test("knows users by certificate, by token and by the tokens that it signs", async () => {
    const tokens = join(scratch.path, "tokens.csv");
    writeFileSync(tokens, 'secret,pat,7,"team,system:masters"\n');
    await using etcd = await startEtcd(scratch.fresh());
    await using api = await ApiServer.start(etcd, `--token-auth-file=${tokens}`);

    const kim = client(users, "kim", ["team", "other"], TERM);
    expect(await who(api, { as: kim })).toMatchObject({
      username: "kim",
      groups: ["team", "other", "system:authenticated"],
    });
    expect(await who(api, { token: "secret" })).toMatchObject({ username: "pat", uid: "7" });
    expect(await who(api, { token: "wrong" })).toBe(401);
    // AUTHN-17: a certificate of another authority is no credential, and there is no other.
    expect(await who(api, { as: client(strangers, "kim", ["system:masters"], TERM) })).toBe(401);

    expect((await api.ask(MAPS, { as: admin })).status).toBe(200);
    expect((await api.ask(MAPS, { token: "secret" })).status).toBe(200);
    expect((await api.ask("/apis", { as: kim })).status).toBe(200);
    expect(jsonOf(await api.ask(MAPS, { as: kim }))).toMatchObject({
      code: 403,
      message: expect.stringContaining('User "kim" cannot list resource "configmaps" in API group ""') as string,
    });
    expect(jsonOf(await api.ask(MAPS))).toMatchObject({
      code: 403,
      message: expect.stringContaining('User "system:anonymous" cannot list') as string,
    });

    const accounts = "/api/v1/namespaces/default/serviceaccounts";
    const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "robot" } };
    expect((await api.ask(accounts, { method: "POST", as: admin, body: account })).status).toBe(201);
    const asked = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { expirationSeconds: 600 } };
    const { token } = jsonOf(
      await api.ask(`${accounts}/robot/token`, { method: "POST", as: admin, body: asked }),
    ).status;
    const claims = JSON.parse(Buffer.from(token.split(".")[1], "base64url").toString());
    expect(claims).toMatchObject({ iss: `https://127.0.0.1:${api.port}/`, aud: [`https://127.0.0.1:${api.port}/`] });
    expect(await who(api, { token })).toMatchObject({ username: "system:serviceaccount:default:robot" });
    await api.ask(`${accounts}/robot`, { method: "DELETE", as: admin });
    expect(await who(api, { token })).toBe(401);
  });

  test("ends quickly, also during a watch, and what was stored is there after its next start", async () => {
    await using etcd = await startEtcd(scratch.fresh());
    await using first = await ApiServer.start(etcd);
    expect((await first.ask(MAPS, made("kept"))).status).toBe(201);
    const watched = await first.open(`${MAPS}?watch=true`, { as: admin });
    const { code, millis } = await first.stop();
    expect((await readAll(watched)).text).toContain('"name":"kept"');
    expect(code).toBe(0);
    expect(millis).toBeLessThan(MOST_MS);

    await using second = await ApiServer.start(etcd);
    expect((await second.ask(`${MAPS}/kept`, { as: admin })).status).toBe(200);
    expect((await second.ask(MAPS, made("killed"))).status).toBe(201);
    await second.stop("SIGKILL");

    await using third = await ApiServer.start(etcd);
    expect((await third.ask(`${MAPS}/killed`, { as: admin })).status).toBe(200);
  });

  test("two control planes know nothing of each other", async () => {
    await using etcd = await startEtcd(scratch.fresh());
    await using otherEtcd = await startEtcd(scratch.fresh());
    await using api = await ApiServer.start(etcd);
    await using other = await ApiServer.start(otherEtcd);
    expect((await api.ask(MAPS, made("here"))).status).toBe(201);
    expect((await other.ask(`${MAPS}/here`, { as: admin })).status).toBe(404);
  });

  test("serves what its flags say, without the steps of admission that they leave out", async () => {
    await using etcd = await startEtcd(scratch.fresh());
    await using api = await ApiServer.start(
      etcd,
      "--runtime-config=apps/v1=false",
      "--disable-admission-plugins=StorageObjectInUseProtection",
      "--authorization-mode=AlwaysAllow",
    );
    expect((await api.ask("/apis/apps/v1/deployments", { as: admin })).status).toBe(404);
    expect((await api.ask("/apis/batch/v1/jobs", { as: admin })).status).toBe(200);
    // As with a real one: who shows nothing may not do everything.
    expect((await api.ask(MAPS)).status).toBe(401);
    expect((await api.ask("/readyz")).status).toBe(401);
    expect(api.said).toContain("anonymous requests are refused");
    expect((await api.ask(MAPS, { as: client(users, "kim", [], TERM) })).status).toBe(200);
    const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
    const claim = { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { name: "c" }, spec };
    const answer = await api.ask("/api/v1/namespaces/default/persistentvolumeclaims", {
      method: "POST",
      as: admin,
      body: claim,
    });
    expect(jsonOf(answer).metadata).not.toHaveProperty("finalizers");
  });

  test("CRYPT-3, CRYPT-13: stores Secrets encrypted by a file, and reads them with it alone", async () => {
    const file = join(scratch.path, "encryption.json");
    const key = (name: string): object => ({ name, secret: Buffer.alloc(32, name).toString("base64") });
    const write = (...names: string[]): void => {
      const resources = [{ resources: ["secrets"], providers: [{ aesgcm: { keys: names.map(key) } }] }];
      const head = { apiVersion: "apiserver.config.k8s.io/v1", kind: "EncryptionConfiguration" };
      writeFileSync(file, JSON.stringify({ ...head, resources }));
    };
    write("key1");
    const data = scratch.fresh();
    await using etcd = await startEtcd(data);
    const flags = [`--encryption-provider-config=${file}`, "--encryption-provider-config-automatic-reload=true"];
    const secrets = "/api/v1/namespaces/default/secrets";
    const word = Buffer.from("hidden word");
    const body = { apiVersion: "v1", kind: "Secret", metadata: { name: "a" }, data: { word: word.toString("base64") } };
    {
      await using api = await ApiServer.start(etcd, ...flags);
      expect((await api.ask(secrets, { method: "POST", as: admin, body })).status).toBe(201);
      expect((await api.ask("/healthz/kms-providers", { as: admin })).status).toBe(200);
      const { text } = await api.ask("/metrics", { as: admin });
      expect(text).toContain('apiserver_encryption_config_controller_automatic_reloads_total{status="success"} 0');
      expect(api.said).not.toContain("encryption-provider-config");
    }
    const everything = readdirSync(data, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
      .join("");
    expect(everything).toContain("k8s:enc:aesgcm:v1:key1:");
    expect(everything).not.toContain(word.toString("base64"));
    write("key2", "key1");
    {
      await using api = await ApiServer.start(etcd, ...flags);
      expect(jsonOf(await api.ask(`${secrets}/a`, { as: admin })).data).toEqual(body.data);
    }
    await using without = await ApiServer.start(etcd);
    expect((await without.ask(`${secrets}/a`, { as: admin })).status).toBe(500);
  });

  test("makes a certificate where it is given none, and keeps it", async () => {
    await using etcd = await startEtcd(scratch.fresh());
    const certificates = scratch.fresh();
    const port = await freePort();
    const args = [`--etcd-servers=${etcd.url}`, `--cert-dir=${certificates}`, `--secure-port=${port}`];
    const start = async (): Promise<string> => {
      await using api = new ApiServer([...args, "--bind-address=127.0.0.1"], port, "");
      const found = (): string => readFileSync(join(certificates, "apiserver.crt"), "utf8");
      await eventually(api, () => api.ask("/healthz"));
      return found();
    };
    const certificate = await start();
    expect(certificate).toContain("BEGIN CERTIFICATE");
    expect(await start()).toBe(certificate);
  });

  test.each([
    [["--client-ca-file=/nowhere"], /^kube-apiserver: expected --client-ca-file to name a file that can be read: /, 2],
    [
      ["--encryption-provider-config=/nowhere"],
      /^kube-apiserver: expected \/nowhere to be readable, found no such file or directory/,
      2,
    ],
    [["--encryption-provider-config-automatic-reload"], /automatic-reload to be given with --encryption-provider-/, 2],
    [
      ["--tls-cert-file=/a", "--tls-private-key-file=/b"],
      /^kube-apiserver: expected --tls-cert-file to name a file /,
      2,
    ],
    [
      ["--service-account-signing-key-file=/dev/null"],
      /^kube-apiserver: .*--service-account-signing-key-file to hold/,
      2,
    ],
    [
      ["--service-account-key-file=/dev/null"],
      /^kube-apiserver: .*--service-account-key-file \/dev\/null to hold a key/,
      2,
    ],
  ])("%j is refused", async (args, message, code) => {
    await using etcd = await startEtcd(scratch.fresh());
    const api = new Program("kube-apiserver", [`--etcd-servers=${etcd.url}`, "--secure-port=0", ...args]);
    expect((await api.ended).code).toBe(code);
    expect(api.said).toMatch(message);
  });

  test("a missing etcd is reported", async () => {
    const api = new Program("kube-apiserver", ["--etcd-servers=http://127.0.0.1:1"]);
    expect((await api.ended).code).toBe(2);
    expect(api.said).toMatch(
      /^kube-apiserver: expected --etcd-servers to name a running etcd, .*:1 does not respond: /,
    );
  });

  test("a port that is in use is reported", async () => {
    await using etcd = await startEtcd(scratch.fresh());
    const { port } = new URL(etcd.url);
    const flags = [`--etcd-servers=${etcd.url}`, `--secure-port=${port}`, "--bind-address=127.0.0.1"];
    const api = new Program("kube-apiserver", flags);
    expect((await api.ended).code).toBe(1);
    expect(api.said).toContain(`127.0.0.1:${port}`);
  });
});

test("both end when the process that has started them is gone", async () => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const script = `'${join(assets, "etcd")}' --data-dir='${scratch.fresh()}' --listen-client-urls=${url} & wait`;
  const parent = spawn("/bin/sh", ["-c", script], { stdio: "ignore" });
  await expect.poll(() => askPlain(`${url}/health`).catch(() => undefined), { timeout: 20_000 }).toBeDefined();
  parent.kill("SIGKILL");
  await expect.poll(() => askPlain(`${url}/health`).catch(() => undefined), { timeout: 20_000 }).toBeUndefined();
});
