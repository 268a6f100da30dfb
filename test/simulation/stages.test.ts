import { readFileSync, readdirSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { NewObject } from "../../src/client/index.ts";
import { CoreEvent, Node, Pod } from "../../src/client/kinds/index.ts";
import { type Simulation, createSimulation } from "../../src/simulation/index.ts";
import { possible } from "../../src/simulation/stages/book.ts";
import { functionsOf } from "../../src/simulation/stages/functions.ts";
import { type Stage, readStages } from "../../src/simulation/stages/stage.ts";
import type { Functions } from "../../src/simulation/stages/template.ts";
import type { Value, ValueObject } from "../../src/value/value.ts";
import { decodeYaml } from "../../src/value/yaml.ts";
import { World } from "../runtime/world.ts";

const HOME = new URL("../fixtures/kwok/", import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, HOME), "utf8");
const filesIn = (folder: string): string[] =>
  readdirSync(new URL(folder, HOME)).filter((name) => name.endsWith(".yaml"));
const stagesIn = (folder: string): readonly Stage[] =>
  filesIn(folder).flatMap((name) => readStages(read(`${folder}/${name}`), `${folder}/${name}`));

/** As Go prints a value with `%#v`. */
const goText = (value: Value): string =>
  typeof value === "string" ? JSON.stringify(value) : value === null ? "interface {}(nil)" : JSON.stringify(value);

/** Functions that say how they were called, as in kwok's own tests. */
function told(): Functions {
  const name = (of: string, args: readonly Value[]): string =>
    args.length === 0 ? of : `${of}(${args.map(goText).join(", ")})`;
  const texts = ["NodeIP", "NodeName", "NodePort", "PodIP", "NodeIPWith", "PodIPWith", "Now", "now", "Version"];
  const lists = ["NodeIPsWith", "PodIPsWith"];
  const facts = {
    now: "",
    startTime: "",
    version: "",
    nodeIP: () => "",
    podIP: () => "",
    nodeName: "",
    nodePort: 0,
    random: () => 0,
  };
  return {
    ...functionsOf(facts),
    ...Object.fromEntries(texts.map((of) => [of, (...args: readonly Value[]) => `<${name(of, args)}>`])),
    ...Object.fromEntries(
      lists.map((of) => [of, (...args: readonly Value[]) => [0, 1].map((i) => `<${i} of ${name(of, args)}>`)]),
    ),
  };
}

const samples = ["pod/fast", "pod/general", "node/fast", "node/chaos"].flatMap((folder) =>
  filesIn(`${folder}/testdata`)
    .filter((name) => name.endsWith(".input.yaml"))
    .map((name) => [folder, name.replace(".input.yaml", "")] as const),
);

test.each(samples)("the Stages of kwok in %s do to %s what kwok says", (folder, name) => {
  const object = decodeYaml(read(`${folder}/testdata/${name}.input.yaml`)).value as ValueObject;
  const expected = decodeYaml(read(`${folder}/testdata/${name}.output.yaml`)).value as unknown as {
    readonly stages: readonly { readonly stage: string; readonly next: readonly Record<string, unknown>[] }[];
  };
  const now = Date.UTC(2006, 0, 2, 15, 4, 5);
  const stages = stagesIn(folder).filter((stage) => stage.kind === object["kind"] && stage.matches(object));
  const found = possible(stages, object).map((stage) => {
    const delay = stage.delay(object, now);
    const next = stage
      .effects(object, told())
      .map((effect) =>
        effect.kind === "patch"
          ? { kind: "patch", data: effect.data, ...(effect.subresource ? { subresource: effect.subresource } : {}) }
          : effect,
      );
    // The shorter one counts where a delay is longer than with its chance.
    const { millis = 0, jitter } = delay ?? {};
    const range = jitter === undefined ? [millis] : jitter <= millis ? [jitter] : [millis, jitter];
    const nanos = delay && range.map((one) => one * 1e6);
    return { stage: stage.name, weight: stage.weight(object), ...(nanos ? { delay: nanos } : {}), next };
  });
  // kwok patches by the type of the object; here it is always the strategic one.
  const wanted = expected.stages.map((one) => ({
    ...one,
    next: one.next.map(({ type: _, ...rest }) => (rest["kind"] === "event" ? { ...rest, type: _ } : rest)),
  }));
  expect(found).toEqual(wanted);
  expect(found.length).toBeGreaterThan(0);
});

