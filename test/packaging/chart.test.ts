/**
 * The Helm chart, rendered by Helm: what it renders is recorded, refused where a value is wrong, taken by a server, and starts
 * servers that are one.
 *
 * @module
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { fromEnvironment, fromFile } from "../../src/app/options/sources.ts";
import { resolveOptions } from "../../src/app/options/options.ts";
import { decodeYaml } from "../../src/value/yaml.ts";
import { built } from "../clients/built.ts";
import { hasEtcd, startEtcd } from "../etcd/start.ts";
import { CONFIG_MAPS, Http2Client, Keelson, configMap, run } from "../serve/keelson.ts";

const root = new URL("../../", import.meta.url).pathname;
const chart = join(root, "packaging/helm/keelson");
const recorded = new URL("fixtures/chart.yaml", import.meta.url).pathname;
const scratch = mkdtempSync(join(tmpdir(), "keelson-chart-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** Helm as `test/clients/helm.test.ts` builds it. */
const bin = await built({
  name: "helm",
  folder: join(root, "test/clients/sidecars/"),
  commands: (output) => [["go", "build", "-o", `${output}/`, "helm.sh/helm/v3/cmd/helm"]],
});

/** An object as it comes, unchecked. */
// oxlint-disable-next-line typescript/no-explicit-any
type Found = any;

const SERVERS = ["--set", "etcd.servers={https://etcd-0:2379,https://etcd-1:2379}"];

function helm(...args: readonly string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(join(bin!, "helm"), args, { encoding: "utf8", env: { HOME: scratch, PATH: process.env["PATH"] } });
}

