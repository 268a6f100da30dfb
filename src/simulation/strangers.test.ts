/** What clients may write into Pods, nodes and commands, and authors into Stages: nothing grows or takes time without a bound. */
import { describe, expect, test } from "vitest";
import type { Client } from "../client/index.ts";
import type { Node, Pod } from "../client/kinds/index.ts";
import { ManualClock } from "../util/clock.ts";
import { leastCpu } from "../util/testing/cpu-time.ts";
import { expectLinear } from "../util/testing/linear.ts";
import type { Value } from "../value/value.ts";
import { planLife } from "./life/plan.ts";
import { LifeMemory } from "./memory.ts";
import { PodAddresses } from "./nodes/addresses.ts";
import { pullOf } from "./nodes/marks.ts";
import { runCommand } from "./scripts/commands.ts";
import { environmentOf } from "./scripts/environment.ts";
import { FileStore, filesOf } from "./scripts/files.ts";
import { mountsOf } from "./scripts/volumes.ts";
import { compileQuery } from "./stages/jq.ts";
import { PURE_FUNCTIONS, isFunction } from "./stages/functions.ts";
import { parseTemplate } from "./stages/template.ts";
import { SimulationState } from "./state.ts";

const MIB = 1 << 20;
const pod = (spec: object, status: object = {}, metadata: object = {}): Pod =>
  ({ metadata: { name: "p", namespace: "n", uid: "u", ...metadata }, spec, status }) as unknown as Pod;
const NO_ADDRESSES = { hostIP: "", podIP: "" };
const readNothing = async () => undefined;
const environment = (env: object[]) =>
  environmentOf(pod({}), { name: "c", env } as never, NO_ADDRESSES, readNothing) as Promise<{
    env: Record<string, string>;
    problem?: string;
  }>;