test("all Stages that kwok brings are read", () => {
  const folders = [
    "pod/fast",
    "pod/general",
    "pod/chaos",
    "node/fast",
    "node/chaos",
    "node/heartbeat",
    "node/heartbeat-with-lease",
  ];
  expect(folders.flatMap((folder) => stagesIn(folder)).map(({ name }) => name)).toEqual([
    "pod-complete",
    "pod-delete",
    "pod-ready",
    "pod-complete",
    "pod-create",
    "pod-delete",
    "pod-init-container-completed",
    "pod-init-container-running",
    "pod-ready",
    "pod-container-running-failed",
    "pod-init-container-running-failed",
    "node-initialize",
    "node-not-ready",
    "node-heartbeat",
    "node-heartbeat-with-lease",
  ]);
});

describe("errors name file, Stage and field", () => {
  const stage = (spec: string): string =>
    `apiVersion: kwok.x-k8s.io/v1alpha1\nkind: Stage\nmetadata:\n  name: s\nspec:\n  resourceRef: { kind: Pod }\n${spec}`;
  test.each([
    [
      "a key",
      stage("  selector:\n    matchExpressions:\n    - { key: '.a | | b', operator: Exists }"),
      /^f\.yaml, Stage s, spec\.selector\.matchExpressions\[0\]\.key: expected .* at character 6/,
    ],
    [
      "an operator",
      stage("  selector:\n    matchExpressions:\n    - { key: '.a', operator: Is }"),
      /matchExpressions\[0\]\.operator: expected In, NotIn, Exists or DoesNotExist, got Is$/,
    ],
    [
      "a template",
      stage("  next:\n    statusTemplate: |\n      a: 1\n      {{ range .x }}"),
      /^f\.yaml, Stage s, spec\.next\.statusTemplate: line 2: expected \{\{end\}\} for range$/,
    ],
    [
      "a function",
      stage("  next:\n    statusTemplate: '{{ Nope }}'"),
      /statusTemplate: line 1: expected a function that is known, found Nope$/,
    ],
    [
      "CEL",
      stage("  selector:\n    matchExpressions:\n    - cel: { expression: 'true' }"),
      /matchExpressions\[0\]\.cel: expected an expression of jq; CEL is not supported$/,
    ],
    [
      "another kind",
      "apiVersion: v1\nkind: Pod\nmetadata: { name: p }",
      /^expected f\.yaml to be a Stage of kwok\.x-k8s\.io\/v1alpha1, got Pod of v1$/,
    ],
  ])("%s", (_, yaml, message) => {
    expect(() => readStages(yaml, "f.yaml")).toThrow(message);
  });

  test("a template that fails", () => {
    const [failing] = readStages(
      stage("  selector: {}\n  next:\n    statusTemplate: |\n      a: 1\n      b: {{ index .list 7 }}"),
      "f.yaml",
    );
    expect(() => failing!.effects({ list: [] }, told())).toThrow(
      "f.yaml, Stage s, spec.next.statusTemplate: line 2: expected an index below 0, got 7",
    );
  });
});

