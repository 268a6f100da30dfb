import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { NewObject } from "../../src/client/index.ts";
import {
  ConfigMap,
  CoreEvent,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  Secret,
} from "../../src/client/kinds/index.ts";
import { type ScriptContext, type Simulation, createSimulation } from "../../src/simulation/index.ts";
import { World } from "../runtime/world.ts";

let world: World;
let simulation: Simulation;
const errors: unknown[] = [];

beforeEach(async () => {
  errors.length = 0;
  world = await World.create();
  simulation = createSimulation(world, { onError: (error) => errors.push(error) });
  await world.run(...simulation.controllers);
  await simulation.addNodes(world.client, 2);
});
afterEach(async () => {
  await world[Symbol.asyncDispose]();
  if (world.failures.length > 0) throw new Error(JSON.stringify(world.failures));
  if (errors.length > 0) throw new Error(errors.map(String).join("\n"));
});

const pods = () => world.resource(Pod);
const at = (name: string) => ({ name, namespace: "default" });
const target = (pod: string) => ({ namespace: "default", pod });
const get = (name: string) => pods().get(at(name));
const main = async (name: string) => (await get(name)).status.containerStatuses![0]!;
const make = async (name: string, container: object = {}, spec: object = {}) => {
  await pods().create({
    metadata: { ...at(name), labels: { app: "db" } },
    spec: { nodeName: "node-1", containers: [{ name: "main", image: "db", ...container }], ...spec },
  } as unknown as NewObject<Pod>);
  await world.settled();
};
const events = async () => (await world.resource(CoreEvent).list({ namespace: "default" })).items;
const put = async (name: string, data: Record<string, string>) =>
  world.resource(ConfigMap).create({ metadata: at(name), data } as NewObject<ConfigMap>);
const putSecret = async (name: string, data: Record<string, string>) =>
  world.resource(Secret).create({ metadata: at(name), stringData: data } as unknown as NewObject<Secret>);

/** Runs a script that waits, and returns its context. */
const contextOf = async (name: string, container: object = {}, spec: object = {}): Promise<ScriptContext> => {
  const seen = Promise.withResolvers<ScriptContext>();
  simulation.image("db", async (ctx) => {
    seen.resolve(ctx);
    await ctx.untilTerminated();
  });
  await make(name, container, spec);
  return seen.promise;
};