describe("commands", () => {
  const files = (store = new FileStore()) =>
    filesOf(() => store.volume("pod u", "v"), { source: "EmptyDir", volume: "v", readOnly: false });
  const scope = (env: Record<string, string> = {}) => ({ hostname: "h", env, mounts: { "/d": files() } });

  test("a shell that runs itself again and again ends", () => {
    const one = runCommand(scope({ X: 'sh -c "$X"' }), ["sh", "-c", "$X"]);
    expect(one.code).not.toBe(0);
    const X = 'sh -c "$X";sh -c "$X"';
    expect(runCommand(scope({ X }), ["sh", "-c", 'sh -c "$X"'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("8 shells"),
    });
  });

  test("a command writes 4 MiB at most, however often it asks for the same", () => {
    const own = scope({ A: "x".repeat(MIB / 2) });
    own.mounts["/d"].write("f", "x".repeat(MIB));
    for (const command of [
      ["sh", "-c", "cat /d/f;".repeat(900)],
      ["cat", ...Array.from({ length: 1000 }, () => "/d/f")],
      ["sh", "-c", `echo ${"$A".repeat(1000)}`],
      ["sh", "-c", "cat;".repeat(500)],
    ]) {
      const { stdout = "", stderr, code } = runCommand(own, command, "x".repeat(MIB));
      expect({ length: stdout.length, stderr, code }).toMatchObject({ length: 0, code: 1, stderr: /4 MiB/ });
    }
    expect(runCommand(own, ["cat", "/d/f"]).stdout).toHaveLength(MIB);
  });

  test("a text is read in one pass, and one of many commands is refused", async () => {
    const run = (text: string) => runCommand(scope(), ["sh", "-c", text]);
    for (const piece of ["true;", ">", "$A", "a ", "'' ", "\n", "${"]) {
      const text = piece.repeat(130_000 / piece.length);
      expect(await leastCpu(() => void run(text), 150)).toBeLessThan(150);
    }
    expect(run("x".repeat(200_000))).toMatchObject({ code: 126 });
    expect(run("true;".repeat(2000))).toMatchObject({ code: 1, stderr: expect.stringContaining("1000 commands") });
    expect(run(";".repeat(5000))).toMatchObject({ code: 0 });
  });

  test("an exit code has eight bits", () => {
    const codeOf = (text: string) => runCommand(scope(), ["sh", "-c", `exit ${text}`]).code;
    expect(["3", "256", "-1", "x", "1e999", ""].map(codeOf)).toEqual([3, 0, 255, 2, 2, 0]);
  });

  test("files without content are counted, too, and all volumes together", () => {
    const own = files();
    expect(() => own.write("x".repeat(2000), "")).toThrow("name too long");
    for (let i = 0; i < 10_000; i++) own.write(`f-${i}`, "");
    expect(() => own.write("one-more", "")).toThrow("10000 files");
    own.delete("f-0");
    own.write("one-more", "");
    const store = new FileStore();
    const volume = (i: number) =>
      filesOf(() => store.volume(`pod ${i}`, "v"), { source: "EmptyDir", volume: "v", readOnly: false });
    const text = "x".repeat(MIB - 1);
    for (let i = 0; i < 256; i++) volume(i).write("f", text);
    expect(() => volume(256).write("f", text)).toThrow("256 MiB");
    const left = store.volume("pod 0", "v");
    store.forget("pod 0");
    volume(256).write("f", text);
    expect(() => volume(257).write("f", text)).toThrow("256 MiB");
    // Who still has a volume of an owner that is gone takes no room of others.
    left.delete("f");
    expect(() => volume(257).write("f", text)).toThrow("256 MiB");
    store.forget("pod 1");
    left.set("f", text);
    volume(257).write("f", text);
  });
});

describe("volumes", () => {
  const parts = (data: Record<string, string> = {}) => {
    const reads: unknown[] = [];
    const find = async (key: unknown) => {
      reads.push(key);
      return { data };
    };
    const client = { resource: () => ({ find }) } as unknown as Client;
    return { reads, client, store: new FileStore(), addresses: NO_ADDRESSES };
  };
  const mountsOfAll = (volumes: { name: string }[], own: ReturnType<typeof parts>, metadata: object = {}) => {
    const volumeMounts = volumes.map(({ name }) => ({ name, mountPath: `/${name}` }));
    return mountsOf(pod({ volumes }, {}, metadata), { name: "c", volumeMounts } as never, own);
  };

  test("a ConfigMap is read once for all volumes, whose files are listed on demand", async () => {
    const own = parts(Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`key-${i}`, `${i}`])));
    const sources = [{ configMap: { name: "m" } }];
    const volumes = Array.from({ length: 20_000 }, (_, i) => ({ name: `v-${i}`, projected: { sources } }));
    const millis = await leastCpu(async () => void (await mountsOfAll(volumes, parts())), 1000);
    expect(millis).toBeLessThan(1000);
    const mounts = await mountsOfAll(volumes, own);
    expect(own.reads).toHaveLength(1);
    for (let i = 0; i < 20; i++) expect(mounts[`/v-${i}`]!.read("key-7")).toBe("7");
    expect(() => mounts["/v-20"]!.list()).toThrow("expected at most 100000 files");
    expect(runCommand({ hostname: "h", env: {}, mounts }, ["cat", "/v-0/key-1", "/v-20/key-1"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("100000 files"),
    });
  });

  test("files that all show the annotations of their Pod share one text", async () => {
    const items = Array.from({ length: 2000 }, (_, i) => ({
      path: `f-${i}`,
      fieldRef: { fieldPath: i % 2 === 0 ? "metadata.annotations" : "metadata.labels" },
    }));
    const large = { a: "x".repeat(250_000) };
    const before = process.memoryUsage().rss;
    const mounts = await mountsOfAll([{ name: "v", downwardAPI: { items } } as never], parts(), {
      annotations: large,
      labels: large,
    });
    expect(mounts["/v"]!.read("f-1998")).toHaveLength(250_004);
    // A text of its own for each would be 500 MB.
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * MIB);
  });
});

