/**
 * Simulated nodes in the kit: what a test sees of Pods that live by scripts.
 */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { APIService, Deployment, HorizontalPodAutoscaler, Node, Pod } from "../../src/client/kinds/index.ts";
import { type Cluster, ReconcileFailed, createCluster } from "../../src/testing/index.ts";

let cluster: Cluster;
beforeEach(async () => {
  cluster = await createCluster({ nodes: { count: 2, zone: ["a", "b"], capacity: { cpu: "4", memory: "8Gi" } } });
});
afterEach(() => cluster.close());

const pod = (name: string, image = "web", more: object = {}) => ({
  metadata: { name, namespace: "default", labels: { app: name } },
  spec: { containers: [{ name: "c", image, resources: { requests: { cpu: "1", memory: "1Gi" } } }], ...more },
});
const podOf = (name: string, of = cluster) => of.client().resource(Pod).get({ namespace: "default", name });
const readiness = async (name: string, of = cluster): Promise<string | undefined> =>
  (await podOf(name, of)).status.conditions?.find(({ type }) => type === "Ready")?.status;

describe("nodes", () => {
  test("they are objects with their zones and capacity, ready, and belong to the initial state", async () => {
    const { items } = await cluster.client().resource(Node).list();
    expect(items.map(({ metadata }) => metadata.labels?.["topology.kubernetes.io/zone"])).toEqual(["a", "b"]);
    expect(items[0]!.status?.capacity).toMatchObject({ cpu: "4", memory: "8Gi" });
    await cluster.nodes(1, { zone: "c", prefix: "more-" });
    expect((await cluster.client().resource(Node).list()).items).toHaveLength(3);
    await cluster.reset();
    expect((await cluster.client().resource(Node).list()).items).toHaveLength(2);
  });

  test("a Pod is placed, and is ready a moment later", async () => {
    await cluster.apply(Pod, pod("web"));
    await cluster.settled();
    expect((await podOf("web")).spec.nodeName).toMatch(/^node-[12]$/);
    expect(await readiness("web")).not.toBe("True");
    await cluster.clock.advance("2s");
    expect(await readiness("web")).toBe("True");
  });

  test("a Pod that stays on a lost node is not ready, and is ready again when the node is back", async () => {
    const tolerations = [{ operator: "Exists" }];
    await cluster.apply(Pod, pod("stays", "web", { tolerations, nodeName: "node-1" }));
    await cluster.clock.advance("5s");
    await cluster.simulation.lose({ node: "node-1" });
    await cluster.clock.advance("2m");
    expect(await readiness("stays")).toBe("False");
    await cluster.simulation.restore({ node: "node-1" });
    await cluster.clock.advance("10s");
    expect(await readiness("stays")).toBe("True");
  });

  test("where nothing was said, Deployments have their Pods; with lifecycle they have none", async () => {
    const deployment = {
      metadata: { name: "web", namespace: "default" },
      spec: {
        replicas: 2,
        selector: { matchLabels: { app: "web" } },
        template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "web" }] } },
      },
    };
    await cluster.apply(Deployment, deployment);
    await cluster.clock.advance("5s");
    const found = await cluster.client().resource(Deployment).get({ namespace: "default", name: "web" });
    expect(found.status?.readyReplicas).toBe(2);
    await using quiet = await createCluster({ nodes: 1, controllers: "lifecycle" });
    await quiet.apply(Deployment, deployment);
    await quiet.apply(Pod, pod("alone"));
    await quiet.clock.advance("5s");
    expect((await quiet.client().resource(Pod).list()).items.map(({ metadata }) => metadata.name)).toEqual(["alone"]);
    expect(await readiness("alone", quiet)).toBe("True");
  });
});

describe("images", () => {
  test("a script says when its container is ready, what it logs, and how it ends", async () => {
    cluster.image("db", async (ctx) => {
      ctx.log("starting");
      await ctx.ready({ after: "5s" });
      ctx.log("ready");
      ctx.on.exec((command, stdin) => ({ stdout: `${command.join("+")} ${stdin ?? ""}`, code: command.length }));
      ctx.on.http(({ path }) => ({ status: path === "/teapot" ? 418 : 200, body: "hello" }));
      await ctx.sleep("10s");
      await ctx.exit(3);
    });
    await cluster.apply(Pod, pod("db", "db:1", { restartPolicy: "Never" }));
    await cluster.clock.advance("4s");
    expect(await readiness("db")).not.toBe("True");
    await cluster.clock.advance("4s");
    expect(await readiness("db")).toBe("True");
    expect(await cluster.simulation.logs("db")).toEqual(["starting", "ready"]);
    expect(await cluster.simulation.exec("db", "a b", { stdin: "in" })).toEqual({
      stdout: "a+b in",
      stderr: "",
      code: 2,
    });
    expect(await cluster.simulation.request({ pod: "db", container: "c" }, { path: "/teapot" })).toMatchObject({
      status: 418,
      body: "hello",
    });
    await cluster.clock.advance("20s");
    expect((await podOf("db")).status.containerStatuses?.[0]?.state?.terminated?.exitCode).toBe(3);
    await expect(cluster.simulation.exec("db", "true")).rejects.toThrow("it does not run");
    await expect(cluster.simulation.logs("none")).rejects.toThrow("there is no such Pod");
  });

  test("an error in a script is reported by settled, once", async () => {
    cluster.image("broken", () => {
      throw new TypeError("a mistake in the script");
    });
    await cluster.apply(Pod, pod("broken", "broken", { restartPolicy: "Never" }));
    const error = await cluster.clock.advance("5s").catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ReconcileFailed);
    expect(String(error)).toContain("a mistake in the script");
    await cluster.settled();
    expect((await podOf("broken")).status.phase).toBe("Failed");
  });
});

