import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RunningServer, startServer } from "../../src/app/index.ts";
import { LONG } from "../../src/util/testing/amount.ts";
import { Kubectl, findKubectls } from "./kubectl.ts";

// From 1.32 on the commands below send protobuf and have nothing to fall back to.
const SENDS_PROTOBUF = 32;
const versions = findKubectls()
  .map((binary) => ({ binary, minor: Number(/\.1\.(\d+)$/.exec(binary)?.[1] ?? 0) }))
  .filter(({ minor }) => minor >= SENDS_PROTOBUF);
if (versions.length === 0) console.log("tests of typed bodies are skipped: there is no kubectl.1.32 or newer");

const all = versions.flatMap((version) =>
  (["neutral", "kubernetes"] as const).map((dialect) => ({ ...version, dialect })),
);
/** The usual run has the newest one with the dialect of kubectl. */
const cases = LONG ? all : all.slice(-1);

describe.skipIf(cases.length === 0).each(cases)("kubectl 1.$minor and the $dialect dialect", ({ binary, dialect }) => {
  let server: RunningServer;
  let kubectl: Kubectl;

  beforeAll(async () => {
    server = await startServer({ dev: true, port: 0, dialect });
    kubectl = new Kubectl(binary, server.kubeconfig);
    await kubectl.ok("create", "namespace", "team");
  });
  afterAll(() => server.close());

  const read = async (...what: string[]) => JSON.parse(await kubectl.ok("get", ...what, "-o", "json")) as object;

  test("the commands really send protobuf", async () => {
    const { stderr } = await kubectl.run(["create", "configmap", "seen", "-n", "team", "-v=8"]);
    expect(stderr).toMatch(/Content-Type: application\/vnd\.kubernetes\.protobuf/);
  });

  test("create namespace: it is active and has no traces of Go's zero values", async () => {
    expect(await read("namespace", "team")).toMatchObject({
      spec: { finalizers: ["kubernetes"] },
      status: { phase: "Active" },
    });
    expect(Object.keys((await read("namespace", "team"))["metadata" as never])).not.toContain("generation");
  });

  test("create configmap: texts, bytes and files arrive as they are", async () => {
    const file = join(kubectl.folder, "bytes");
    writeFileSync(file, Uint8Array.of(0, 255, 1));
    await kubectl.ok("create", "configmap", "c", "-n", "team", "--from-literal=k=grün", `--from-file=f=${file}`);
    expect(await read("configmap", "c", "-n", "team")).toMatchObject({
      data: { k: "grün" },
      binaryData: { f: "AP8B" },
    });
    expect(await kubectl.fails("create", "configmap", "c", "-n", "team")).toContain('configmaps "c" already exists');
  });

  test("create secret: data is base64 and the type is kept", async () => {
    await kubectl.ok(
      "create",
      "secret",
      "generic",
      "s",
      "-n",
      "team",
      "--from-literal=password=geheim",
      "--type=example.com/x",
    );
    expect(await read("secret", "s", "-n", "team")).toMatchObject({
      type: "example.com/x",
      data: { password: "Z2VoZWlt" },
    });
  });

  test("create with --dry-run=server and a field manager: options count as with JSON", async () => {
    await kubectl.ok("create", "configmap", "dry", "-n", "team", "--dry-run=server", "--field-manager=me");
    expect(await kubectl.fails("get", "configmap", "dry", "-n", "team")).toContain("NotFound");
    await kubectl.ok("create", "configmap", "mine", "-n", "team", "--field-manager=me", "--from-literal=a=b");
    const { metadata } = (await read("configmap", "mine", "-n", "team", "--show-managed-fields")) as {
      metadata: { managedFields: { manager: string; fieldsV1: object }[] };
    };
    expect(metadata.managedFields).toMatchObject([
      { manager: "me", operation: "Update", fieldsV1: { "f:data": { ".": {}, "f:a": {} } } },
    ]);
  });

  test("the faults of an object are reported as with JSON", async () => {
    expect(await kubectl.fails("create", "configmap", "Bad_Name", "-n", "team")).toMatch(/Invalid|invalid/);
    expect(await kubectl.fails("create", "service", "clusterip", "UPPER", "--tcp=80:80", "-n", "team")).toMatch(
      /nvalid/,
    );
  });

  test("create service: ports are numbers or names", async () => {
    await kubectl.ok("create", "service", "clusterip", "web", "--tcp=80:8080", "-n", "team");
    expect(await read("service", "web", "-n", "team")).toMatchObject({
      spec: { type: "ClusterIP", ports: [{ port: 80, targetPort: 8080, protocol: "TCP" }] },
    });
  });

  test("SUP-7: create serviceaccount and create token give a token that works", async () => {
    await kubectl.ok("create", "serviceaccount", "robot", "-n", "team");
    const token = (await kubectl.ok("create", "token", "robot", "-n", "team", "--duration=15m", "--audience=a")).trim();
    const [, payload = ""] = token.split(".");
    const claims = JSON.parse(Buffer.from(payload, "base64url").toString()) as {
      aud: string[];
      sub: string;
      exp: number;
      iat: number;
    };
    expect(claims).toMatchObject({ sub: "system:serviceaccount:team:robot", aud: ["a"] });
    expect(claims.exp - claims.iat).toBe(900);
  });

  test("auth can-i asks and is answered", async () => {
    expect(await kubectl.ok("auth", "can-i", "create", "configmaps", "-n", "team")).toBe("yes\n");
    expect(await kubectl.ok("auth", "can-i", "get", "/healthz")).toBe("yes\n");
    expect(await kubectl.ok("auth", "can-i", "--list", "-n", "team")).toMatch(/\*\.\*\s+\[\]\s+\[\]\s+\[\*\]/);
  });

  test("auth whoami tells name and groups", async () => {
    expect(await kubectl.ok("auth", "whoami")).toMatch(/Username\s+\S+\nGroups\s+\[.*system:masters/);
  });
});
