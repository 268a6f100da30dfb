/**
 * Helm, unmodified, with the chart that `helm create` makes, against the executable: what it installs, changes, takes back and
 * removes are objects, and nothing runs: the controllers of workloads are off. So whoever waits is told so in time, or is played the
 * controllers by the test.
 *
 * @module
 */
import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Http2Client, Keelson, Scratch, until } from "../serve/keelson.ts";
import { built } from "./built.ts";

const folder = new URL("sidecars/", import.meta.url).pathname;
const [, version] = /helm\.sh\/helm\/v3 v(\S+)/.exec(readFileSync(`${folder}go.mod`, "utf8"))!;
const bin = await built({
  name: "helm",
  folder,
  commands: (output) => [["go", "build", "-o", `${output}/`, "helm.sh/helm/v3/cmd/helm"]],
});

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** An object as it comes, unchecked. */
// oxlint-disable-next-line typescript/no-explicit-any
type Found = any;

const APPS = "/apis/apps/v1/namespaces/shop";
const CORE = "/api/v1/namespaces/shop";
const DEPLOYMENT = `${APPS}/deployments/web`;
const PLACES: Readonly<Record<string, string>> = {
  Deployment: DEPLOYMENT,
  Service: `${CORE}/services/web`,
  ServiceAccount: `${CORE}/serviceaccounts/web`,
  Ingress: "/apis/networking.k8s.io/v1/namespaces/shop/ingresses/web",
  HorizontalPodAutoscaler: "/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers/web",
};

/** A file of a chart: JSON is YAML. */
const manifest = (apiVersion: string, kind: string, metadata: object, spec: object): string =>
  JSON.stringify({ apiVersion, kind, metadata, spec });

