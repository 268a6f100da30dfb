import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RunningServer, startServer } from "../../src/app/index.ts";
import { Kubectl, findKubectls } from "./kubectl.ts";

const newest = findKubectls().at(-1);
const POLL = { timeout: 20_000, interval: 50 };

describe.skipIf(!newest)("kubectl and rollouts", () => {
  const dataDir = mkdtempSync(join(tmpdir(), "keelson-rollouts-"));
  let server: RunningServer;
  let kubectl: Kubectl;
  beforeAll(async () => {
    server = await startServer({ dataDir, port: 0, dialect: "kubernetes" });
    kubectl = new Kubectl(newest!, server.kubeconfig);
  });
  afterAll(async () => {
    await server.close();
    rmSync(dataDir, { recursive: true });
  });

  const text = (line: string): Promise<string> => kubectl.ok(...line.split(" "));
  /** The Pods that are not ready, by name. */
  const waiting = async (): Promise<readonly string[]> => {
    const path = '{range .items[*]}{.metadata.name} {.status.conditions[?(@.type=="Ready")].status}{"\\n"}{end}';
    const lines = (await kubectl.ok("get", "pods", "-o", `jsonpath=${path}`)).split("\n");
    return lines.filter((line) => line !== "" && !line.endsWith("True")).map((line) => line.split(" ")[0]!);
  };
  /** Makes Pods ready until a rollout is over; what `rollout status` printed. */
  const rolledOut = async (): Promise<string> => {
    const ended = kubectl.run(["rollout", "status", "deployment/web", "--timeout", "30s"], { ms: 40_000 });
    let isOver = false;
    void ended.then(() => (isOver = true));
    const status = '{"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}}';
    while (!isOver) {
      for (const name of await waiting()) {
        await kubectl.run(["patch", "pod", name, "--subresource=status", "--type=merge", "-p", status]);
      }
    }
    const { code, stdout, stderr } = await ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    return stdout;
  };
  const images = async (): Promise<string> =>
    (await text("get pods -o jsonpath={.items[*].spec.containers[0].image}")).split(" ").toSorted().join(" ");

  test("WL-DEP-22: status waits until a Deployment is rolled out", { timeout: 120_000 }, async () => {
    await text("create deployment web --image=web:1 --replicas=2");
    expect(await rolledOut()).toContain('deployment "web" successfully rolled out');
    expect(await text("get deployment web")).toMatch(/web\s+2\/2\s+2\s+2/);
    expect(await text("wait --for=condition=Available deployment/web --timeout=10s")).toContain("condition met");
    expect(await text("describe deployment web")).toMatch(
      /ScalingReplicaSet.*Scaled up replica set web-\w+ from 0 to 2/,
    );
    expect(await text("get all")).toMatch(/replicaset\.apps\/web-\w+\s+2\s+2\s+2/);
  });

  test("WL-DEP-3, WL-DEP-4: set image, history and undo", { timeout: 120_000 }, async () => {
    await text("annotate deployment web kubernetes.io/change-cause=first");
    await expect.poll(() => text("rollout history deployment/web"), POLL).toMatch(/1\s+first/);
    await text("set image deployment/web web=web:2");
    await text("annotate deployment web kubernetes.io/change-cause=second --overwrite");
    await rolledOut();
    expect(await images()).toBe("web:2 web:2");
    expect(await text("rollout history deployment/web")).toMatch(/1\s+first\n2\s+second/);
    expect(await text("rollout history deployment/web --revision=1")).toContain("web:1");
    await text("rollout undo deployment/web");
    await rolledOut();
    expect(await images()).toBe("web:1 web:1");
    await expect.poll(() => text("rollout history deployment/web"), POLL).toMatch(/2\s+second\n3\s+/);
    const { code, stdout } = await kubectl.run(["rollout", "undo", "deployment/web", "--to-revision=3"]);
    expect([code, stdout]).toEqual([0, expect.stringContaining("skipped rollback")]);
  });

  test("WL-DEP-15: paused nothing is rolled out, resumed everything is", { timeout: 120_000 }, async () => {
    await text("rollout pause deployment/web");
    await text("set image deployment/web web=web:3");
    await text("scale deployment/web --replicas=3");
    await expect.poll(images, POLL).toBe("web:1 web:1 web:1");
    await expect
      .poll(() => text("get deployment web -o jsonpath={.status.conditions[*].reason}"), POLL)
      .toContain("DeploymentPaused");
    await text("rollout resume deployment/web");
    await rolledOut();
    expect(await images()).toBe("web:3 web:3 web:3");
  });

  test("WL-DEP-2: restart creates all Pods again", { timeout: 120_000 }, async () => {
    const before = await text("get pods -o name");
    await text("rollout restart deployment/web");
    await rolledOut();
    const after = await text("get pods -o name");
    for (const name of before.trim().split("\n")) expect(after).not.toContain(name);
    expect(await images()).toBe("web:3 web:3 web:3");
  });

  test("WL-GEN-2: deleted it takes ReplicaSets and Pods along", { timeout: 120_000 }, async () => {
    await text("delete deployment web");
    await expect.poll(() => text("get replicasets,pods -o name"), POLL).toBe("");
  });
});