function rendered(...args: readonly string[]): string {
  const { status, stdout, stderr } = helm(
    "template",
    "demo",
    chart,
    "--namespace",
    "demo",
    "--kube-version",
    "1.35.0",
    ...args,
  );
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

const objectsOf = (text: string): Found[] =>
  parseAllDocuments(text, { merge: true }).flatMap((document) => document.toJS() ?? []);

/** What is drawn by chance is left out. */
const withoutKeys = (text: string): string =>
  text.replaceAll(/^( {2}(?:ca\.crt|ca\.key|token\.key|admin\.token): ).*$/gm, "$1drawn");

const find = (objects: readonly Found[], kind: string): Found => objects.find((object) => object.kind === kind);

/** What has containers in the chart: the template of the servers, and the Pod of its test. */
const podsOf = (objects: readonly Found[]): Found[] => [
  find(objects, "Deployment").spec.template,
  find(objects, "Pod"),
];

describe.skipIf(bin === undefined)("the chart", { timeout: 120_000 }, () => {
  test("is right for helm lint", () => {
    const { status, stdout } = helm("lint", "--strict", chart, ...SERVERS);
    expect({ status, stdout }).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("0 chart(s) failed") as string,
    });
  });

  test("renders what is recorded (RECORD=1 records it)", () => {
    const text = withoutKeys(rendered(...SERVERS));
    if (process.env["RECORD"] === "1") writeFileSync(recorded, text);
    expect(text).toBe(readFileSync(recorded, "utf8"));
  });

  test.each([
    ["no member of etcd", [], "etcd/servers"],
    ["a member that is no URL", ["--set", "etcd.servers={etcd:2379}"], "etcd/servers/0"],
    ["a value that does not exist", [...SERVERS, "--set", "replicas=3"], "replicas"],
    ["no server", [...SERVERS, "--set", "replicaCount=0"], "replicaCount"],
    ["another dialect", [...SERVERS, "--set", "dialect=german"], "dialect"],
  ])("refuses %s", (_, args, member) => {
    expect(() => rendered(...args)).toThrow(member);
  });

  test("gives a server a file and variables that it takes", () => {
    const objects = objectsOf(
      rendered(...SERVERS, "--set", "etcd.tls.secretName=etcd-client,options.history=12h,tlsSans={api.example}"),
    );
    const [container] = find(objects, "Deployment").spec.template.spec.containers;
    const env = Object.fromEntries(container.env.map(({ name, value }: Found) => [name, value]));
    const sources = { ...fromFile(decodeYaml(find(objects, "ConfigMap").data["keelson.yaml"]).value, "keelson.yaml") };
    const options = resolveOptions({ ...sources, ...fromEnvironment(env) });
    expect(options).toMatchObject({ store: "etcd", etcdPrefix: "/keelson", dataDir: "/var/lib/keelson/data" });
    expect(options.tlsSans).toEqual(expect.arrayContaining(["api.example", "demo-keelson.demo.svc"]));
    expect(sources).toMatchObject({ "etcd-cert": "/etc/keelson/etcd/tls.crt", history: "12h" });
    const mounts = container.volumeMounts.map(({ mountPath }: Found) => mountPath);
    expect(mounts).toContain("/etc/keelson/etcd");
  });

  test("runs no container as root, and lets none write to its root or gain rights", () => {
    for (const { spec } of podsOf(objectsOf(rendered(...SERVERS)))) {
      expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
      expect(spec.automountServiceAccountToken).toBe(false);
      for (const { securityContext } of [...spec.containers, ...(spec.initContainers ?? [])]) {
        expect(securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ["ALL"] },
        });
      }
    }
  });

  test("tests the servers by a name of their certificate, with a Pod that the Service does not take for a server", () => {
    const objects = objectsOf(rendered(...SERVERS, "--set", "service.port=8443"));
    const [servers, tested] = podsOf(objects);
    const [container] = tested.spec.containers;
    expect(container.image).toBe(servers.spec.containers[0].image);
    const url = container.args.find((arg: string) => arg.startsWith("https:"));
    expect(container.args).toEqual(["health", "--server", url, "--wait", "30s"]);
    const { hostname, port } = new URL(url);
    const service = find(objects, "Service");
    expect([hostname, Number(port)]).toEqual([service.metadata.name, service.spec.ports[0].port]);
    expect(decodeYaml(find(objects, "ConfigMap").data["keelson.yaml"]).value).toMatchObject({
      "tls-san": expect.arrayContaining([hostname]) as string[],
    });
    expect(tested.metadata.labels).not.toMatchObject(service.spec.selector);
  });

  test("takes a Secret that is there, and then makes none", () => {
    const objects = objectsOf(rendered(...SERVERS, "--set", "identity.secretName=mine"));
    expect(find(objects, "Secret")).toBeUndefined();
    const { volumes } = find(objects, "Deployment").spec.template.spec;
    expect(volumes.find(({ name }: Found) => name === "identity").secret.secretName).toBe("mine");
  });

  test("is taken by a server, every object, in a namespace that enforces the level restricted", async () => {
    const data = join(scratch, "server");
    const server = await Keelson.serve(["--data-dir", data, "--port", "0", "--dialect", "kubernetes"]);
    onTestFinished(async () => void (await server.stop()));
    const client = await Http2Client.connect(server, data);
    onTestFinished(() => client.close());
    const labels = { "pod-security.kubernetes.io/enforce": "restricted" };
    await client.done("POST", "/api/v1/namespaces", {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: "demo", labels },
    });
    const objects = objectsOf(rendered(...SERVERS));
    expect(objects.map(({ kind }) => String(kind)).toSorted()).toEqual([
      "ConfigMap",
      "Deployment",
      "Pod",
      "PodDisruptionBudget",
      "Secret",
      "Service",
      "ServiceAccount",
    ]);
    const places: Record<string, string> = {
      Deployment: "apis/apps/v1",
      PodDisruptionBudget: "apis/policy/v1",
    };
    for (const object of objects) {
      const path = `/${places[object.kind] ?? "api/v1"}/namespaces/demo/${object.kind.toLowerCase()}s`;
      const { status, text } = await client.send("POST", `${path}?fieldValidation=Strict`, object);
      expect({ kind: object.kind, status, text: status === 201 ? "" : text }).toEqual({
        kind: object.kind,
        status: 201,
        text: "",
      });
    }
    const { template } = find(objects, "Deployment").spec;
    const pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "one", labels: template.metadata.labels },
      spec: template.spec,
    };
    const { status, text } = await client.send("POST", "/api/v1/namespaces/demo/pods?fieldValidation=Strict", pod);
    expect({ status, text: status === 201 ? "" : text }).toEqual({ status: 201, text: "" });
    const [tester] = find(objects, "Pod").spec.containers;
    const args = tester.args.map((arg: string) => (arg.startsWith("https:") ? server.url : arg));
    expect(await run(args)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("readyz check passed") as string,
    });
  });
});

