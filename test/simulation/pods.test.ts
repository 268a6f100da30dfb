import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { NewObject } from "../../src/client/index.ts";
import { CoreEvent, Node, Pod } from "../../src/client/kinds/index.ts";
import { type Simulation, type SimulationSettings, createSimulation } from "../../src/simulation/index.ts";
import { World } from "../runtime/world.ts";

let world: World;
let simulation: Simulation;
const errors: unknown[] = [];

const begin = async (settings: SimulationSettings = {}): Promise<void> => {
  simulation = createSimulation(world, { onError: (error) => errors.push(error), ...settings });
  await world.run(...simulation.controllers);
};

beforeEach(async () => {
  errors.length = 0;
  world = await World.create();
});
afterEach(async () => {
  await world[Symbol.asyncDispose]();
  if (world.failures.length > 0) throw new Error(JSON.stringify(world.failures));
  if (world.warnings.length > 0) throw new Error(world.warnings.join("\n"));
});

const pods = () => world.resource(Pod);
const at = (name: string) => ({ name, namespace: "default" });
const pod = (name: string, spec: object = {}, metadata: object = {}): NewObject<Pod> =>
  ({
    metadata: { ...at(name), ...metadata },
    spec: { nodeName: "node-1", containers: [{ name: "main", image: "web:1" }], ...spec },
  }) as unknown as NewObject<Pod>;
const make = async (...made: Parameters<typeof pod>) => {
  await pods().create(pod(...made));
  await world.settled();
};
const get = (name: string) => pods().get(at(name));
const status = async (name: string) => (await get(name)).status;
const main = async (name: string) => (await status(name)).containerStatuses![0]!;
const condition = async (name: string, type: string) =>
  (await status(name)).conditions?.find((one) => one.type === type);
const exists = async (name: string) => (await pods().find(at(name))) !== undefined;
const events = async (name: string) =>
  (await world.resource(CoreEvent).list({ namespace: "default" })).items
    .filter(({ involvedObject }) => involvedObject.name === name)
    .toSorted((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion))
    .map(({ reason, message, type }) => `${type} ${reason} ${message}`);