test("a script sees its environment: values, variables, fields, resources, ConfigMaps and Secrets", async () => {
  await put("settings", { MODE: "fast", other: "x" });
  await putSecret("keys", { token: "t0p" });
  const { env } = await contextOf("p", {
    envFrom: [{ prefix: "S_", configMapRef: { name: "settings" } }, { secretRef: { name: "nothing", optional: true } }],
    resources: { requests: { cpu: "1500m", memory: "64Mi" } },
    env: [
      { name: "A", value: "a" },
      { name: "B", value: "$(A)-$(NONE)-$$(A)" },
      { name: "NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
      { name: "IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
      { name: "APP", valueFrom: { fieldRef: { fieldPath: "metadata.labels['app']" } } },
      { name: "CPU", valueFrom: { resourceFieldRef: { resource: "requests.cpu" } } },
      { name: "MEMORY", valueFrom: { resourceFieldRef: { resource: "requests.memory", divisor: "1Mi" } } },
      { name: "MODE", valueFrom: { configMapKeyRef: { name: "settings", key: "MODE" } } },
      { name: "TOKEN", valueFrom: { secretKeyRef: { name: "keys", key: "token" } } },
    ],
  });
  expect(env).toEqual({
    S_MODE: "fast",
    S_other: "x",
    A: "a",
    B: "a-$(NONE)-$(A)",
    NAME: "p",
    IP: "10.244.0.2",
    APP: "db",
    CPU: "2",
    MEMORY: "64",
    MODE: "fast",
    TOKEN: "t0p",
  });
});

test("a container whose ConfigMap is missing is not made, and is when it is there", async () => {
  simulation.image("db", (ctx) => ctx.untilTerminated());
  await make("p", { envFrom: [{ configMapRef: { name: "settings" } }] });
  expect((await main("p")).state.waiting).toEqual({
    reason: "CreateContainerConfigError",
    message: 'configmap "settings" not found',
  });
  await put("settings", {});
  await world.advance("10s");
  expect((await main("p")).state.running).toBeDefined();
});

test("a volume whose Secret is missing is waited for, with FailedMount", async () => {
  simulation.image("db", (ctx) => ctx.untilTerminated());
  const spec = { volumes: [{ name: "keys", secret: { secretName: "keys" } }] };
  await make("p", { volumeMounts: [{ name: "keys", mountPath: "/keys" }] }, spec);
  const { status } = await get("p");
  expect(status.containerStatuses![0]!.state.waiting).toEqual({ reason: "ContainerCreating" });
  expect(status.podIP).toBeUndefined();
  expect(status.conditions?.find(({ type }) => type === "PodReadyToStartContainers")).toMatchObject({
    status: "False",
  });
  expect((await events()).map(({ reason, message }) => `${reason} ${message}`)).toContain(
    'FailedMount MountVolume.SetUp failed for volume "keys" : secret "keys" not found',
  );
  await putSecret("keys", { a: "b" });
  await world.advance("2s");
  expect((await main("p")).state.running).toBeDefined();
});

test("files of a claim live as long as the claim, and a Pod that waits for it starts when it is bound", async () => {
  simulation.image("db", (ctx) => ctx.untilTerminated());
  const claims = world.resource(PersistentVolumeClaim);
  const resources = { requests: { storage: "1Gi" } };
  const claimSpec = { accessModes: ["ReadWriteOnce"], resources, volumeName: "v", storageClassName: "" };
  await claims.create({ metadata: at("data"), spec: claimSpec } as unknown as NewObject<PersistentVolumeClaim>);
  const spec = { volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }] };
  const container = { volumeMounts: [{ name: "data", mountPath: "/data" }] };
  await make("p", container, spec);
  expect((await main("p")).state.waiting).toEqual({ reason: "ContainerCreating" });
  await world.resource(PersistentVolume).create({
    metadata: { name: "v" },
    spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/v" } },
  } as unknown as NewObject<PersistentVolume>);
  await claims.status.patch(at("data"), { status: { phase: "Bound" } });
  await world.settled();
  expect((await main("p")).state.running).toBeDefined();
  const run = (...command: string[]) => simulation.exec(target("p"), { command });
  expect(await run("sh", "-c", "echo one > /data/a.txt && echo two >> /data/a.txt")).toMatchObject({ code: 0 });
  expect(await run("cat", "/data/a.txt")).toEqual({ stdout: "one\ntwo\n" });
  await pods().delete(at("p"));
  await world.settled();
  await make("p", container, { ...spec, nodeName: "node-2" });
  expect(await run("ls", "/data")).toEqual({ stdout: "a.txt\n" });
  expect(await run("cat", "/data/a.txt")).toEqual({ stdout: "one\ntwo\n" });
  expect(await run("cat", "/etc/passwd")).toMatchObject({
    code: 1,
    stderr: "cat: /etc/passwd: No such file or directory\n",
  });
  expect(await run("nmap")).toMatchObject({ code: 127 });
  expect(await run("sh", "-c", "false && echo a; echo $HOSTNAME")).toMatchObject({ stdout: "p\n", code: 0 });
});

test("mounts show the files of ConfigMaps, Secrets and fields, which cannot be written", async () => {
  await put("settings", { "a.conf": "A", b: "B" });
  const spec = {
    volumes: [
      { name: "settings", configMap: { name: "settings", items: [{ key: "a.conf", path: "x/a.conf" }] } },
      { name: "info", downwardAPI: { items: [{ path: "name", fieldRef: { fieldPath: "metadata.name" } }] } },
      { name: "tmp", emptyDir: {} },
    ],
  };
  const volumeMounts = [
    { name: "settings", mountPath: "/etc/settings" },
    { name: "info", mountPath: "/info" },
    { name: "tmp", mountPath: "/tmp" },
  ];
  const { mounts } = await contextOf("p", { volumeMounts }, spec);
  expect(mounts["/etc/settings"]!.list()).toEqual(["x/a.conf"]);
  expect(mounts["/etc/settings"]!.read("x/a.conf")).toBe("A");
  expect(() => mounts["/etc/settings"]!.write("b", "")).toThrow("is only read");
  expect(mounts["/info"]!.read("name")).toBe("p");
  mounts["/tmp"]!.write("../a//b", "text");
  expect(mounts["/tmp"]!.list()).toEqual(["a/b"]);
  expect(() => mounts["/tmp"]!.write("big", "x".repeat(1 << 20))).toThrow("no space left");
});