describe("Pods that are gone", () => {
  const container = { name: "c", image: "i" };
  const gone = pod({
    nodeName: "n",
    containers: [container],
    volumes: [{ persistentVolumeClaim: { claimName: "d" } }],
  });

  test("run no script that was about to start, and keep no volume", async () => {
    const state = new SimulationState({ clock: new ManualClock() }, {});
    let runs = 0;
    state.setImage("i", () => void runs++);
    const status = { name: "c", state: { running: {} }, restartCount: 0 } as never;
    const facts = { client: {} as Client, addresses: NO_ADDRESSES };
    let there: Pod | undefined = gone;
    state.view = { pod: () => there, pods: () => [], node: () => undefined, requeue: () => {} };
    const starts = state.ensureRun(gone, container as never, status, facts);
    there = undefined;
    await starts;
    expect({ runs, kept: state.runs.size }).toEqual({ runs: 0, kept: 0 });
  });

  test("wait for no claim any more", () => {
    const listeners: ((event: object) => void)[] = [];
    const informer = {
      on: (listener: (event: object) => void) => {
        listeners.push(listener);
        return { [Symbol.dispose]: () => {} };
      },
      get: () => undefined,
    };
    const added: string[] = [];
    const state = new SimulationState({ clock: new ManualClock() }, {});
    const memory = new LifeMemory({ own: () => informer } as never, (key) => void added.push(key), state);
    const [pods, , claims] = listeners;
    const claim = { type: "changed", object: { metadata: { namespace: "n", name: "d", uid: "d" } } };
    memory.awaitVolumes(gone);
    claims!(claim);
    memory.awaitVolumes(gone);
    pods!({ type: "deleted", object: gone });
    claims!(claim);
    expect(added).toEqual(["n/p"]);
  });
});

describe("environments", () => {
  test("variables that double each other are no environment", async () => {
    const bomb = Array.from({ length: 64 }, (_, i) => ({
      name: `V${i}`,
      value: i === 0 ? "x" : `$(V${i - 1})$(V${i - 1})`,
    }));
    expect(await environment(bomb)).toEqual({ problem: "the environment of container c is larger than 2 MiB" });
  });

  test("brackets without a name take time in proportion to their text, and stay as they are", async () => {
    await expectLinear(
      (size) => `${"$(".repeat(size / 2)})`,
      async (value) => environment([{ name: "A", value }]),
    );
    const { env } = await environment([
      { name: "A", value: "a" },
      { name: "B", value: "$(A)$(NONE)$$(A)$($(A)x$(" },
    ]);
    expect(env["B"]).toBe("a$(NONE)$(A)$($(A)x$(");
  });
});