describe("a Pod without a script", () => {
  test("is ready a second after it has its node, with one write, as a kubelet reports it", async () => {
    await begin();
    const [node] = await simulation.addNodes(world.client, 1, { zone: "a" });
    expect(node!.status.conditions?.find(({ type }) => type === "Ready")).toMatchObject({ status: "True" });
    await make("p");
    const before = await get("p");
    expect(before.status.phase).toBe("Pending");
    await world.advance("999ms");
    expect((await get("p")).metadata.resourceVersion).toBe(before.metadata.resourceVersion);
    await world.advance("1ms");
    const { status: now, metadata } = await get("p");
    expect(now).toMatchObject({
      phase: "Running",
      hostIP: "172.18.0.2",
      podIP: "10.244.0.2",
      podIPs: [{ ip: "10.244.0.2" }],
      startTime: "2026-01-01T00:00:00Z",
      qosClass: "BestEffort",
    });
    expect(now.conditions?.map(({ type, status: said }) => [type, said])).toEqual([
      ["PodReadyToStartContainers", "True"],
      ["Initialized", "True"],
      ["Ready", "True"],
      ["ContainersReady", "True"],
      ["PodScheduled", "True"],
    ]);
    expect(await main("p")).toMatchObject({
      name: "main",
      ready: true,
      started: true,
      restartCount: 0,
      state: { running: { startedAt: "2026-01-01T00:00:01Z" } },
    });
    expect(await events("p")).toEqual([
      'Normal Pulling Pulling image "web:1"',
      'Normal Pulled Successfully pulled image "web:1" in 1s (1s including waiting). Image size: 0 bytes.',
      "Normal Created Created container: main",
      "Normal Started Started container main",
    ]);
    await world.advance("24h");
    expect((await get("p")).metadata.resourceVersion).toBe(metadata.resourceVersion);
    expect(world.clock.timers().filter(({ owner }) => owner?.includes("simulated"))).toEqual([]);
  });

  test("each Pod has the lowest free address of its node", async () => {
    await begin();
    await simulation.addNodes(world.client, 2);
    for (const name of ["a", "b", "c"]) await make(name);
    await make("d", { nodeName: "node-2" });
    await world.advance("1s");
    const address = async (name: string) => (await status(name)).podIP;
    expect(await Promise.all(["a", "b", "c", "d"].map(address))).toEqual([
      "10.244.0.2",
      "10.244.0.3",
      "10.244.0.4",
      "10.244.1.2",
    ]);
    await pods().delete(at("b"));
    await world.settled();
    await make("e");
    await world.advance("1s");
    expect(await address("e")).toBe("10.244.0.3");
  });

  test("ends at SIGTERM at once", async () => {
    await begin();
    await simulation.addNodes(world.client, 1);
    await make("p");
    await world.advance("10s");
    await pods().delete(at("p"));
    await world.settled();
    expect(await exists("p")).toBe(false);
  });

  test("with a finalizer shows its end, and is removed once", async () => {
    await begin();
    await simulation.addNodes(world.client, 1);
    await make("p", {}, { finalizers: ["example.com/x"] });
    await world.advance("10s");
    await pods().delete(at("p"));
    await world.settled();
    const { metadata, status: last } = await get("p");
    expect(metadata.deletionGracePeriodSeconds).toBe(0);
    expect(last.phase).toBe("Succeeded");
    expect(last.containerStatuses![0]!.state.terminated).toMatchObject({
      exitCode: 0,
      finishedAt: "2026-01-01T00:00:10Z",
    });
    await world.advance("1h");
    expect((await get("p")).metadata.resourceVersion).toBe(metadata.resourceVersion);
  });

  test("of a Job succeeds a second after its start", async () => {
    await begin();
    await simulation.addNodes(world.client, 1);
    const owner = { apiVersion: "batch/v1", kind: "Job", name: "j", uid: "u", controller: true };
    await make("p", { restartPolicy: "Never" }, { ownerReferences: [owner] });
    await world.advance("1s");
    expect((await status("p")).phase).toBe("Running");
    await world.advance("1s");
    expect((await status("p")).phase).toBe("Succeeded");
    expect(await condition("p", "Ready")).toMatchObject({ status: "False", reason: "PodCompleted" });
  });

  test("init containers run one after the other, sidecars beside the others", async () => {
    await begin();
    await simulation.addNodes(world.client, 1);
    await make("p", {
      initContainers: [
        { name: "one", image: "i" },
        { name: "side", image: "s", restartPolicy: "Always" },
        { name: "two", image: "i" },
      ],
    });
    const seen: string[] = [];
    for (let second = 0; second <= 8; second++) {
      const { initContainerStatuses = [], phase } = await status("p");
      const states = initContainerStatuses.map(({ state }) => Object.keys(state)[0]);
      seen.push(`${second} ${phase} ${states.join(" ")}`);
      await world.advance("1s");
    }
    expect(seen).toEqual([
      "0 Pending ",
      "1 Pending running waiting waiting",
      "2 Pending terminated waiting waiting",
      "3 Pending terminated running waiting",
      "4 Pending terminated running running",
      "5 Pending terminated running terminated",
      "6 Running terminated running terminated",
      "7 Running terminated running terminated",
      "8 Running terminated running terminated",
    ]);
  });

  test("a probe is asked after its initial delay and each period", async () => {
    await begin();
    await simulation.addNodes(world.client, 1);
    const readinessProbe = {
      httpGet: { path: "/", port: 80 },
      initialDelaySeconds: 5,
      periodSeconds: 2,
      successThreshold: 2,
    };
    await make("p", { containers: [{ name: "main", image: "web", readinessProbe }] });
    await world.advance("7s");
    expect((await main("p")).ready).toBe(false);
    await world.advance("1s");
    expect((await main("p")).ready).toBe(true);
    expect(await condition("p", "Ready")).toMatchObject({ lastTransitionTime: "2026-01-01T00:00:08Z" });
  });

  test("a deadline ends it", async () => {
    await begin();
    await simulation.addNodes(world.client, 1);
    await make("p", { activeDeadlineSeconds: 30 });
    await world.advance("29s");
    expect((await status("p")).phase).toBe("Running");
    await world.advance("1s");
    expect(await status("p")).toMatchObject({ phase: "Failed", reason: "DeadlineExceeded" });
  });

  test("annotations say when it is ready, how long it runs, and how it ends", async () => {
    await begin();
    await simulation.addNodes(world.client, 1);
    const annotations = {
      "simulation.keelson.dev/ready-after": "3s",
      "simulation.keelson.dev/run-for": "10s",
      "simulation.keelson.dev/exit-code": "7",
    };
    await make("p", { restartPolicy: "Never" }, { annotations });
    await world.advance("3s");
    expect((await main("p")).ready).toBe(false);
    await world.advance("1s");
    expect((await main("p")).ready).toBe(true);
    await world.advance("7s");
    expect((await status("p")).phase).toBe("Failed");
    expect((await main("p")).state.terminated).toMatchObject({ exitCode: 7, finishedAt: "2026-01-01T00:00:11Z" });
  });
});

