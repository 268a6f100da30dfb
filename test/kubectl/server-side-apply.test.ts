/**
 * Server-side apply as kubectl does it: conflicts, force, managers, diffs, and the way from client-side apply to
 * server-side apply and back. The newest kubectl of the machine has the kubernetes dialect; with `LONG=1` the oldest and one
 * between, too, and the newest the neutral dialect, with `KUBECTLS=all` every one has the first.
 */
import { basename } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RunningServer, startServer } from "../../src/app/index.ts";
import { LONG } from "../../src/util/testing/amount.ts";
import { Kubectl, findKubectls } from "./kubectl.ts";

const installed = findKubectls();
const all = process.env["KUBECTLS"] === "all";
const binaries = installed.filter(
  (_, i) => all || i === 0 || (LONG && i === installed.length >> 1) || i === installed.length - 1,
);
if (binaries.length === 0) console.log("kubectl's server-side apply is not tested: there is no kubectl on the path");

const isWhole = LONG || all;
const targetOf = (dialect: "kubernetes" | "neutral") => (binary: string) => ({
  binary,
  version: basename(binary),
  dialect,
});
const targets = [
  ...(isWhole ? binaries : binaries.slice(-1)).map(targetOf("kubernetes")),
  ...(isWhole ? binaries.slice(-1).map(targetOf("neutral")) : []),
];

interface Entry {
  readonly manager: string;
  readonly operation: string;
  readonly fieldsV1: { readonly "f:data"?: Readonly<Record<string, object>> };
}

const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

const configMap = (name: string, data: Readonly<Record<string, string>>): string =>
  JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data });