test("exec, requests, usage and logs are answered by the script", async () => {
  simulation.image("db", async (ctx) => {
    ctx.on.exec((command, stdin) => ({ stdout: `${command.join(" ")} ${stdin ?? ""}`, code: 2 }));
    ctx.on.http(({ method, path, port }) => ({ status: 201, body: `${method} ${path} ${port}` }));
    ctx.metrics({ cpu: "250m", memory: "64Mi" });
    ctx.log("first\nsecond");
    await ctx.sleep("5s");
    ctx.log("third");
    await ctx.untilTerminated();
  });
  await make("p");
  expect(await simulation.exec(target("p"), { command: ["psql", "-c"], stdin: "x" })).toEqual({
    stdout: "psql -c x",
    code: 2,
  });
  const request = { method: "GET", path: "/a", port: 80, headers: {}, body: "" };
  expect(await simulation.request(target("p"), request)).toEqual({ status: 201, body: "GET /a 80" });
  expect(simulation.usage(await get("p"))).toEqual([{ name: "main", cpu: 250_000_000, memory: 64 << 20 }]);
  const log = simulation.logs(target("p"));
  if (typeof log === "string") throw new Error(log);
  const lines: (string | undefined)[] = log.lines.map(({ text }) => text);
  log.follow((line) => lines.push(line?.text));
  await world.advance("5s");
  await pods().delete(at("p"));
  await world.settled();
  expect(lines).toEqual(["first", "second", "third", undefined]);
  expect(simulation.logs(target("p"))).toBe("NoPod");
});

test("who cannot answer says why", async () => {
  simulation.image("db", (ctx) => ctx.exit(1));
  await make("p", {}, { restartPolicy: "Never" });
  await make("q", {}, { nodeName: "elsewhere" });
  const command = ["true"];
  expect(await simulation.exec(target("none"), { command })).toBe("NoPod");
  expect(await simulation.exec({ ...target("p"), container: "other" }, { command })).toBe("NoContainer");
  expect(await simulation.exec(target("p"), { command })).toBe("NotRunning");
  expect(await simulation.exec(target("q"), { command })).toBe("NotSimulated");
  await simulation.faults(world.client).lose({ all: true });
  await world.settled();
  expect(await simulation.exec(target("p"), { command })).toBe("NodeLost");
});

test("a container that was restarted has the log of its start before", async () => {
  simulation.image("db", async (ctx) => {
    ctx.log(`start ${ctx.attempt}`);
    await ctx.sleep("5s");
    await ctx.exit(1);
  });
  await make("p");
  await world.advance("7s");
  const linesOf = (previous: boolean) => {
    const log = simulation.logs({ ...target("p"), previous });
    return typeof log === "string" ? log : log.lines.map(({ text }) => text);
  };
  expect(linesOf(false)).toEqual(["start 1"]);
  expect(linesOf(true)).toEqual(["start 0"]);
});

test("a log keeps its last 256 KiB, and says how many lines are dropped", async () => {
  const { log } = await contextOf("p");
  for (let line = 0; line < 5000; line++) log(`${line} ${"x".repeat(94)}`);
  const kept = simulation.logs(target("p"));
  if (typeof kept === "string") throw new Error(kept);
  expect(kept.dropped + kept.lines.length).toBe(5000);
  expect(kept.lines.length).toBeGreaterThan(2500);
  expect(kept.lines.at(-1)!.text).toMatch(/^4999 /);
});