describe.skipIf(bin === undefined)(`helm ${version}`, { timeout: 120_000 }, () => {
  const scratch = new Scratch();
  const data = scratch.fresh();
  let server: Keelson;
  let client: Http2Client;

  /** Runs a command line of helm in the namespace of the shop, and gives how it ended. */
  const tried = (line: string): Promise<Ended> =>
    new Promise((resolve) => {
      const env = { PATH: process.env["PATH"], HOME: scratch.path, KUBECONFIG: join(data, "admin.kubeconfig") };
      const options = { env, cwd: scratch.path, timeout: 60_000, encoding: "utf8" } as const;
      execFile(join(bin!, "helm"), ["--namespace", "shop", ...line.split(" ")], options, (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr });
      });
    });
  /** What a command line of helm prints; rejects when it fails. */
  const helm = async (line: string): Promise<string> => {
    const { code, stdout, stderr } = await tried(line);
    if (code !== 0) throw new Error(`helm ${line} ended with ${code}: ${stdout}${stderr}`);
    return stdout;
  };
  const helmJson = async (line: string): Promise<Found> => JSON.parse(await helm(`${line} --output json`));
  const get = async (path: string): Promise<Found> => (await client.send("GET", path)).json;
  const statusOf = async (path: string): Promise<number> => (await client.send("GET", path)).status;
  const names = async (path: string): Promise<string[]> =>
    (await get(path)).items.map(({ metadata }: Found) => metadata.name);
  const imageOf = ({ spec }: Found): string => spec.template.spec.containers[0].image;
  const merge = (path: string, body: object) =>
    client.send("PATCH", path, body, { "content-type": "application/merge-patch+json" });
  const history = async (): Promise<unknown[]> =>
    (await helmJson("history web")).map(({ revision, status, description }: Found) => [revision, status, description]);

  beforeAll(async () => {
    if (bin === undefined) return;
    mkdirSync(join(scratch.path, "charts"));
    const alone = "--controllers=-deployment,-replicaset,-job,-horizontal-pod-autoscaling";
    server = await Keelson.serve(["--data-dir", data, "--port", "0", "--dialect", "kubernetes", alone]);
    client = await Http2Client.connect(server, data);
    await helm("create charts/web");
  });
  afterAll(async () => {
    client?.close();
    await server?.stop();
    scratch.remove();
  });

  test("a dry run on the server writes nothing", async () => {
    const said = await helm("install web charts/web --create-namespace --dry-run=server");
    expect(said).toContain("kind: Deployment");
    expect(await statusOf("/api/v1/namespaces/shop")).toBe(404);
    expect(await statusOf(DEPLOYMENT)).toBe(404);
  });

  test("install makes the namespace and all that the chart has", async () => {
    const told = await helmJson(
      "install web charts/web --create-namespace --set ingress.enabled=true --set autoscaling.enabled=true",
    );
    expect(told.info.status).toBe("deployed");
    for (const [kind, path] of Object.entries(PLACES)) {
      // oxlint-disable-next-line no-await-in-loop -- few
      const found = await get(path);
      expect(found).toMatchObject({
        kind,
        metadata: {
          labels: { "app.kubernetes.io/managed-by": "Helm", "app.kubernetes.io/instance": "web" },
          annotations: { "meta.helm.sh/release-name": "web", "meta.helm.sh/release-namespace": "shop" },
        },
      });
      expect(found.metadata.managedFields[0]).toMatchObject({ manager: "helm", operation: "Update" });
    }
    // Who scales is the autoscaler: the chart says nothing of replicas, and the default is filled in.
    expect((await get(DEPLOYMENT)).spec.replicas).toBe(1);
    expect((await get(PLACES["Service"]!)).spec.clusterIP).toMatch(/^10\./);
    expect((await get(PLACES["HorizontalPodAutoscaler"]!)).spec).toMatchObject({
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
      metrics: [{ type: "Resource", resource: { name: "cpu", target: { averageUtilization: 80 } } }],
    });
    expect((await get(PLACES["Ingress"]!)).spec.rules[0]).toMatchObject({
      host: "chart-example.local",
      http: { paths: [{ pathType: "ImplementationSpecific", backend: { service: { name: "web" } } }] },
    });
    // The hook of tests is not one of them.
    expect(await names(`${CORE}/pods`)).toEqual([]);
    expect((await get(`${CORE}/secrets/sh.helm.release.v1.web.v1`)).type).toBe("helm.sh/release.v1");
  });

  test("a second release of the name is refused, and what another release has stays its own", async () => {
    expect(await tried("install web charts/web")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("cannot re-use a name that is still in use") as string,
    });
    expect(await tried("install other charts/web --set fullnameOverride=web")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("invalid ownership metadata") as string,
    });
    expect((await get(DEPLOYMENT)).metadata.annotations["meta.helm.sh/release-name"]).toBe("web");
  });

  test("status, list and get tell what there is", async () => {
    expect((await helmJson("list")).map(({ name, status, revision }: Found) => [name, status, revision])).toEqual([
      ["web", "deployed", "1"],
    ]);
    const resources = (await helmJson("status web --show-resources")).info.resources;
    expect(Object.keys(resources).toSorted()).toEqual([
      "v1/Deployment",
      "v1/Ingress",
      "v1/Pod(related)",
      "v1/Service",
      "v1/ServiceAccount",
      "v2/HorizontalPodAutoscaler",
    ]);
    // Helm asks for tables here.
    expect(resources["v1/Deployment"][0].metadata.name).toBe("web");
    expect(await helm("status web --show-resources")).toMatch(
      /^NAME +READY +UP-TO-DATE +AVAILABLE +AGE\nweb +0\/1 +0 +0 +\d+s$/m,
    );
    expect(await helm("get manifest web")).toContain("kind: HorizontalPodAutoscaler");
    expect(await helmJson("get values web")).toEqual({
      autoscaling: { enabled: true },
      ingress: { enabled: true },
    });
  });

  test("an upgrade changes what differs, and removes what the chart has no more", async () => {
    // Fields of other managers stay, where the chart does not set them.
    const { json: before } = await merge(DEPLOYMENT, { metadata: { annotations: { "example.com/note": "kept" } } });
    await helm("upgrade web charts/web --set ingress.enabled=true --set replicaCount=3 --set image.tag=1.29");
    const after = await get(DEPLOYMENT);
    expect(after.spec.replicas).toBe(3);
    expect(imageOf(after)).toBe("nginx:1.29");
    expect(after.metadata).toMatchObject({ uid: before.metadata.uid, generation: before.metadata.generation + 1 });
    expect(after.metadata.annotations["example.com/note"]).toBe("kept");
    expect(await statusOf(PLACES["HorizontalPodAutoscaler"]!)).toBe(404);
    expect(await statusOf(PLACES["Ingress"]!)).toBe(200);
  });

  test("an upgrade that is refused fails, and leaves what was deployed", async () => {
    const failed = await tried("upgrade web charts/web --reuse-values --set service.port=99999");
    expect(failed.code).toBe(1);
    expect(failed.stderr).toContain('Service "web" is invalid: spec.ports[0].port: Invalid value: 99999');
    expect((await get(PLACES["Service"]!)).spec.ports[0].port).toBe(80);
    expect(await history()).toEqual([
      [1, "superseded", "Install complete"],
      [2, "deployed", "Upgrade complete"],
      [3, "failed", expect.stringMatching(/^Upgrade "web" failed: /) as string],
    ]);
  });

  test("a rollback brings back image, autoscaler and the count of before", async () => {
    await helm("rollback web 1");
    const back = await get(DEPLOYMENT);
    expect(imageOf(back)).toMatch(/^nginx:1\.16/);
    expect(await statusOf(PLACES["HorizontalPodAutoscaler"]!)).toBe(200);
    expect((await history()).at(-1)).toEqual([4, "deployed", "Rollback to 1"]);
    expect((await history())[1]).toEqual([2, "superseded", "Upgrade complete"]);
    expect((await names(`${CORE}/secrets`)).toSorted()).toEqual(
      [1, 2, 3, 4].map((revision) => `sh.helm.release.v1.web.v${revision}`),
    );
  });

  test("--wait waits for Pods that are never created, and fails at its timeout", async () => {
    const waited = await tried("upgrade web charts/web --reuse-values --wait --timeout 3s");
    expect(waited.code).toBe(1);
    expect(waited.stderr).toContain("context deadline exceeded");
    expect((await history()).at(-1)).toEqual([5, "failed", expect.stringContaining("deadline") as string]);
  });

  test("--wait ends when a controller has told that the Deployment is there", async () => {
    const waiting = tried("upgrade web charts/web --reset-values --set image.tag=1.30 --wait --timeout 50s");
    await until(async () => imageOf(await get(DEPLOYMENT)) === "nginx:1.30", 40_000);
    // What a controller of Deployments makes and tells.
    const { metadata, spec } = await get(DEPLOYMENT);
    const hash = { "pod-template-hash": "1" };
    const owner = { apiVersion: "apps/v1", kind: "Deployment", name: "web", uid: metadata.uid, controller: true };
    const labels = { ...spec.template.metadata.labels, ...hash };
    const made = await client.send("POST", `${APPS}/replicasets`, {
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      metadata: { name: "web-1", labels, ownerReferences: [owner] },
      spec: {
        replicas: 1,
        selector: { matchLabels: { ...spec.selector.matchLabels, ...hash } },
        template: { ...spec.template, metadata: { ...spec.template.metadata, labels } },
      },
    });
    expect(made.status).toBe(201);
    const counts = { replicas: 1, readyReplicas: 1, observedGeneration: 1 };
    await merge(`${APPS}/replicasets/web-1/status`, { status: { ...counts, availableReplicas: 1 } });
    await merge(`${DEPLOYMENT}/status`, {
      status: { ...counts, updatedReplicas: 1, availableReplicas: 1, observedGeneration: metadata.generation },
    });
    expect(await waiting).toMatchObject({ code: 0, stderr: "" });
    expect((await history()).at(-1)).toEqual([6, "deployed", "Upgrade complete"]);
  });

  test("the test of the chart is a Pod that is waited for, and its end is what helm tells", async () => {
    const pod = `${CORE}/pods/web-test-connection`;
    for (const [phase, code] of [
      ["Succeeded", 0],
      ["Failed", 1],
    ] as const) {
      const testing = tried("test web --timeout 50s");
      // oxlint-disable-next-line no-await-in-loop -- one end after the other
      await until(async () => (await get(pod))?.status?.phase === "Pending", 40_000);
      // oxlint-disable-next-line no-await-in-loop -- one end after the other
      await merge(`${pod}/status`, { status: { phase } });
      // oxlint-disable-next-line no-await-in-loop -- one end after the other
      const { code: got, stdout } = await testing;
      expect(got).toBe(code);
      expect(stdout).toMatch(new RegExp(`^Phase: +${phase}$`, "m"));
    }
  });

  test("uninstall removes everything, dependents too, and waits for it", async () => {
    expect(await helm("uninstall web --wait --timeout 50s")).toContain('release "web" uninstalled');
    for (const path of Object.values(PLACES)) {
      // oxlint-disable-next-line no-await-in-loop -- few
      expect(await statusOf(path)).toBe(404);
    }
    await until(async () => (await names(`${APPS}/replicasets`)).length === 0);
    expect(await names(`${CORE}/secrets`)).toEqual([]);
    expect(await helmJson("list --all")).toEqual([]);
    expect((await tried("status web")).stderr).toContain("release: not found");
  });

  test("a chart with a definition and a hook: the definition first, then the Job, then the rest", async () => {
    const chart = join(scratch.path, "charts/crates");
    for (const part of ["crds", "templates"]) mkdirSync(join(chart, part), { recursive: true });
    const write = (name: string, text: string): void => writeFileSync(join(chart, name), text);
    write("Chart.yaml", "apiVersion: v2\nname: crates\nversion: 0.1.0\n");
    copyFileSync(new URL("envtest/definitions/crates.yaml", import.meta.url), join(chart, "crds/crates.yaml"));
    write("templates/crate.yaml", manifest("shop.example.com/v1", "Crate", { name: "small" }, { bottles: 6 }));
    const annotations = { "helm.sh/hook": "pre-install", "helm.sh/hook-delete-policy": "hook-succeeded" };
    const template = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } };
    write("templates/job.yaml", manifest("batch/v1", "Job", { name: "before", annotations }, { template }));

    const installing = tried("install crates charts/crates --wait --timeout 50s");
    const job = "/apis/batch/v1/namespaces/shop/jobs/before";
    const crate = "/apis/shop.example.com/v1/namespaces/shop/crates/small";
    await until(async () => (await statusOf(job)) === 200, 40_000);
    expect(await statusOf(crate)).toBe(404);
    // What a controller of Jobs tells of one that is done.
    const { creationTimestamp } = (await get(job)).metadata;
    const conditions = ["SuccessCriteriaMet", "Complete"].map((type) => ({ type, status: "True" }));
    const done = { succeeded: 1, startTime: creationTimestamp, completionTime: creationTimestamp, conditions };
    expect(await merge(`${job}/status`, { status: done })).toMatchObject({ status: 200 });
    expect(await installing).toMatchObject({ code: 0, stderr: "" });
    expect((await get(crate)).spec).toEqual({ bottles: 6, colour: "green" });
    await until(async () => (await statusOf(job)) === 404);
    // The definition is left to a user who removes it on purpose.
    await helm("uninstall crates --wait --timeout 50s");
    expect(await statusOf(crate)).toBe(404);
    expect(await statusOf("/apis/shop.example.com/v1/namespaces/shop/crates")).toBe(200);
  });

  test("an install with a template that is not served fails before it writes", async () => {
    const failed = await tried("install routed charts/web --set httpRoute.enabled=true");
    expect(failed.code).toBe(1);
    expect(failed.stderr).toContain('no matches for kind "HTTPRoute" in version "gateway.networking.k8s.io/v1"');
    expect(await statusOf(`${APPS}/deployments/routed-web`)).toBe(404);
  });
});