describe.each(targets)("$version and server-side apply, dialect $dialect", ({ binary, dialect }) => {
  let server: RunningServer;
  let kubectl: Kubectl;
  let count = 0;

  beforeAll(async () => {
    server = await startServer({ dev: true, port: 0, dialect });
    kubectl = new Kubectl(binary, server.kubeconfig);
  });
  afterAll(() => server?.close());

  const fresh = (): string => `thing-${++count}`;

  const applied = (text: string, ...args: readonly string[]): Promise<string> =>
    kubectl.manifest(text, "apply", "--server-side", ...args);

  async function refused(text: string, ...args: readonly string[]): Promise<string> {
    const { code, stderr } = await kubectl.run(["apply", "--server-side", ...args, "-f", "-"], { stdin: text });
    expect(code).not.toBe(0);
    return stderr;
  }

  interface Read {
    readonly data?: Readonly<Record<string, string>>;
    readonly metadata: {
      readonly resourceVersion: string;
      readonly annotations?: Readonly<Record<string, string>>;
      readonly managedFields: readonly Entry[];
    };
  }

  const read = async (name: string): Promise<Read> =>
    JSON.parse(await kubectl.ok("get", "configmap", name, "-o", "json", "--show-managed-fields")) as Read;

  /** Who owns which members of `data`: `kubectl Apply: a b`. */
  async function owners(name: string): Promise<string[]> {
    const { metadata } = await read(name);
    return metadata.managedFields
      .filter(({ fieldsV1 }) => fieldsV1["f:data"] !== undefined)
      .map(({ manager, operation, fieldsV1 }) => {
        const fields = Object.keys(fieldsV1["f:data"]!).filter((field) => field !== ".");
        return `${manager} ${operation}: ${fields.map((field) => field.slice(2)).join(" ")}`;
      })
      .toSorted();
  }

  test("APPLY-8, MF-2: creates, changes, and changes nothing a second time", async () => {
    const name = fresh();
    expect(await applied(configMap(name, { a: "1", b: "1" }))).toContain(`configmap/${name} serverside-applied`);
    expect(await owners(name)).toEqual(["kubectl Apply: a b"]);
    await applied(configMap(name, { a: "2", b: "1" }));
    const before = await read(name);
    await applied(configMap(name, { a: "2", b: "1" }));
    expect(await read(name)).toEqual(before);
  });

  test("APPLY-14: fields that the file no longer has are removed, unless another manager owns them", async () => {
    const name = fresh();
    await applied(configMap(name, { a: "1", b: "1" }));
    await applied(configMap(name, { b: "1" }), "--field-manager=other");
    await applied(configMap(name, { c: "1" }));
    expect((await read(name)).data).toEqual({ b: "1", c: "1" });
  });

  test("OWN-2, OWN-3: a conflict names field and owner, and nothing changes", async () => {
    const name = fresh();
    await applied(configMap(name, { a: "1" }), "--field-manager=alice");
    const before = await read(name);
    const told = await refused(configMap(name, { a: "2" }), "--field-manager=bob");
    expect(told).toContain('Apply failed with 1 conflict: conflict with "alice": .data.a');
    // Its own advice, which it gives for conflicts of this form only.
    expect(told).toContain("--force-conflicts");
    expect(await read(name)).toEqual(before);
  });

  test("OWN-15: --force-conflicts takes over", async () => {
    const name = fresh();
    await applied(configMap(name, { a: "1", b: "1" }), "--field-manager=alice");
    await applied(configMap(name, { a: "2" }), "--field-manager=bob", "--force-conflicts");
    expect((await read(name)).data).toEqual({ a: "2", b: "1" });
    expect(await owners(name)).toEqual(["alice Apply: b", "bob Apply: a"]);
  });

  test("OWN-16, OWN-17: leaving a field out gives it up, sending its value shares it", async () => {
    const name = fresh();
    await applied(configMap(name, { a: "1", b: "1" }), "--field-manager=alice");
    await applied(configMap(name, { a: "1" }), "--field-manager=bob");
    expect(await owners(name)).toEqual(["alice Apply: a b", "bob Apply: a"]);
    await applied(configMap(name, { b: "1" }), "--field-manager=alice");
    expect(await owners(name)).toEqual(["alice Apply: b", "bob Apply: a"]);
    expect((await read(name)).data).toEqual({ a: "1", b: "1" });
  });

  test("OWN-12, OWN-14: kubectl's other writes take what they change, and an apply conflicts with them", async () => {
    const name = fresh();
    await applied(configMap(name, { a: "1", b: "1" }));
    await kubectl.ok("patch", "configmap", name, "-p", '{"data":{"a":"2"}}');
    expect(await owners(name)).toEqual(["kubectl Apply: b", "kubectl-patch Update: a"]);
    expect(await refused(configMap(name, { a: "1", b: "1" }))).toContain(
      'conflict with "kubectl-patch" using v1: .data.a',
    );
    await kubectl.ok("label", "configmap", name, "tier=front");
    const { metadata } = await read(name);
    expect(metadata.managedFields.map(({ manager }) => manager)).toContain("kubectl-label");
  });

  test("--dry-run=server checks and stores nothing", async () => {
    const name = fresh();
    await applied(configMap(name, { a: "1" }), "--field-manager=alice");
    const before = await read(name);
    await applied(configMap(name, { b: "1" }), "--dry-run=server", "--field-manager=bob");
    expect(await refused(configMap(name, { a: "2" }), "--dry-run=server", "--field-manager=bob")).toContain("alice");
    expect(await read(name)).toEqual(before);
  });

  test("diff --server-side tells what an apply would do, and 0 when that is nothing", async () => {
    const name = fresh();
    await applied(configMap(name, { a: "1", b: "1" }));
    const diff = (data: Readonly<Record<string, string>>, ...args: readonly string[]) =>
      kubectl.run(["diff", "--server-side", ...args, "-f", "-"], { stdin: configMap(name, data) });
    const found = await diff({ a: "2" });
    expect(found.code).toBe(1);
    expect(found.stdout).toMatch(/-\s+a: "1"[\s\S]*\+\s+a: "2"/);
    expect(found.stdout).toMatch(/-\s+b: "1"/);
    expect((await diff({ a: "1", b: "1" })).code).toBe(0);
    const conflict = await diff({ a: "2" }, "--field-manager=other");
    expect(conflict.code).toBeGreaterThan(1);
    expect(conflict.stderr).toContain(".data.a");
    const forced = await diff({ a: "2" }, "--field-manager=other", "--force-conflicts");
    expect(forced.stdout).toMatch(/\+\s+a: "2"/);
    expect((await read(name)).data).toEqual({ a: "1", b: "1" });
  });

  test("from client-side to server-side apply: one owner, what the file drops goes, no conflict", async () => {
    const name = fresh();
    await kubectl.manifest(configMap(name, { a: "1", b: "1" }), "apply");
    expect(await owners(name)).toEqual(["kubectl-client-side-apply Update: a b"]);
    const told = await applied(configMap(name, { a: "2" }));
    expect(told).toContain("serverside-applied");
    expect((await read(name)).data).toEqual({ a: "2" });
    expect(await owners(name)).toEqual(["kubectl Apply: a"]);
  });

  test("TOPO-5: what others wrote before the change of ways stays theirs", async () => {
    const name = fresh();
    await kubectl.manifest(configMap(name, { a: "1" }), "apply");
    await kubectl.ok("patch", "configmap", name, "-p", '{"data":{"b":"theirs"}}');
    await applied(configMap(name, { a: "2" }));
    expect((await read(name)).data).toEqual({ a: "2", b: "theirs" });
    expect(await refused(configMap(name, { a: "2", b: "mine" }))).toContain("kubectl-patch");
  });

  test("from client-side to server-side apply under another manager: kubectl hands over what it had", async () => {
    const name = fresh();
    await kubectl.manifest(configMap(name, { a: "1", b: "1" }), "apply");
    await applied(configMap(name, { a: "1" }), "--field-manager=gitops");
    expect(await owners(name)).toEqual(expect.arrayContaining([expect.stringMatching(/^gitops Apply: a/)]));
    expect((await owners(name)).join()).not.toContain("kubectl-client-side-apply");
    await applied(configMap(name, { a: "2" }), "--field-manager=gitops");
    expect((await read(name)).data).toEqual({ a: "2" });
  });

  test("and back to client-side apply, which goes on from what was applied last", async () => {
    const name = fresh();
    await kubectl.manifest(configMap(name, { a: "1", b: "1" }), "apply");
    await applied(configMap(name, { a: "2", b: "1" }));
    const note = (await read(name)).metadata.annotations?.[LAST_APPLIED];
    expect(JSON.parse(note!)).toMatchObject({ data: { a: "2", b: "1" } });
    expect(await kubectl.manifest(configMap(name, { a: "2" }), "apply")).toContain("configured");
    expect((await read(name)).data).toEqual({ a: "2" });
  });

  test("APPLY-12: unknown fields and wrong types are refused by name", async () => {
    const name = fresh();
    const unknown = configMap(name, {}).replace('"data":{}', '"dada":{}');
    expect(await refused(unknown)).toMatch(/dada/);
    const wrong = configMap(name, {}).replace('"data":{}', '"data":{"a":1}');
    expect(await refused(wrong, "--validate=false")).toMatch(/\.data\.a|data/);
    expect(await kubectl.fails("get", "configmap", name)).toContain("NotFound");
  });

  test("APPLY-20: a subresource is applied on its own", async () => {
    const name = fresh();
    const condition = { type: "Checked", status: "True" };
    const head = { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { name } };
    const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
    await applied(JSON.stringify({ ...head, spec }));
    // Only newer ones have the flag.
    const { code, stderr } = await kubectl.run(
      ["apply", "--server-side", "--subresource=status", "--field-manager=checker", "-f", "-"],
      { stdin: JSON.stringify({ ...head, status: { conditions: [condition] } }) },
    );
    if (/unknown flag/.test(stderr)) return;
    expect({ code, stderr }).toMatchObject({ code: 0 });
    const text = await kubectl.ok("get", "pvc", name, "-o", "json", "--show-managed-fields");
    const { metadata, status } = JSON.parse(text) as { metadata: { managedFields: object[] }; status: object };
    expect(status).toMatchObject({ conditions: [condition] });
    expect(metadata.managedFields).toContainEqual(
      expect.objectContaining({ manager: "checker", operation: "Apply", subresource: "status" }),
    );
  });
});