describe("hooks", () => {
  test("preStop runs before SIGTERM, and takes its time of the grace", async () => {
    const told: string[] = [];
    simulation.image("db", async (ctx) => {
      ctx.on.exec((command) => {
        told.push(command.join(" "));
        return {};
      });
      await ctx.untilTerminated();
      told.push("SIGTERM");
    });
    await make("p", { lifecycle: { preStop: { exec: { command: ["drain"] } } } });
    await make("q", { image: "web", lifecycle: { preStop: { sleep: { seconds: 10 } } } });
    await world.advance("2s");
    await pods().delete(at("p"));
    await pods().delete(at("q"));
    await world.settled();
    expect(told).toEqual(["drain", "SIGTERM"]);
    expect(await pods().find(at("p"))).toBeUndefined();
    await world.advance("9s");
    expect(await pods().find(at("q"))).toBeDefined();
    await world.advance("1s");
    expect(await pods().find(at("q"))).toBeUndefined();
  });

  test("preStop may sleep, as long as the grace lasts", async () => {
    simulation.image("db", async (ctx) => {
      ctx.on.exec(async ([time]) => {
        await ctx.sleep(Number(time));
        return {};
      });
      await ctx.untilTerminated();
      await ctx.sleep("2s");
    });
    const lifecycle = (millis: number) => ({ lifecycle: { preStop: { exec: { command: [String(millis)] } } } });
    await make("p", lifecycle(5000));
    await make("q", lifecycle(60_000), { terminationGracePeriodSeconds: 20 });
    await pods().delete(at("p"));
    await pods().delete(at("q"));
    await world.advance("6s");
    expect(await pods().find(at("p"))).toBeDefined();
    await world.advance("1s");
    expect(await pods().find(at("p"))).toBeUndefined();
    await world.advance("12s");
    expect(await pods().find(at("q"))).toBeDefined();
    await world.advance("1s");
    expect(await pods().find(at("q"))).toBeUndefined();
  });

  test("a postStart that fails ends the container", async () => {
    simulation.image("db", async (ctx) => {
      ctx.on.exec(() => ({ code: 1, stderr: "no" }));
      await ctx.untilTerminated();
    });
    await make("p", { lifecycle: { postStart: { exec: { command: ["init"] } } } }, { restartPolicy: "Never" });
    expect((await main("p")).state.terminated).toMatchObject({ exitCode: 137 });
    expect((await events()).map(({ reason }) => reason)).toContain("FailedPostStartHook");
  });
});

test("a startup probe holds back the others, and one that fails ends the container", async () => {
  let code = 1;
  simulation.image("db", async (ctx) => {
    ctx.on.exec(() => ({ code }));
    await ctx.untilTerminated();
  });
  const startupProbe = { exec: { command: ["up"] }, periodSeconds: 5, failureThreshold: 3 };
  await make("p", { startupProbe });
  await world.advance("9s");
  expect(await main("p")).toMatchObject({ started: false, ready: false, restartCount: 0 });
  await world.advance("1s");
  expect(await main("p")).toMatchObject({ restartCount: 1, started: false });
  code = 0;
  await world.advance("5s");
  expect(await main("p")).toMatchObject({ restartCount: 1, started: true, ready: true });
});

test("one that used too much memory says OOMKilled", async () => {
  simulation.image("db", async (ctx) => {
    await ctx.sleep("3s");
    await ctx.exit(137, { reason: "OOMKilled" });
  });
  await make("p", {}, { restartPolicy: "Never" });
  await world.advance("3s");
  expect((await main("p")).state.terminated).toMatchObject({ exitCode: 137, reason: "OOMKilled" });
});

test("sidecars of a Job end when its containers have ended", async () => {
  const ended: string[] = [];
  simulation.image("db", async (ctx) => {
    await ctx.sleep("5s");
    ended.push("main");
  });
  simulation.image("side", async (ctx) => {
    await ctx.untilTerminated();
    await ctx.sleep("2s");
    ended.push("side");
  });
  const initContainers = [{ name: "side", image: "side", restartPolicy: "Always" }];
  await make("p", {}, { restartPolicy: "Never", initContainers });
  await world.advance("5s");
  expect((await get("p")).status.phase).toBe("Running");
  await world.advance("2s");
  expect((await get("p")).status.phase).toBe("Succeeded");
  expect(ended).toEqual(["main", "side"]);
});