describe("a script", () => {
  test("says when its container is ready, and how it ends", async () => {
    await begin();
    simulation.image("db", async (ctx) => {
      ctx.log("begins");
      await ctx.ready({ after: "5s" });
      await ctx.sleep("10s");
      ctx.log("ends");
      await ctx.exit(3, { message: "no more" });
    });
    await simulation.addNodes(world.client, 1);
    await make("p", { containers: [{ name: "main", image: "db:2" }], restartPolicy: "Never" });
    expect((await main("p")).state.running).toEqual({ startedAt: "2026-01-01T00:00:00Z" });
    await world.advance("4s");
    expect((await main("p")).ready).toBe(false);
    await world.advance("1s");
    expect((await main("p")).ready).toBe(true);
    await world.advance("10s");
    expect((await main("p")).state.terminated).toMatchObject({
      exitCode: 3,
      reason: "Error",
      message: "no more",
      finishedAt: "2026-01-01T00:00:15Z",
    });
    expect((await status("p")).phase).toBe("Failed");
    const log = simulation.logs({ namespace: "default", pod: "p" });
    expect(typeof log === "string" ? log : log.lines.map(({ text }) => text)).toEqual(["begins", "ends"]);
  });

  test("restarts wait 0, 10, 20, 40, 80, 160, 300, 300 seconds, and start again after ten minutes of running", async () => {
    await begin();
    const starts: number[] = [];
    const zero = world.clock.now();
    simulation.image("crash", async (ctx) => {
      starts.push((world.clock.now() - zero) / 1000);
      if (ctx.attempt === 8) await ctx.sleep("601s");
      await ctx.exit(1);
    });
    await simulation.addNodes(world.client, 1);
    await make("p", { containers: [{ name: "main", image: "crash" }] });
    await world.advance("5s");
    expect((await main("p")).state.waiting).toMatchObject({
      reason: "CrashLoopBackOff",
      message: expect.stringMatching(/^back-off 10s restarting failed container=main pod=p_default\(/),
    });
    await world.advance("40m");
    expect(starts.slice(0, 12)).toEqual([0, 0, 10, 30, 70, 150, 310, 610, 910, 1511, 1521, 1541]);
    expect((await main("p")).lastState.terminated).toMatchObject({ exitCode: 1, reason: "Error" });
  });

  test("gets SIGTERM, and is killed at the end of its grace period", async () => {
    await begin();
    simulation.image("slow", async (ctx) => {
      await ctx.untilTerminated();
      await ctx.sleep("7s");
    });
    simulation.image("deaf", async (ctx) => {
      await ctx.untilTerminated();
      await ctx.sleep("1h");
    });
    await simulation.addNodes(world.client, 1);
    for (const image of ["slow", "deaf"]) {
      await make(
        image,
        { containers: [{ name: "main", image }], terminationGracePeriodSeconds: 30 },
        { finalizers: ["example.com/x"] },
      );
    }
    await world.advance("2s");
    expect((await main("slow")).ready).toBe(true);
    for (const image of ["slow", "deaf"]) await pods().delete(at(image));
    await world.advance("6s");
    expect((await main("slow")).state.running).toBeDefined();
    await world.advance("1s");
    expect((await main("slow")).state.terminated).toMatchObject({ exitCode: 0, finishedAt: "2026-01-01T00:00:09Z" });
    expect((await status("slow")).phase).toBe("Succeeded");
    await world.advance("22s");
    expect((await main("deaf")).state.running).toBeDefined();
    await world.advance("1s");
    expect((await main("deaf")).state.terminated).toMatchObject({ exitCode: 137, finishedAt: "2026-01-01T00:00:32Z" });
    expect((await status("deaf")).phase).toBe("Failed");
  });

  test("that does not ask for SIGTERM ends with 143, and one that throws with 1 and its error in the log", async () => {
    await begin();
    simulation.image("plain", async (ctx) => {
      await ctx.ready();
      await ctx.sleep("24h");
    });
    simulation.image("bad", () => {
      throw new Error("it is broken");
    });
    await simulation.addNodes(world.client, 1);
    await make("plain", { containers: [{ name: "main", image: "plain" }] }, { finalizers: ["example.com/x"] });
    await make("bad", {
      containers: [{ name: "main", image: "bad", terminationMessagePolicy: "FallbackToLogsOnError" }],
      restartPolicy: "Never",
    });
    await pods().delete(at("plain"));
    await world.settled();
    expect((await main("plain")).state.terminated).toMatchObject({ exitCode: 143 });
    expect((await main("bad")).state.terminated).toMatchObject({ exitCode: 1, message: "it is broken" });
    expect(errors).toEqual([new Error("it is broken")]);
    expect(await exists("plain")).toBe(true);
  });

  test("answers probes: readiness by its thresholds, liveness with a restart", async () => {
    await begin();
    let code = 200;
    simulation.image("web", async (ctx) => {
      ctx.on.http(() => ({ status: code }));
      await ctx.untilTerminated();
    });
    await simulation.addNodes(world.client, 1);
    const probe = { httpGet: { path: "/", port: 80 }, periodSeconds: 10 };
    await make("p", {
      containers: [
        { name: "main", image: "web", readinessProbe: probe, livenessProbe: { ...probe, failureThreshold: 6 } },
      ],
    });
    await world.advance("1s");
    expect((await main("p")).ready).toBe(true);
    code = 503;
    await world.advance("28s");
    expect((await main("p")).ready).toBe(true);
    await world.advance("1s");
    expect(await main("p")).toMatchObject({ ready: false, restartCount: 0 });
    await world.advance("29s");
    expect((await main("p")).restartCount).toBe(0);
    await world.advance("1s");
    expect(await main("p")).toMatchObject({
      restartCount: 1,
      lastState: { terminated: { finishedAt: "2026-01-01T00:01:00Z" } },
    });
    expect(await events("p")).toContain(
      "Warning Unhealthy Liveness probe failed: HTTP probe failed with statuscode: 503",
    );
  });

  test("is replayed by another simulation: nothing is written, and it goes on in time", async () => {
    await begin();
    const calls: string[] = [];
    const image = (name: string) => async (ctx: Parameters<Parameters<Simulation["image"]>[1]>[0]) => {
      calls.push(name);
      ctx.log("one");
      await ctx.ready({ after: "5s" });
      await ctx.sleep("20s");
      ctx.log("two");
      ctx.notReady();
      await ctx.sleep("20s");
      await ctx.exit(0);
    };
    simulation.image("db", image("first"));
    await simulation.addNodes(world.client, 1);
    await make("p", { containers: [{ name: "main", image: "db" }], restartPolicy: "Never" });
    await world.advance("10500ms");
    const before = await get("p");
    expect(before.status.containerStatuses![0]!.ready).toBe(true);
    // The controllers of the first one end with their manager.
    await managerOf(world).stop({ grace: 0 });
    simulation = createSimulation(world);
    simulation.image("db", image("second"));
    await world.run(...simulation.controllers);
    await world.settled();
    expect(calls).toEqual(["first", "second"]);
    expect((await get("p")).metadata.resourceVersion).toBe(before.metadata.resourceVersion);
    const log = simulation.logs({ namespace: "default", pod: "p" });
    expect(typeof log === "string" ? log : log.lines).toEqual([{ at: Date.UTC(2026, 0, 1), text: "one" }]);
    await world.advance("14s");
    expect((await main("p")).ready).toBe(true);
    await world.advance("500ms");
    expect((await main("p")).ready).toBe(false);
    await world.advance("20s");
    expect((await main("p")).state.terminated).toMatchObject({ exitCode: 0, finishedAt: "2026-01-01T00:00:45Z" });
  });
});

const managerOf = (of: World) => of.managers[0]!;

describe("images", () => {
  test("that are missing are tried after 10, 20, 40 seconds, and start when they are there", async () => {
    await begin();
    await simulation.addNodes(world.client, 1);
    const faults = simulation.faults(world.client);
    await faults.missingImage("web*");
    await make("p");
    expect((await main("p")).state.waiting).toMatchObject({ reason: "ErrImagePull" });
    await world.advance("1s");
    expect((await main("p")).state.waiting).toMatchObject({ reason: "ImagePullBackOff" });
    await world.advance("9s");
    expect((await main("p")).state.waiting).toMatchObject({ reason: "ErrImagePull" });
    await world.advance("10s");
    await faults.restorePulls();
    await world.advance("9s");
    expect((await main("p")).state.waiting).toMatchObject({ reason: "ImagePullBackOff" });
    await world.advance("1s");
    expect((await main("p")).state.running).toEqual({ startedAt: "2026-01-01T00:00:30Z" });
  });

  test("that are slow are pulled for their time", async () => {
    await begin();
    await simulation.addNodes(world.client, 2);
    await simulation.faults(world.client).slowPulls("30s", "web", { node: "node-1" });
    await make("p");
    await make("q", { nodeName: "node-2" });
    expect((await main("p")).state.waiting).toEqual({ reason: "ContainerCreating" });
    await world.advance("29s");
    expect((await main("p")).state.waiting).toEqual({ reason: "ContainerCreating" });
    expect((await main("q")).state.running).toEqual({ startedAt: "2026-01-01T00:00:01Z" });
    await world.advance("1s");
    expect((await main("p")).state.running).toEqual({ startedAt: "2026-01-01T00:00:30Z" });
  });
});

describe("nodes", () => {
  test("that are lost report nothing until they are back", async () => {
    await begin();
    await simulation.addNodes(world.client, 1, { zone: "a" });
    await make("p");
    await world.advance("2s");
    const faults = simulation.faults(world.client);
    await faults.lose({ zone: "a" });
    await pods().delete(at("p"));
    await make("q");
    await world.advance("1h");
    expect(await exists("p")).toBe(true);
    expect((await status("q")).phase).toBe("Pending");
    const node = await world.resource(Node).get({ name: "node-1" });
    expect(node.metadata.annotations?.["simulation.keelson.dev/heartbeats-stopped"]).toBe("2026-01-01T00:00:02Z");
    await world
      .resource(Node)
      .status.patch({ name: "node-1" }, { status: { conditions: [{ type: "Ready", status: "Unknown" }] } });
    await faults.restore({ all: true });
    await world.settled();
    expect(await exists("p")).toBe(false);
    expect((await status("q")).phase).toBe("Running");
    const back = await world.resource(Node).get({ name: "node-1" });
    expect(back.status.conditions?.find(({ type }) => type === "Ready")).toMatchObject({ status: "True" });
  });

  test("whose disk is full say so, and put out a Pod each ten seconds", async () => {
    await begin();
    await simulation.addNodes(world.client, 1);
    for (const name of ["a", "b", "c"]) await make(name);
    await world.advance("1s");
    const faults = simulation.faults(world.client);
    await faults.diskPressure({ node: "node-1" });
    await world.settled();
    const pressure = async () =>
      (await world.resource(Node).get({ name: "node-1" })).status.conditions?.find(
        ({ type }) => type === "DiskPressure",
      )?.status;
    expect(await pressure()).toBe("True");
    await world.advance("9s");
    expect((await status("a")).phase).toBe("Running");
    await world.advance("1s");
    expect(await status("a")).toMatchObject({ phase: "Failed", reason: "Evicted" });
    expect((await status("b")).phase).toBe("Running");
    await world.advance("10s");
    expect((await status("b")).phase).toBe("Failed");
    await faults.restoreDisk({ node: "node-1" });
    await world.advance("1m");
    expect((await status("c")).phase).toBe("Running");
    expect(await pressure()).toBe("False");
  });

  test("that a user created with the mark of kwok get addresses, capacity and conditions", async () => {
    await begin();
    await world
      .resource(Node)
      .create({ metadata: { name: "k", annotations: { "kwok.x-k8s.io/node": "fake" } } } as NewObject<Node>);
    await world.settled();
    const node = await world.resource(Node).get({ name: "k" });
    expect(node.spec.podCIDR).toBe("10.244.0.0/24");
    expect(node.status.capacity).toMatchObject({ cpu: "8", pods: "110" });
    expect(node.status.conditions).toHaveLength(4);
  });

  test("a Pod that flaps is ready every other period", async () => {
    await begin();
    await simulation.addNodes(world.client, 1);
    await make("p", {}, { annotations: { "simulation.keelson.dev/flapping": "30s" } });
    await world.advance("30s");
    expect((await main("p")).ready).toBe(true);
    await world.advance("1s");
    expect((await main("p")).ready).toBe(false);
    await world.advance("30s");
    expect((await main("p")).ready).toBe(true);
  });
});