describe("forks, marks and snapshots", () => {
  test("images and lives go along with a fork, whichever of the two goes on first", async () => {
    cluster.image("slow", async (ctx) => {
      await ctx.ready({ after: "10s" });
      ctx.log("ready");
      await ctx.untilTerminated();
    });
    await cluster.apply(Pod, pod("slow", "slow"));
    await cluster.clock.advance("5s");
    await using fork = cluster.fork();
    await fork.clock.advance("10s");
    expect([await readiness("slow"), await readiness("slow", fork)]).toEqual(["False", "True"]);
    expect(await fork.simulation.logs("slow")).toEqual(["ready"]);
    await cluster.clock.advance("10s");
    expect(await podOf("slow")).toMatchObject({ status: (await podOf("slow", fork)).status });
  });

  test("a mark has the images of its time; a snapshot goes on without a word", async () => {
    const mark = cluster.mark();
    cluster.image("web", async (ctx) => ctx.exit(7));
    await cluster.reset(mark);
    await cluster.apply(Pod, pod("web"));
    await cluster.settled();
    await using copy = await createCluster({ from: cluster.snapshot() });
    await copy.clock.advance("5s");
    expect(await readiness("web", copy)).toBe("True");
  });

  test("an unused fork runs no controller", async () => {
    await cluster.apply(Pod, pod("web"));
    await cluster.clock.advance("5s");
    await using fork = cluster.fork();
    expect(await readiness("web", fork)).toBe("True");
    expect(fork.requests({ origin: "any" }).map(({ userAgent }) => userAgent)).toEqual(["test"]);
  });
});

describe("faults and metrics", () => {
  test("a lost zone is not ready any more, and is back", async () => {
    await cluster.simulation.lose({ zone: "a" });
    await cluster.clock.advance("2m");
    const ready = async (): Promise<(string | undefined)[]> =>
      (await cluster.client().resource(Node).list()).items.map(
        ({ status }) => status?.conditions?.find(({ type }) => type === "Ready")?.status,
      );
    expect(await ready()).toEqual(["Unknown", "True"]);
    await cluster.simulation.restore({ zone: "a" });
    await cluster.clock.advance("1m");
    expect(await ready()).toEqual(["True", "True"]);
  });

  test("metrics are what scripts say, or a share of requests; they end when the nodes are deleted or another server is registered", async () => {
    const client = cluster.client();
    const metrics = { group: "metrics.k8s.io", version: "v1beta1", scope: "Namespaced" } as const;
    const PodMetrics = { ...metrics, kind: "PodMetrics", plural: "pods" };
    const NodeMetrics = { ...metrics, scope: "Cluster", kind: "NodeMetrics", plural: "nodes" } as const;
    cluster.image("busy", async (ctx) => {
      ctx.metrics({ cpu: "250m", memory: "64Mi" });
      await ctx.untilTerminated();
    });
    await cluster.apply(Pod, pod("busy", "busy"), pod("web"));
    await cluster.clock.advance("5s");
    const pods = await client.resource(PodMetrics).list({ labelSelector: "app=busy" });
    expect(pods.items).toMatchObject([
      {
        metadata: { name: "busy", namespace: "default", labels: { app: "busy" } },
        window: "15s",
        containers: [{ name: "c", usage: { cpu: "250000000n", memory: "65536Ki" } }],
      },
    ]);
    expect((await client.resource(PodMetrics).list()).items).toHaveLength(2);
    expect(await client.resource(PodMetrics).get({ namespace: "default", name: "web" })).toMatchObject({
      containers: [{ usage: { cpu: expect.stringMatching(/^[1-9]\d*n$/) } }],
    });
    expect((await client.resource(NodeMetrics).list()).items.map(({ metadata }) => metadata.name)).toEqual([
      "node-1",
      "node-2",
    ]);
    const services = client.resource(APIService);
    const own = await services.get({ name: "v1beta1.metrics.k8s.io" });
    expect(own.spec.service).toBeUndefined();
    await services.update({
      ...own,
      spec: { ...own.spec, service: { namespace: "kube-system", name: "metrics-server" } },
    });
    await cluster.settled();
    await expect(client.resource(PodMetrics).list()).rejects.toMatchObject({ status: { code: 404 } });
  });

  test("an autoscaler follows what scripts say that they use", async () => {
    let cpu = "900m";
    cluster.image("busy", async (ctx) => {
      await ctx.ready();
      while (!ctx.terminated.aborted) {
        ctx.metrics({ cpu });
        await ctx.sleep("5s");
      }
    });
    await cluster.apply(Deployment, {
      metadata: { name: "busy", namespace: "default" },
      spec: {
        replicas: 1,
        selector: { matchLabels: { app: "busy" } },
        template: { metadata: { labels: { app: "busy" } }, spec: pod("busy", "busy").spec },
      },
    });
    await cluster.apply(HorizontalPodAutoscaler, {
      metadata: { name: "busy", namespace: "default" },
      spec: {
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "busy" },
        minReplicas: 1,
        maxReplicas: 4,
        metrics: [
          { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } },
        ],
      },
    });
    const replicas = async () =>
      (await cluster.client().resource(Deployment).get({ namespace: "default", name: "busy" })).spec.replicas;
    await cluster.clock.advance("5m");
    expect(await replicas()).toBe(4);
    cpu = "10m";
    await cluster.clock.advance("15m");
    expect(await replicas()).toBe(1);
  });
});