test("the same seed gives the same chance, in each replay and for each start another one", async () => {
  const drawn: number[][] = [];
  simulation.image("db", async (ctx) => {
    drawn.push([ctx.random(), ctx.random()]);
    await ctx.sleep("1s");
    await ctx.exit(1);
  });
  await make("p");
  await world.advance("1s");
  const uid = (await get("p")).metadata.uid;
  expect(uid).toBeDefined();
  expect(drawn).toHaveLength(2);
  expect(drawn[0]).not.toEqual(drawn[1]);
  const other = simulation.fork(world);
  await world.managers[0]!.stop({ grace: 0 });
  await world.run(...other.controllers);
  await world.settled();
  expect(drawn[2]).toEqual(drawn[1]);
});

test("a script that is replayed in a fork writes no file again, and writes on from there", async () => {
  let told = "";
  simulation.image("db", async (ctx) => {
    const data = ctx.mounts["/data"]!;
    const count = () => data.write("starts", `${data.read("starts") ?? ""}${ctx.attempt}`);
    count();
    await ctx.sleep("10s");
    count();
    ctx.on.exec(() => {
      data.write("called", "yes");
      return {};
    });
    told = data.read("starts") ?? "";
    await ctx.sleep("1h");
  });
  await make(
    "p",
    { volumeMounts: [{ name: "data", mountPath: "/data" }] },
    { volumes: [{ name: "data", emptyDir: {} }] },
  );
  await world.advance("10500ms");
  expect(told).toBe("00");
  await world.managers[0]!.stop({ grace: 0 });
  const fork = simulation.fork(world);
  await world.run(...fork.controllers);
  await world.settled();
  expect(told).toBe("00");
  expect(await fork.exec(target("p"), { command: ["x"] })).toEqual({});
  await make(
    "q",
    { volumeMounts: [{ name: "data", mountPath: "/data" }] },
    { volumes: [{ name: "data", emptyDir: {} }] },
  );
  await world.advance("10s");
  expect(told).toBe("00");
});

test("a deadline tells a script, and shows its reason when the script has ended", async () => {
  simulation.image("db", async (ctx) => {
    await ctx.untilTerminated();
    await ctx.sleep("5s");
  });
  await make("p", {}, { activeDeadlineSeconds: 10, restartPolicy: "Never" });
  await world.advance("14s");
  expect((await get("p")).status.reason).toBeUndefined();
  expect((await main("p")).state.running).toBeDefined();
  await world.advance("1s");
  expect((await get("p")).status).toMatchObject({ phase: "Failed", reason: "DeadlineExceeded" });
  expect((await main("p")).state.terminated).toMatchObject({ exitCode: 0, finishedAt: "2026-01-01T00:00:15Z" });
});

test("a script that never lets time pass ends with an error", async () => {
  simulation.image("db", async (ctx) => {
    for (;;) await ctx.sleep(0);
  });
  await make("p", {}, { restartPolicy: "Never" });
  expect((await main("p")).state.terminated).toMatchObject({
    exitCode: 1,
    message: "expected a script to sleep, found 10000 sleeps of no time one after the other",
  });
  errors.length = 0;
});

test("a Pod that another client ends has no script any more", async () => {
  let steps = 0;
  simulation.image("db", async (ctx) => {
    for (;;) {
      await ctx.sleep("1s");
      steps++;
    }
  });
  await make("p");
  await world.advance("3s");
  expect(steps).toBe(3);
  await pods().status.patch(at("p"), { status: { phase: "Failed" } });
  await world.advance("1h");
  expect(steps).toBe(3);
});

test("many Pods at rest set no timer, and a day of them writes nothing", async () => {
  for (let i = 0; i < 200; i++) {
    await pods().create({
      metadata: at(`p${i}`),
      spec: { nodeName: `node-${1 + (i % 2)}`, containers: [{ name: "main", image: "web" }] },
    } as unknown as NewObject<Pod>);
  }
  await world.advance("2s");
  const before = (await pods().list()).metadata.resourceVersion;
  expect(world.clock.timers().filter(({ upkeep }) => !upkeep)).toEqual([]);
  await world.advance("24h");
  expect((await pods().list()).metadata.resourceVersion).toBe(before);
});