describe("Pods of many containers", () => {
  const names = Array.from({ length: 10_000 }, (_, i) => `c-${i}`);
  const startedAt = "2026-01-01T00:00:00Z";
  const now = Date.parse("2026-01-01T00:10:00Z");
  const facts = (node: Node) => ({
    node: { name: "n", hostIP: "1.1.1.1" },
    podIP: "",
    configProblem: () => undefined,
    pull: (image: string) => pullOf(node, image, 0),
    isScripted: () => true,
    script: () => ({ ready: true, readySince: now }),
    completeAfter: 0,
  });
  const running = (name: string) => ({
    name,
    state: { running: { startedAt } },
    lastState: {},
    ready: true,
    started: true,
    restartCount: 0,
  });
  const slow = { "db*": { delay: "1s" } };
  const rules = Object.fromEntries(Array.from({ length: 8000 }, (_, i) => [`i-${i}-*`, { delay: "1s" }]));
  const annotations = { "simulation.keelson.dev/pulls": JSON.stringify({ ...slow, ...rules }) };
  const node = { metadata: { name: "n", annotations } } as unknown as Node;

  test("the annotation of pulls is read once, and so many patterns count", async () => {
    const spec = { containers: names.map((name) => ({ name, image: `x-${name}` })) };
    expect(await leastCpu(() => void planLife(pod(spec), facts(node), now), 1000)).toBeLessThan(1000);
    expect(pullOf(node, "db:1", 5)).toEqual({ delay: 1000, isMissing: false });
    expect(pullOf(node, "i-7999-x", 5)).toEqual({ delay: 5, isMissing: false });
  });

  test("each container is looked at once while they run, and when they end", async () => {
    const containers = names.map((name) => ({ name, image: "i" }));
    const initContainers = names.map((name) => ({ name: `s${name}`, image: "i", restartPolicy: "Always" }));
    const status = {
      phase: "Running",
      startTime: startedAt,
      containerStatuses: names.map(running),
      initContainerStatuses: names.map((name) => running(`s${name}`)),
    };
    const whole = pod({ containers, initContainers }, status);
    const going = pod({ containers, initContainers }, status, {
      deletionTimestamp: "2026-01-01T00:20:00Z",
      deletionGracePeriodSeconds: 3600,
    });
    for (const one of [whole, going]) {
      expect(await leastCpu(() => void planLife(one, facts(node), now), 1000)).toBeLessThan(1000);
    }
  });

  test("restarts of all containers count again in one pass, and each is recorded", async () => {
    const key = "simulation.keelson.dev/restarts-reset";
    const counts = (count: number) => JSON.stringify(Object.fromEntries(names.map((name) => [name, count])));
    const restarted = pod(
      { containers: names.map((name) => ({ name, image: "i" })) },
      {
        phase: "Running",
        startTime: startedAt,
        containerStatuses: names.map((name) => ({ ...running(name), restartCount: 7 })),
      },
      { annotations: { [key]: counts(3), "simulation.keelson.dev/run-for": "10m1s" } },
    );
    const unscripted = { ...facts(node), isScripted: () => false };
    const at = now + 2000;
    expect(await leastCpu(() => void planLife(restarted, unscripted, at), 1000)).toBeLessThan(1000);
    expect(planLife(restarted, unscripted, at).annotations).toEqual({ [key]: counts(7) });
  });

  test("each readiness gate is looked up among the conditions", async () => {
    const readinessGates = Array.from({ length: 20_000 }, (_, i) => ({ conditionType: `gate-${i}` }));
    const conditions = readinessGates.map(({ conditionType }) => ({ type: `not-${conditionType}`, status: "True" }));
    const gated = pod(
      { containers: [{ name: "c", image: "i" }], readinessGates },
      { phase: "Running", startTime: startedAt, conditions, containerStatuses: [running("c")] },
    );
    expect(await leastCpu(() => void planLife(gated, facts(node), now), 500)).toBeLessThan(500);
  });

  test("times without an end are not waited for", () => {
    const endless = `${"9".repeat(400)}h`;
    for (const name of ["run-for", "ready-after", "flapping"]) {
      const marked = pod(
        { containers: [{ name: "c", image: "i" }] },
        { startTime: startedAt },
        {
          annotations: { [`simulation.keelson.dev/${name}`]: endless },
        },
      );
      const plan = planLife(marked, { ...facts(node), isScripted: () => false }, now);
      const next = planLife(
        { ...marked, status: plan.status! },
        { ...facts(node), isScripted: () => false },
        now + 1000,
      );
      for (const { againAt = 0 } of [plan, next]) expect(Number.isFinite(againAt)).toBe(true);
    }
  });
});