describe("in a cluster", () => {
  let world: World;
  let simulation: Simulation;
  const errors: unknown[] = [];

  beforeEach(async () => {
    errors.length = 0;
    world = await World.create();
    simulation = createSimulation(world, { onError: (error) => errors.push(error) });
  });
  afterEach(async () => {
    await world[Symbol.asyncDispose]();
    if (world.failures.length > 0) throw new Error(JSON.stringify(world.failures));
    if (errors.length > 0) throw new Error(errors.map(String).join("\n"));
  });
  const load = (folder: string): void => {
    for (const name of filesIn(folder)) simulation.stages(read(`${folder}/${name}`), `${folder}/${name}`);
  };
  const at = (name: string) => ({ name, namespace: "default" });
  const get = (name: string) => world.resource(Pod).get(at(name));
  const make = async (name: string, spec: object = {}, metadata: object = {}) => {
    await world.resource(Pod).create({
      metadata: { ...at(name), ...metadata },
      spec: { nodeName: "node-1", containers: [{ name: "main", image: "web" }], ...spec },
    } as unknown as NewObject<Pod>);
    await world.settled();
  };
  const job = { ownerReferences: [{ apiVersion: "batch/v1", kind: "Job", name: "j", uid: "u", controller: true }] };

  test("fast: Pods are ready at once, those of Jobs succeed, deleted ones go", async () => {
    load("pod/fast");
    await world.run(...simulation.controllers);
    await simulation.addNodes(world.client, 1);
    await make("p", { initContainers: [{ name: "i", image: "i" }] });
    const { status } = await get("p");
    expect(status).toMatchObject({ phase: "Running", podIP: "10.244.0.2", hostIP: "172.18.0.2" });
    expect(status.conditions?.find(({ type }) => type === "Ready")).toMatchObject({ status: "True" });
    expect(status.initContainerStatuses![0]!.state.terminated).toMatchObject({ exitCode: 0 });
    await make("j", {}, job);
    expect((await get("j")).status.phase).toBe("Succeeded");
    await world.resource(Pod).delete(at("p"));
    await world.settled();
    expect(await world.resource(Pod).find(at("p"))).toBeUndefined();
  });

  test("general: each phase after one to five seconds, with an Event", async () => {
    load("pod/general");
    await world.run(...simulation.controllers);
    await simulation.addNodes(world.client, 1);
    await make("p", { initContainers: [{ name: "i", image: "i" }] }, job);
    const phases: string[] = [];
    for (let second = 0; second <= 30; second++) {
      const { status } = await get("p");
      const init = status.initContainerStatuses?.map(({ state }) => Object.keys(state)[0]).join() ?? "";
      const now = `${status.phase} ${init}`;
      if (phases.at(-1) !== now) phases.push(now);
      await world.advance("1s");
    }
    expect(phases).toEqual([
      "Pending ",
      "Pending waiting",
      "Pending running",
      "Pending terminated",
      "Running terminated",
      "Succeeded terminated",
    ]);
    const { items } = await world.resource(CoreEvent).list({ namespace: "default" });
    expect(items.map(({ reason, message }) => `${reason} ${message}`)).toContain("Created Created container");
  });

  test("chaos: a label makes a Pod fail, annotations say when and how", async () => {
    load("pod/fast");
    load("pod/chaos");
    await world.run(...simulation.controllers);
    await simulation.addNodes(world.client, 1);
    const prefix = "pod-container-running-failed.stage.kwok.x-k8s.io";
    const annotations = { [`${prefix}/delay`]: "30s", [`${prefix}/jitter-delay`]: "30s", [`${prefix}/exit-code`]: "7" };
    await make("p", {}, { labels: { [prefix]: "true" }, annotations });
    await world.advance("29s");
    expect((await get("p")).status.phase).toBe("Running");
    await world.advance("1s");
    const { status } = await get("p");
    expect(status.phase).toBe("Failed");
    expect(status.containerStatuses![0]!.state.terminated).toMatchObject({ exitCode: 7, reason: "containerFailed" });
  });

  test("of nodes: they are initialized, beat, and fail by a label", async () => {
    load("node/fast");
    load("node/heartbeat");
    load("node/chaos");
    await world.run(...simulation.controllers);
    await world.resource(Node).create({
      metadata: { name: "k", annotations: { "kwok.x-k8s.io/node": "fake" } },
    } as unknown as NewObject<Node>);
    await world.settled();
    const node = async () => (await world.resource(Node).get({ name: "k" })).status;
    expect(await node()).toMatchObject({
      phase: "Running",
      capacity: { cpu: "1k" },
      addresses: [{ type: "InternalIP" }, { type: "Hostname", address: "k" }],
    });
    const beat = async () => (await node()).conditions?.find(({ type }) => type === "Ready")?.lastHeartbeatTime;
    expect(await beat()).toBe("2026-01-01T00:00:00Z");
    await world.advance("25s");
    expect(Date.parse((await beat())!)).toBeGreaterThan(Date.UTC(2026, 0, 1, 0, 0, 19));
    await world
      .resource(Node)
      .patch({ name: "k" }, { metadata: { labels: { "node-not-ready.stage.kwok.x-k8s.io": "true" } } } as never);
    await world.advance("1m");
    expect((await node()).conditions?.find(({ type }) => type === "Ready")).toMatchObject({
      status: "False",
      reason: "nodeFailed",
    });
  });

  test("a script goes before Stages", async () => {
    load("pod/fast");
    simulation.image("db", async (ctx) => {
      await ctx.ready({ after: "5s" });
      await ctx.untilTerminated();
    });
    await world.run(...simulation.controllers);
    await simulation.addNodes(world.client, 1);
    await make("p", { containers: [{ name: "main", image: "db" }] });
    expect((await get("p")).status.containerStatuses![0]!.ready).toBe(false);
    await world.advance("5s");
    expect((await get("p")).status.containerStatuses![0]!.ready).toBe(true);
  });

  test("a fork goes on with the delays of its origin", async () => {
    load("pod/general");
    const manager = await world.run(...simulation.controllers);
    await simulation.addNodes(world.client, 1);
    await make("p");
    await world.advance("500ms");
    await manager.stop({ grace: 0 });
    simulation = simulation.fork(world);
    await world.run(...simulation.controllers);
    const times: number[] = [];
    for (let tenth = 0; tenth < 60; tenth++) {
      if ((await get("p")).status.podIP) break;
      await world.advance("100ms");
      times.push(tenth);
    }
    expect(times.length).toBeGreaterThan(4);
    expect(times.length).toBeLessThan(46);
  });
});
