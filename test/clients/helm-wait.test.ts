/**
 * Helm, unmodified, that waits for what it installs: the Pods of simulated nodes become ready, and the test Job of a chart succeeds or
 * fails by its script.
 */
import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Keelson, Scratch } from "../serve/keelson.ts";
import { built } from "./built.ts";

const folder = new URL("sidecars/", import.meta.url).pathname;
const bin = await built({
  name: "helm",
  folder,
  commands: (output) => [["go", "build", "-o", `${output}/`, "helm.sh/helm/v3/cmd/helm"]],
});

const CHART: Readonly<Record<string, string>> = {
  "Chart.yaml": "{apiVersion: v2, name: shop, version: 1.0.0}\n",
  "values.yaml": 'exitCode: "0"\nimage: "shop:1"\n',
  "templates/deployment.yaml": `
apiVersion: apps/v1
kind: Deployment
metadata: {name: shop}
spec:
  replicas: 3
  selector: {matchLabels: {app: shop}}
  template:
    metadata: {labels: {app: shop}}
    spec: {containers: [{name: shop, image: {{ .Values.image | quote }}}]}
`,
  "templates/stateful-set.yaml": `
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  replicas: 2
  serviceName: db
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {containers: [{name: db, image: db}]}
`,
  "templates/service.yaml": `
apiVersion: v1
kind: Service
metadata: {name: shop}
spec: {selector: {app: shop}, ports: [{port: 80}]}
`,
  "templates/tests/job.yaml": `
apiVersion: batch/v1
kind: Job
metadata:
  name: test
  annotations: {helm.sh/hook: test, helm.sh/hook-delete-policy: before-hook-creation}
spec:
  backoffLimit: 0
  template:
    metadata:
      annotations:
        simulation.keelson.dev/run-for: 1s
        simulation.keelson.dev/exit-code: {{ .Values.exitCode | quote }}
    spec: {restartPolicy: Never, containers: [{name: test, image: test}]}
`,
};

describe.skipIf(bin === undefined)("helm that waits", { timeout: 120_000 }, () => {
  const scratch = new Scratch();
  const data = scratch.fresh();
  let server: Keelson;

  const helm = (line: string): Promise<{ code: number; out: string }> =>
    new Promise((resolve) => {
      const env = { PATH: process.env["PATH"], HOME: scratch.path, KUBECONFIG: join(data, "admin.kubeconfig") };
      const options = { env, cwd: scratch.path, timeout: 60_000, encoding: "utf8" } as const;
      execFile(join(bin!, "helm"), line.split(" "), options, (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code ?? -1), out: `${stdout}${stderr}` });
      });
    });

  beforeAll(async () => {
    if (bin === undefined) return;
    for (const [name, text] of Object.entries(CHART)) {
      const file = join(scratch.path, "shop", name);
      mkdirSync(join(file, ".."), { recursive: true });
      writeFileSync(file, text);
    }
    server = await Keelson.serve(["--data-dir", data, "--port", "0", "--dialect", "kubernetes", "--nodes", "3"]);
  }, 60_000);
  afterAll(async () => {
    await server?.stop();
    scratch.remove();
  });

  test("an install and an upgrade wait until everything is ready", async () => {
    expect(await helm("install shop ./shop --wait --timeout 40s")).toMatchObject({
      code: 0,
      out: expect.stringContaining("STATUS: deployed"),
    });
    expect(await helm("upgrade shop ./shop --wait --timeout 40s --set image=shop:2")).toMatchObject({
      code: 0,
      out: expect.stringContaining("REVISION: 2"),
    });
  });

  test("the test Job of a chart succeeds or fails by its script", async () => {
    expect(await helm("test shop --timeout 30s")).toMatchObject({
      code: 0,
      out: expect.stringMatching(/TEST SUITE:\s+test\n[^]*Phase:\s+Succeeded/),
    });
    expect((await helm("upgrade shop ./shop --wait --timeout 40s --set exitCode=1")).code).toBe(0);
    expect(await helm("test shop --timeout 30s")).toMatchObject({ code: 1, out: expect.stringContaining("failed") });
  });

  test("an install whose Pods cannot be scheduled fails in time", async () => {
    await helm("create greedy");
    const { code, out } = await helm(
      "install greedy ./greedy --wait --timeout 3s --set resources.requests.cpu=100 --set serviceAccount.create=false",
    );
    expect(code).toBe(1);
    expect(out).toMatch(/context deadline exceeded|timed out/);
  });
});