describe("addresses", () => {
  const node = { metadata: { name: "n" }, spec: { podCIDR: "10.0.0.0/16" } } as unknown as Node;
  const numbered = (i: number, podIP?: string): Pod => pod({ nodeName: "n" }, { podIP }, { uid: `u-${i}` });

  test("of many Pods on one node each gets the lowest free one without a look at the others", async () => {
    const assign = (): void => {
      const addresses = new PodAddresses();
      for (let i = 0; i < 20_000; i++) addresses.of(numbered(i), node, "");
      for (let i = 0; i < 20_000; i++) addresses.free(numbered(i));
    };
    expect(await leastCpu(assign, 500)).toBeLessThan(500);
  });

  test("freed addresses are allocated again; odd ones belong to no Pod", () => {
    const addresses = new PodAddresses();
    const of = (i: number) => addresses.of(numbered(i), node, "");
    addresses.note(numbered(9, "10.0.0.3"));
    addresses.note(numbered(8, "fd00::1"));
    expect([of(0), of(1), of(2), of(1)]).toEqual(["10.0.0.2", "10.0.0.4", "10.0.0.5", "10.0.0.4"]);
    addresses.free(numbered(9));
    addresses.free(numbered(8));
    addresses.free(numbered(0));
    expect([of(3), of(4), of(5)]).toEqual(["10.0.0.2", "10.0.0.3", "10.0.0.6"]);
    addresses.note({ ...numbered(3), status: { phase: "Failed", podIP: "10.0.0.2" } } as Pod);
    expect(of(6)).toBe("10.0.0.2");
  });
});

describe("Stages", () => {
  const many = Array.from({ length: 20_000 }, (_, i) => ({ type: `t-${i}` }));

  test.each([
    ".c[] == .c[]",
    `.c[] | ${Array.from({ length: 1000 }, () => ".").join(",")} | ${Array.from({ length: 900 }, () => ".").join(",")}`,
    ".c | contains(.)",
    `${"(.c[] == .c[])? // ".repeat(50)} .`,
    `${"(".repeat(90)}.c[]${", .c[])".repeat(90)}`,
  ])("the query %s ends", async (text) => {
    const query = compileQuery(text);
    expect(await leastCpu(() => void query({ c: many }), 600)).toBeLessThan(600);
    expect(query({ c: many })).toBeUndefined();
  });

  test("a query of an object of usual size has its results", () => {
    const conditions = Array.from({ length: 100 }, (_, i) => ({ type: `t-${i}`, status: "True" }));
    const found = compileQuery('.c[] | select(.type == "t-7") | .status')({ c: conditions });
    expect(found).toEqual(["True"]);
    expect(compileQuery(".c | contains(.)")({ c: conditions })).toEqual([true]);
  });

  const render = (text: string, data: Value) => parseTemplate(text, isFunction)(data, PURE_FUNCTIONS);
  test.each([
    "{{ range .c }}{{ $x := toJson $ }}{{ end }}",
    "{{ range .c }}{{ $x := has . $.c }}{{ end }}",
    "{{ range .c }}{{ $x := eq $ $ }}{{ end }}",
    '{{ $s := "xxxxxxxxxxxxxxxx" }}{{ range 40 }}{{ $s = print $s $s }}{{ end }}{{ len $s }}',
    '{{ $s := "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" }}{{ range 9 }}{{ $s = replace "a" $s $s }}{{ end }}',
    "{{ $l := list 1 }}{{ range 40 }}{{ $l = list $l $l }}{{ end }}{{ $l }}",
    "{{ YAML . 1000000000 }}{{ range .c }}{{ $x := nindent 100 (toYaml $) }}{{ end }}",
    "{{ range .c }}{{ range $.c }}{{ break }}{{ end }}{{ end }}",
  ])("the template %s ends", async (text) => {
    const attempt = (): void => {
      expect(() => render(text, { c: many })).toThrow(/^(?:line 1: )?expected/);
    };
    expect(await leastCpu(attempt, 1000)).toBeLessThan(1000);
  });

  test("a format of many wide places is written up to a bound", () => {
    expect(() => render("{{ printf .c }}", { c: "%999s".repeat(5000) })).toThrow("expected a text of at most 4 MiB");
    expect(render("{{ printf .c }}", { c: "%999s" })).toHaveLength(999);
  });

  test("a template of an object of usual size is rendered", () => {
    const conditions = Array.from({ length: 100 }, (_, i) => ({ type: `t-${i}`, status: "True" }));
    const text = "{{ range .c }}{{ if has . $.c }}{{ toJson . | trunc 3 }}{{ end }}{{ end }}";
    expect(render(text, { c: conditions })).toBe('{"s'.repeat(100));
  });
});