describe.skipIf(bin === undefined)("the chart on a server with simulated nodes", { timeout: 120_000 }, () => {
  test("is installed, upgraded and rolled back with Pods that become ready behind its Service, and keeps its keys", async () => {
    const data = join(scratch, "installed");
    const server = await Keelson.serve(["--data-dir", data, "--port", "0", "--dialect", "kubernetes", "--nodes", "3"]);
    onTestFinished(async () => void (await server.stop()));
    const client = await Http2Client.connect(server, data);
    onTestFinished(() => client.close());
    const get = async (path: string): Promise<Found> => (await client.send("GET", path)).json;
    const call = (...args: readonly string[]): void => {
      const flags = ["--namespace", "demo", "--kubeconfig", join(data, "admin.kubeconfig")];
      const { status, stderr } = helm(...args, ...flags);
      expect({ args, status, stderr }).toMatchObject({ status: 0 });
    };
    const ready = async (): Promise<unknown[]> => {
      const { status } = await get("/apis/apps/v1/namespaces/demo/deployments/demo-keelson");
      const { items } = await get("/apis/discovery.k8s.io/v1/namespaces/demo/endpointslices");
      const addresses = items.flatMap(({ endpoints }: Found) => endpoints.filter((one: Found) => one.conditions.ready));
      return [status.availableReplicas, addresses.length, items[0]!.ports[0].port];
    };
    const keys = async (): Promise<unknown> =>
      (await get("/api/v1/namespaces/demo/secrets/demo-keelson-identity")).data;
    const wait = ["--wait", "--timeout", "60s"];
    call("install", "demo", chart, "--create-namespace", ...SERVERS, ...wait);
    expect(await ready()).toEqual([3, 3, 6443]);
    call("test", "demo", "--timeout", "60s");
    const made = await keys();
    call("upgrade", "demo", chart, "--reuse-values", "--set", "options.history=12h,replicaCount=2", ...wait);
    await expect.poll(ready).toEqual([2, 2, 6443]);
    call("rollback", "demo", "1", ...wait);
    await expect.poll(ready).toEqual([3, 3, 6443]);
    call("uninstall", "demo", "--wait");
    expect((await get("/api/v1/namespaces/demo/services")).items).toEqual([]);
    call("install", "demo", chart, ...SERVERS, ...wait);
    expect(await keys()).toEqual(made);
  });
});

describe.skipIf(bin === undefined || !(await hasEtcd()))("the identity of the chart", { timeout: 120_000 }, () => {
  test("makes two servers over one etcd one", async () => {
    const etcd = await startEtcd();
    onTestFinished(() => etcd.close());
    const objects = objectsOf(rendered(...SERVERS));
    const secret = find(objects, "Secret").data as Record<string, string>;
    const [copy] = find(objects, "Deployment").spec.template.spec.initContainers;
    const identity = join(scratch, "identity");
    mkdirSync(identity);
    for (const [name, value] of Object.entries(secret))
      writeFileSync(join(identity, name), Buffer.from(value, "base64"));
    const folders = ["a", "b"].map((name) => join(scratch, name));
    const servers: Keelson[] = [];
    for (const folder of folders) {
      const script = copy.args[0]
        .replaceAll("/var/lib/keelson/data", folder)
        .replaceAll("/etc/keelson/identity", identity);
      expect(spawnSync(copy.command[0], [...copy.command.slice(1), script])).toMatchObject({ status: 0 });
      const flags = [
        "--port",
        "0",
        "--dialect",
        "kubernetes",
        "--store",
        "etcd",
        "--etcd-servers",
        etcd.endpoints.join(","),
      ];
      const server = await Keelson.serve(["--data-dir", folder, ...flags]);
      onTestFinished(async () => void (await server.stop()));
      servers.push(server);
      // The CA was not created again.
      expect(readFileSync(join(folder, "pki/ca.crt"), "utf8")).toBe(
        Buffer.from(secret["ca.crt"]!, "base64").toString(),
      );
    }
    const token = Buffer.from(secret["admin.token"]!, "base64").toString();
    const clients = await Promise.all(
      servers.map((server) => Http2Client.connect(server, folders[0]!, { authorization: `Bearer ${token}` })),
    );
    onTestFinished(() => clients.forEach((client) => client.close()));
    await clients[0]!.done("POST", CONFIG_MAPS, configMap("shared", { a: "b" }));
    expect((await clients[1]!.send("GET", `${CONFIG_MAPS}/shared`)).json.data).toEqual({ a: "b" });
    // A token of a service account is valid on both.
    const account = "/api/v1/namespaces/default/serviceaccounts/default/token";
    const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} };
    const made = (await clients[0]!.done("POST", account, request)) as Found;
    const review = { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec: { token: made.status.token } };
    const reviewed = (await clients[1]!.done("POST", "/apis/authentication.k8s.io/v1/tokenreviews", review)) as Found;
    expect(reviewed.status.authenticated).toBe(true);
  });
});
