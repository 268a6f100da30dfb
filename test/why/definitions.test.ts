/** The explanations of waiting or terminating definitions, of workloads without a controller, and of other kinds. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { whyLines } from "../../src/cli/why-lines.ts";
import { type NewObject, defineKind } from "../../src/client/index.ts";
import {
  ConfigMap,
  CoreEvent,
  CronJob,
  CustomResourceDefinition,
  DaemonSet,
  Deployment,
  HorizontalPodAutoscaler,
  Job,
  Namespace,
  Pod,
  StatefulSet,
} from "../../src/client/kinds/index.ts";
import { builtInControllers } from "../../src/controllers/index.ts";
import { kubernetes } from "../../src/meta/dialect.ts";
import { World } from "../runtime/world.ts";

let world: World;
beforeEach(async () => {
  world = await World.create();
  await world.run(...builtInControllers({ dialect: kubernetes, eventTtlMillis: 3_600_000, caCertificate: "" }).usual);
});
afterEach(() => world[Symbol.asyncDispose]());

const at = (name: string) => ({ name, namespace: "default" });
const definitions = () => world.resource(CustomResourceDefinition);
const Held = defineKind({ group: "example.com", version: "v1", kind: "Held", plural: "helds", scope: "Namespaced" });

async function define(names: object = {}, name = "helds", scope = "Namespaced"): Promise<void> {
  await definitions().create({
    metadata: { name: `${name}.example.com` },
    spec: {
      group: "example.com",
      scope,
      names: { kind: "Held", plural: name, ...names },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
        },
      ],
    },
  } as NewObject<CustomResourceDefinition>);
  await world.settled();
  await world.advance("10s");
}
const whyDefinition = (name = "helds") => definitions().why({ name: `${name}.example.com` });
const plain = { paint: (_: unknown, text: string) => text };

describe("a definition", () => {
  test("whose names are taken says by which other one", async () => {
    await define();
    await define({ kind: "Held" }, "others");
    expect((await whyDefinition("helds")).reasons).toEqual([]);
    expect((await whyDefinition("others")).reasons).toEqual([
      {
        says: "CustomResourceDefinition helds.example.com has the names that it wants: held, Held, HeldList",
        who: "a user who changes the names of one of them, or deletes that one",
        about: expect.objectContaining({ name: "helds.example.com" }),
      },
    ]);
  });

  test("that is going names its objects, what holds each, and a command that shows them", async () => {
    await define();
    const finalizers = ["arango.example.com/agency"];
    await world.resource(Held).create({ metadata: { ...at("last-one"), finalizers } }, { fieldManager: "agency" });
    await world.resource(Held).create({ metadata: at("free") });
    await definitions().delete({ name: "helds.example.com" });
    await world.settled();
    await world.advance("10s");
    const report = await whyDefinition();
    expect(report.reasons.map(({ says, who }) => [says, who])).toEqual([
      [
        "1 of its objects are left, which are deleted first (finalizer customresourcecleanup.apiextensions.k8s.io)",
        undefined,
      ],
      [
        "Held default/last-one: the finalizer arango.example.com/agency keeps it",
        "the program of arango.example.com (agency put it there)",
      ],
    ]);
    expect(report.content).toEqual([
      {
        group: "example.com",
        resource: "helds",
        count: 1,
        finalizers: { "arango.example.com/agency": 1 },
        objects: ["default/last-one"],
      },
    ]);
    expect(report.command).toMatch(/^kubectl get helds.example.com -A -o custom-columns=/);
    const lines = whyLines(report, "crd/helds.example.com", plain);
    expect(lines.slice(-2)).toEqual(["to see them:", `  ${report.command}`]);
    await world.resource(Held).patch(at("last-one"), { metadata: { finalizers: null } });
    await world.settled();
    await world.advance("10s");
    expect(await definitions().find({ name: "helds.example.com" })).toBeUndefined();
  });

  test("of many objects that are left the first ten are named", async () => {
    await define({}, "helds", "Cluster");
    const kind = { ...Held, scope: "Cluster" as const };
    for (let i = 0; i < 15; i++) {
      await world.resource(kind).create({ metadata: { name: `h${i}`, finalizers: ["a.example.com/b"] } });
    }
    await definitions().delete({ name: "helds.example.com" });
    await world.settled();
    const { reasons, content, command } = await whyDefinition();
    expect(reasons).toHaveLength(11);
    expect(content?.[0]).toMatchObject({ count: 15, finalizers: { "a.example.com/b": 15 } });
    expect(content?.[0]?.objects).toHaveLength(10);
    expect(command).toMatch(/^kubectl get helds.example.com -o custom-columns=/);
  });

  test("of a protected group without an approval says that, with its condition", async () => {
    await definitions().create({
      metadata: { name: "things.x.k8s.io", annotations: { "api-approved.kubernetes.io": "unapproved, a test" } },
      spec: {
        group: "x.k8s.io",
        scope: "Namespaced",
        names: { kind: "Thing", plural: "things" },
        versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
      },
    } as NewObject<CustomResourceDefinition>);
    await world.settled();
    const { reasons } = await definitions().why({ name: "things.x.k8s.io" });
    expect(reasons).toMatchObject([
      {
        says: expect.stringContaining("its condition KubernetesAPIApprovalPolicyConformant is False"),
        quotes: { in: "condition" },
      },
    ]);
  });
});

describe("a kind without an explanation", () => {
  beforeEach(() => define());
  const make = async (status: object, metadata: object = {}) => {
    await world.resource(Held).create({ metadata: { ...at("one"), ...metadata }, spec: { size: 1 } } as never);
    await world.resource(Held).status.patch(at("one"), { status } as never, { fieldManager: "held-operator" });
  };
  const whyOne = () => world.resource(Held).why(at("one"));

  test("says so, and that nothing general was found", async () => {
    await make({ conditions: [{ type: "Ready", status: "True" }] });
    const report = await whyOne();
    expect([report.reasons, report.isUnknownKind]).toEqual([[], true]);
    expect(whyLines(report, "held/one", plain)).toEqual([
      "held/one",
      "  keelson why does not know Held; of every kind it tells finalizers, conditions that do not hold and the last warning",
      "  no pending conditions or finalizers found",
    ]);
  });

  test("tells the conditions that do not hold, and who writes them", async () => {
    await make({
      conditions: [
        {
          type: "Ready",
          status: "False",
          reason: "NoDisk",
          message: "there is no disk",
          lastTransitionTime: "2030-01-01T00:00:00Z",
        },
        { type: "Degraded", status: "False" },
        { type: "Stalled", status: "True", reason: "Stuck" },
        { type: "Reconciling", status: "True" },
        { type: "Synced", status: "Unknown" },
        "no condition at all",
      ],
    });
    expect((await whyOne()).reasons.map(({ says, who }) => [says, who])).toEqual(
      ["Ready is False: NoDisk: there is no disk", "Stalled is True: Stuck", "Synced is Unknown"].map((what) => [
        `its condition ${what}`,
        "held-operator, which writes its status",
      ]),
    );
  });

  test("leaves out what its controller said of an older generation", async () => {
    await make({ observedGeneration: 1, conditions: [{ type: "Ready", status: "False", observedGeneration: 1 }] });
    expect((await whyOne()).reasons).toHaveLength(1);
    await world.resource(Held).patch(at("one"), { spec: { size: 2 } } as never);
    expect((await whyOne()).reasons).toEqual([
      {
        says: "its controller has seen generation 1 of it, and it has generation 2",
        who: "the operator of the controller of Held objects",
      },
    ]);
  });

  test("tells the last warning, unless the same component has said something since", async () => {
    await make({});
    const { uid } = (await world.resource(Held).get(at("one"))).metadata;
    const tell = (name: string, type: string, component: string, message: string) =>
      world.resource(CoreEvent).create({
        metadata: at(name),
        involvedObject: { kind: "Held", ...at("one"), uid },
        type,
        reason: "Sync",
        message,
        source: { component },
        lastTimestamp: new Date(world.clock.now()).toISOString(),
      } as NewObject<CoreEvent>);
    await tell("a", "Warning", "held-operator", "no disk");
    await tell("b", "Normal", "another", "hello");
    expect((await whyOne()).reasons).toMatchObject([
      {
        says: "held-operator says: Sync: no disk",
        who: "the operator of held-operator, or a user who changes what it names",
      },
    ]);
    await tell("c", "Normal", "held-operator", "all is well");
    expect((await whyOne()).reasons).toEqual([]);
  });

  test("a finalizer of a program tells the last warning with it", async () => {
    await make({}, { finalizers: ["example.com/guard"] });
    await world.resource(Held).delete(at("one"));
    const { uid } = (await world.resource(Held).get(at("one"))).metadata;
    await world.resource(CoreEvent).create({
      metadata: at("a"),
      involvedObject: { kind: "Held", ...at("one"), uid },
      type: "Warning",
      reason: "CleanupFailed",
      message: "the bucket is not empty",
      source: { component: "guard" },
      lastTimestamp: new Date(world.clock.now()).toISOString(),
    } as NewObject<CoreEvent>);
    expect((await whyOne()).reasons[0]).toMatchObject({
      says: "the finalizer example.com/guard keeps it; guard says: the bucket is not empty",
      quotes: { reason: "CleanupFailed" },
    });
  });
});

describe("a workload", () => {
  const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } };
  const selector = { matchLabels: { a: "b" } };
  const once = { spec: { ...template.spec, restartPolicy: "Never" } };

  test.each([
    ["Deployment", Deployment, { selector, template }],
    ["StatefulSet", StatefulSet, { selector, template, serviceName: "s" }],
    ["DaemonSet", DaemonSet, { selector, template }],
    ["Job", Job, { template: once }],
    ["CronJob", CronJob, { schedule: "* * * * *", jobTemplate: { spec: { template: once } } }],
    [
      "HorizontalPodAutoscaler",
      HorizontalPodAutoscaler,
      { maxReplicas: 2, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" } },
    ],
  ])("%s says that its controller has not looked at it", async (kind, of, spec) => {
    await using alone = await World.create();
    const resource = alone.resource(of as typeof Deployment);
    await resource.create({ metadata: at("web"), spec } as NewObject<Deployment>);
    const report = await resource.why(at("web"));
    expect(report.isUnknownKind).toBeUndefined();
    expect(report.reasons[0]).toMatchObject({
      says: "its controller has not handled it yet",
      about: { kind, name: "web" },
    });
  });

  test("that a controller looks after tells its rollout, its conditions, and why its Pods wait", async () => {
    const resource = world.resource(Deployment);
    const gated = { ...template, spec: { ...template.spec, schedulingGates: [{ name: "example.com/g" }] } };
    await resource.create({ metadata: at("web"), spec: { selector, template: gated } } as NewObject<Deployment>);
    await world.settled();
    const [pod] = (await world.resource(Pod).list()).items;
    const reasons = (await resource.why(at("web"))).reasons.map(({ says }) => says);
    expect(reasons[0]).toBe("its rollout continues: 1 of 1 Pods of the current template exist, 0 are available");
    expect(reasons).toContainEqual(
      expect.stringMatching(/^its condition Available is False: MinimumReplicasUnavailable/),
    );
    expect(reasons).toContain(
      `its Pod default/${pod!.metadata.name}: it has no node, and is not scheduled before its scheduling gates are removed: example.com/g`,
    );
  });
});

test("a namespace that goes names the objects that are held, of the first kinds too", async () => {
  await world.resource(Namespace).create({ metadata: { name: "team" } });
  await world
    .resource(ConfigMap)
    .create({ metadata: { name: "kept", namespace: "team", finalizers: ["a.example.com/b"] } });
  await world.resource(Namespace).delete({ name: "team" });
  await world.settled();
  const report = await world.resource(Namespace).why({ name: "team" });
  expect(whyLines(report, "namespace/team", plain).join("\n")).toContain(
    "ConfigMap team/kept: the finalizer a.example.com/b keeps it\n     -> the program of a.example.com (test put it there)",
  );
});
