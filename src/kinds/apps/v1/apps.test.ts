import { describe, expect, test } from "vitest";
import { type Dialect, kubernetes, neutral } from "../../../meta/dialect.ts";
import type { ApiObject } from "../../../schema/definition.ts";
import { KindUnderTest, type Outcome, contextOf } from "../../../schema/testing/kind.ts";
import { otherCoreKinds } from "../../core/v1/index.ts";
import { appsGroup } from "./index.ts";

const kindOf = (dialect: Dialect, plural: string): KindUnderTest => {
  const ctx = contextOf(dialect);
  return KindUnderTest.of((own) => [...appsGroup(own), ...otherCoreKinds(own)], plural, ctx);
};

const LABELS = { app: "a" };
const template = { metadata: { labels: LABELS }, spec: { containers: [{ name: "c", image: "i" }] } };
const spec = { selector: { matchLabels: LABELS }, template };

/** The causes of a new object, with some of its spec changed. */
const causesOf = (kind: KindUnderTest, changes: object): readonly string[] =>
  kind.create({ spec: { ...spec, ...changes } }).causes;

/** An update of some of the spec. */
const changed = (kind: KindUnderTest, object: ApiObject, changes: object): Outcome =>
  kind.change(object, { spec: { ...(object["spec"] as object), ...changes } });

const SELECTING = ["deployments", "replicasets", "statefulsets", "daemonsets"] as const;

describe.each([neutral, kubernetes])("workloads in the $name dialect", (dialect) => {
  const of = (plural: string): KindUnderTest => kindOf(dialect, plural);

  test.each([...SELECTING, "replicationcontrollers"])(
    "KIND-All-12: the template of %s has the defaults of a Pod",
    (plural) => {
      const selector = plural === "replicationcontrollers" ? LABELS : spec.selector;
      const { object, causes } = of(plural).create({ spec: { selector, template } });
      const { spec: pod } = (object["spec"] as { template: { spec: Record<string, unknown> } }).template;
      expect(causes).toEqual([]);
      expect(pod).toMatchObject({
        restartPolicy: "Always",
        dnsPolicy: "ClusterFirst",
        schedulerName: "default-scheduler",
      });
      expect(pod["containers"]).toMatchObject([{ imagePullPolicy: "Always", terminationMessagePolicy: "File" }]);
      // Of Pods alone.
      expect(pod["enableServiceLinks"]).toBeUndefined();
    },
  );

  test.each(["deployments", "replicasets", "statefulsets"])(
    "KIND-Deployment-2, KIND-ReplicaSet-2, KIND-StatefulSet-6: the selector of %s",
    (plural) => {
      const kind = of(plural);
      expect(causesOf(kind, { selector: null })).toEqual([
        "FieldValueInvalid spec.template.metadata.labels",
        "FieldValueRequired spec.selector",
      ]);
      expect(causesOf(kind, { selector: {} })).toEqual(["FieldValueInvalid spec.selector"]);
      expect(causesOf(kind, { selector: { matchLabels: { app: "b" } } })).toEqual([
        "FieldValueInvalid spec.template.metadata.labels",
      ]);
    },
  );

  test("KIND-DaemonSet-3: of a DaemonSet without a selector only the labels are reported", () => {
    const kind = of("daemonsets");
    expect(causesOf(kind, { selector: null })).toEqual(["FieldValueInvalid spec.template.metadata.labels"]);
    expect(causesOf(kind, { selector: {} })).toEqual(["FieldValueInvalid spec.selector"]);
  });

  test.each(["deployments", "replicasets", "statefulsets"])(
    "KIND-All-15: an invalid selector of %s is reported twice",
    (plural) => {
      const bad = { matchExpressions: [{ key: "app", operator: "Like" }] };
      expect(causesOf(of(plural), { selector: bad })).toEqual([
        "FieldValueInvalid spec.selector",
        "FieldValueInvalid spec.selector.matchExpressions[0].operator",
      ]);
    },
  );

  test.each(["deployments", "replicasets", "daemonsets"])(
    "KIND-Deployment-3, KIND-ReplicaSet-2, KIND-DaemonSet-3: the selector of %s stays",
    (plural) => {
      const kind = of(plural);
      const { object } = kind.create({ spec });
      const other = { matchExpressions: [{ key: "app", operator: "In", values: ["a"] }] };
      expect(changed(kind, object, { selector: other }).causes).toEqual(["FieldValueInvalid spec.selector"]);
    },
  );

  test.each(SELECTING)("KIND-All-14: Pods of %s have no end", (plural) => {
    const pod = { ...template.spec, restartPolicy: "Never", activeDeadlineSeconds: 5 };
    expect(causesOf(of(plural), { template: { ...template, spec: pod } })).toEqual([
      "FieldValueForbidden spec.template.spec.activeDeadlineSeconds",
      "FieldValueNotSupported spec.template.spec.restartPolicy",
    ]);
  });

  test("KIND-All-10: faults of a template are reported at their paths, those of its labels without metadata", () => {
    const kind = of("deployments");
    const wrong = { metadata: { labels: { ...LABELS, "a b": "" } }, spec: { containers: [{ name: "C", image: "i" }] } };
    expect(causesOf(kind, { template: wrong })).toEqual([
      "FieldValueInvalid spec.template.labels",
      "FieldValueInvalid spec.template.spec.containers[0].name",
    ]);
    const template_ = { ...template, spec: { ...template.spec, ephemeralContainers: [{ name: "e", image: "i" }] } };
    expect(causesOf(kind, { template: template_ })).toContain(
      "FieldValueForbidden spec.template.spec.ephemeralContainers",
    );
  });

  test("KIND-All-13: Warnings of the template are reported on create and when the generation changes", () => {
    const kind = of("deployments");
    const env = [
      { name: "A", value: "1" },
      { name: "A", value: "2" },
    ];
    const twice = { ...template, spec: { containers: [{ name: "c", image: "i", env }] } };
    const { object, warnings } = kind.create({ spec: { ...spec, template: twice } });
    expect(warnings).toEqual([expect.stringContaining("spec.template.spec.containers[0].env[1]")]);
    object.metadata.generation = 1;
    expect(changed(kind, object, { replicas: 7 }).warnings).toHaveLength(1);
    expect(kind.update(object, { ...object, metadata: { ...object.metadata, labels: { l: "1" } } }).warnings).toEqual(
      [],
    );
    expect(kind.create({ metadata: { name: "a.b" }, spec }).warnings).toEqual([
      expect.stringContaining("metadata.name"),
    ]);
  });

  test("KIND-All-2: a create has no status, and an update of the object keeps it", () => {
    const kind = of("deployments");
    const { object } = kind.create({ spec, status: { replicas: 5 } });
    expect(object["status"]).toEqual({});
    const stored = { ...object, status: { replicas: 2 } };
    expect(kind.update(stored, { ...object, status: { replicas: 9 } }).object["status"]).toEqual({ replicas: 2 });
    const written = kind.update(
      stored,
      { ...object, spec: { ...spec, replicas: 9 }, status: { replicas: 3 } },
      "status",
    );
    expect([written.object["spec"], written.object["status"]]).toEqual([object["spec"], { replicas: 3 }]);
  });
});

describe("a Deployment", () => {
  const kind = kindOf(kubernetes, "deployments");

  test("KIND-Deployment-1, KIND-Deployment-8: what is filled in, also for null", () => {
    const full = {
      replicas: 1,
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" } },
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
    };
    expect(kind.create({ spec }).object["spec"]).toMatchObject(full);
    expect(kind.create({ spec: { ...spec, replicas: null, strategy: null } }).object["spec"]).toMatchObject(full);
    const half = kind.create({ spec: { ...spec, strategy: { rollingUpdate: { maxSurge: 3 } } } }).object["spec"];
    expect(half).toMatchObject({ strategy: { rollingUpdate: { maxSurge: 3, maxUnavailable: "25%" } } });
    const recreate = kind.create({ spec: { ...spec, strategy: { type: "Recreate" } } }).object["spec"];
    expect((recreate as { strategy: object }).strategy).toEqual({ type: "Recreate" });
  });

  test.each<[string, object, string]>([
    ["KIND-Deployment-4", { type: "Recreate", rollingUpdate: {} }, "FieldValueForbidden spec.strategy.rollingUpdate"],
    ["KIND-Deployment-5", { type: "Other" }, "FieldValueNotSupported spec.strategy"],
    [
      "KIND-Deployment-6",
      { rollingUpdate: { maxUnavailable: 0, maxSurge: "0%" } },
      "FieldValueInvalid spec.strategy.rollingUpdate.maxUnavailable",
    ],
    [
      "KIND-Deployment-6",
      { rollingUpdate: { maxSurge: -1 } },
      "FieldValueInvalid spec.strategy.rollingUpdate.maxSurge",
    ],
    [
      "KIND-Deployment-6",
      { rollingUpdate: { maxUnavailable: "101%" } },
      "FieldValueInvalid spec.strategy.rollingUpdate.maxUnavailable",
    ],
    [
      "KIND-All-16",
      { rollingUpdate: { maxUnavailable: "1.5%" } },
      "FieldValueInvalid spec.strategy.rollingUpdate.maxUnavailable",
    ],
  ])("%s: the strategy %j is %s", (_, strategy, cause) => {
    expect(causesOf(kind, { strategy })).toEqual([cause]);
  });

  test("KIND-Deployment-6: a surge may exceed all", () => {
    expect(causesOf(kind, { strategy: { rollingUpdate: { maxSurge: "200%" } } })).toEqual([]);
  });

  test.each(["minReadySeconds", "replicas", "revisionHistoryLimit", "progressDeadlineSeconds"])(
    "KIND-Deployment-7: %s is not negative",
    (member) => {
      expect(causesOf(kind, { [member]: -1 })).toEqual([`FieldValueInvalid spec.${member}`]);
    },
  );

  test("KIND-Deployment-7: the deadline is after minReadySeconds", () => {
    expect(causesOf(kind, { minReadySeconds: 9, progressDeadlineSeconds: 9 })).toEqual([
      "FieldValueInvalid spec.progressDeadlineSeconds",
    ]);
  });

  test("KIND-Deployment-9: annotations count, but not those that are written with the status", () => {
    const { object } = kind.create({ spec });
    object.metadata.generation = 4;
    const annotated = { ...object, metadata: { ...object.metadata, annotations: { a: "1" } } };
    const labelled = { ...object, metadata: { ...object.metadata, labels: { a: "1" } } };
    expect(kind.update(object, annotated).object.metadata.generation).toBe(5);
    expect(kind.update(object, labelled).object.metadata.generation).toBe(4);
    const status = kind.update(object, annotated, "status").object.metadata;
    expect([status.generation, status.annotations]).toEqual([4, { a: "1" }]);
    expect(kind.update(object, labelled, "status").object.metadata.labels).toBeUndefined();
  });

  test("KIND-Deployment-10: the counts of a status", () => {
    const { object } = kind.create({ spec });
    const of = (status: object, before: object = {}): readonly string[] =>
      kind.update({ ...object, status: before }, { ...object, status }, "status").causes;
    expect(of({ replicas: 3, updatedReplicas: 3, readyReplicas: 2, availableReplicas: 2 })).toEqual([]);
    expect(of({ replicas: 1, updatedReplicas: 2 })).toEqual(["FieldValueInvalid status.updatedReplicas"]);
    expect(of({ replicas: 2, readyReplicas: 1, availableReplicas: 2 })).toEqual([
      "FieldValueInvalid status.availableReplicas",
    ]);
    expect(of({ unavailableReplicas: -1 })).toEqual(["FieldValueInvalid status.unavailableReplicas"]);
    for (const status of [{ collisionCount: 1 }, {}]) {
      expect(of(status, { collisionCount: 2 })).toEqual(["FieldValueInvalid status.collisionCount"]);
    }
  });

  test("KIND-Deployment-12: the columns", () => {
    const selector = { matchExpressions: [{ key: "app", operator: "In", values: ["b", "a"] }] };
    const { object } = kind.create({ spec: { ...spec, replicas: 3, selector } });
    const shown = { ...object, status: { readyReplicas: 1, updatedReplicas: 2 } };
    expect(kind.cells(shown)).toEqual(["1/3", 2, 0, "0s", "c", "i", "app in (a,b)"]);
  });
});

describe("a StatefulSet", () => {
  const kind = kindOf(kubernetes, "statefulsets");

  test("KIND-StatefulSet-1, KIND-StatefulSet-2: what is filled in", () => {
    const ordinals = {};
    expect(
      kind.create({ spec: { ...spec, ordinals, persistentVolumeClaimRetentionPolicy: { whenScaled: "Delete" } } }),
    ).toMatchObject({
      object: {
        spec: {
          replicas: 1,
          serviceName: "",
          podManagementPolicy: "OrderedReady",
          updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0, maxUnavailable: 1 } },
          revisionHistoryLimit: 10,
          persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain", whenScaled: "Delete" },
          ordinals: { start: 0 },
        },
        status: { replicas: 0, availableReplicas: 0 },
      },
    });
  });

  test("KIND-StatefulSet-1: who says the type of the updates says which Pods, or nothing", () => {
    const { object } = kind.create({ spec: { ...spec, updateStrategy: { type: "RollingUpdate" } } });
    expect((object["spec"] as { updateStrategy: object }).updateStrategy).toEqual({ type: "RollingUpdate" });
  });

  const claim = {
    metadata: { name: "data" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  };

  test("KIND-StatefulSet-3: templates of claims say what they are", () => {
    const { object } = kind.create({ spec: { ...spec, volumeClaimTemplates: [{ ...claim, kind: "Other" }] } });
    const [made] = (object["spec"] as { volumeClaimTemplates: object[] }).volumeClaimTemplates;
    expect(made).toMatchObject({
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      spec: { volumeMode: "Filesystem" },
      status: { phase: "Pending" },
    });
  });

  test("KIND-StatefulSet-4: they are checked as claims, their names as volumes", () => {
    const wrong = [
      { ...claim, spec: { ...claim.spec, accessModes: ["Always"] } },
      { ...claim, metadata: { name: "A" } },
    ];
    expect(causesOf(kind, { volumeClaimTemplates: wrong })).toEqual([
      "FieldValueInvalid spec.template.spec.volumes[1].name",
      "FieldValueNotSupported spec.volumeClaimTemplates[0].spec.accessModes",
    ]);
    expect(causesOf(kind, { volumeClaimTemplates: [claim, claim] })).toEqual([]);
    const mounts = [{ name: "data", mountPath: "/d" }];
    const mounted = { ...template, spec: { containers: [{ name: "c", image: "i", volumeMounts: mounts }] } };
    expect(causesOf(kind, { template: mounted, volumeClaimTemplates: [claim] })).toEqual([]);
    expect(causesOf(kind, { template: mounted })).not.toEqual([]);
  });

  test("KIND-StatefulSet-5: little of it may change", () => {
    const { object } = kind.create({ spec });
    expect(changed(kind, object, { replicas: 3, minReadySeconds: 1, ordinals: { start: 2 } }).causes).toEqual([]);
    for (const change of [
      { serviceName: "s" },
      { podManagementPolicy: "Parallel" },
      { volumeClaimTemplates: [claim] },
    ]) {
      expect(changed(kind, object, change).causes).toEqual(["FieldValueForbidden spec"]);
    }
  });

  test.each<[string, object, string]>([
    ["KIND-StatefulSet-7", { updateStrategy: { type: "Other" } }, "FieldValueInvalid spec.updateStrategy"],
    [
      "KIND-StatefulSet-7",
      { updateStrategy: { type: "OnDelete", rollingUpdate: {} } },
      "FieldValueInvalid spec.updateStrategy.rollingUpdate",
    ],
    [
      "KIND-StatefulSet-7",
      { updateStrategy: { rollingUpdate: { partition: -1 } } },
      "FieldValueInvalid spec.updateStrategy.rollingUpdate.partition",
    ],
    [
      "KIND-StatefulSet-7",
      { updateStrategy: { rollingUpdate: { maxUnavailable: 0 } } },
      "FieldValueInvalid spec.updateStrategy.rollingUpdate.maxUnavailable",
    ],
    ["KIND-StatefulSet-8", { podManagementPolicy: "Any" }, "FieldValueInvalid spec.podManagementPolicy"],
    [
      "KIND-StatefulSet-8",
      { persistentVolumeClaimRetentionPolicy: { whenDeleted: "Keep" } },
      "FieldValueNotSupported spec.persistentVolumeClaimRetentionPolicy.whenDeleted",
    ],
    ["KIND-StatefulSet-8", { ordinals: { start: -1 } }, "FieldValueInvalid spec.ordinals.start"],
    ["KIND-StatefulSet-8", { serviceName: "A" }, "FieldValueInvalid spec.serviceName"],
    ["KIND-StatefulSet-8", { serviceName: "a.b" }, "FieldValueInvalid spec.serviceName"],
  ])("%s: %j is %s", (_, changes, cause) => {
    expect(causesOf(kind, changes)).toEqual([cause]);
  });

  test("KIND-StatefulSet-4, KIND-StatefulSet-5: an update is not asked again for what may not change", () => {
    const { object } = kind.create({ spec: { ...spec, volumeClaimTemplates: [claim] } });
    const wrong = { ...claim, spec: { accessModes: ["Always"] } };
    expect(changed(kind, object, { volumeClaimTemplates: [wrong], serviceName: "A" }).causes).toEqual([
      "FieldValueForbidden spec",
    ]);
    const spelt = { ...claim, spec: { ...claim.spec, resources: { requests: { storage: "1024Mi" } } } };
    const { causes, warnings } = changed(kind, object, { volumeClaimTemplates: [spelt] });
    expect([causes, warnings]).toEqual([[], []]);
  });

  test("KIND-StatefulSet-4: a claim takes the place of the volume of its name, and each Pod has a host name of its own", () => {
    const volumes = [{ name: "data", emptyDir: { medium: "Odd" } }, { name: "v" }];
    const own = { ...template, spec: { ...template.spec, volumes, hostname: "A_", subdomain: "B_" } };
    expect(causesOf(kind, { template: own, volumeClaimTemplates: [claim] })).toEqual([]);
  });

  test("KIND-All-14, KIND-All-15: beside a selector that cannot be read, a template is asked whether it lasts", () => {
    const selector = { matchExpressions: [{ key: "a", operator: "Odd" }] };
    const ending = { ...template, spec: { containers: [], restartPolicy: "Never", activeDeadlineSeconds: 1 } };
    expect(causesOf(kind, { selector, template: ending })).toEqual([
      "FieldValueForbidden spec.template.spec.activeDeadlineSeconds",
      "FieldValueInvalid spec.selector",
      "FieldValueInvalid spec.selector.matchExpressions[0].operator",
      "FieldValueNotSupported spec.template.spec.restartPolicy",
    ]);
  });

  test("a StatefulSet that keeps all revisions is warned of with every write", () => {
    const { object, warnings } = kind.create({ spec: { ...spec, revisionHistoryLimit: -1 } });
    expect(warnings).toEqual([expect.stringContaining("spec.revisionHistoryLimit")]);
    expect(kind.change(object, {}).warnings).toEqual(warnings);
  });

  test("KIND-All-11: an empty list of owners in a claim of a template is none", () => {
    const claims = [{ ...claim, metadata: { name: "data", managedFields: [] } }];
    const { object } = kind.create({ spec: { ...spec, volumeClaimTemplates: claims } });
    expect(object["spec"]).toMatchObject({ volumeClaimTemplates: [{ metadata: { name: "data" } }] });
    expect(JSON.stringify(object["spec"])).not.toContain("managedFields");
  });

  test("KIND-StatefulSet-9: the counts of a status", () => {
    const { object } = kind.create({ spec });
    const status = { replicas: 1, readyReplicas: 1, currentReplicas: 2, updatedReplicas: 2, availableReplicas: 2 };
    expect(kind.update(object, { ...object, status }, "status").causes).toEqual([
      "FieldValueInvalid status.availableReplicas",
      "FieldValueInvalid status.currentReplicas",
      "FieldValueInvalid status.updatedReplicas",
    ]);
  });

  test("KIND-StatefulSet-11: a claim of a fraction of a byte is warned of", () => {
    const small = { ...claim, spec: { ...claim.spec, resources: { requests: { storage: "1500m" } } } };
    const { warnings } = kind.create({ spec: { ...spec, volumeClaimTemplates: [small] } });
    expect(warnings).toEqual([expect.stringContaining("spec.volumeClaimTemplates[0].spec.resources")]);
  });

  test("KIND-All-1: its name is a DNS label", () => {
    expect(kind.create({ metadata: { name: "a.b" }, spec }).causes).toEqual(["FieldValueInvalid metadata.name"]);
  });
});

describe("a DaemonSet", () => {
  const kind = kindOf(kubernetes, "daemonsets");
  const KEY = "deprecated.daemonset.template.generation";
  const countOf = ({ metadata }: { metadata: { annotations?: Record<string, string> } }): string | undefined =>
    metadata.annotations?.[KEY];

  test("KIND-DaemonSet-1: what is filled in, each on its own", () => {
    expect(kind.create({ spec }).object["spec"]).toMatchObject({
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
      revisionHistoryLimit: 10,
    });
  });

  test("KIND-DaemonSet-2: the server counts templates in an annotation", () => {
    const annotated = (text: string) => ({ metadata: { name: "x", annotations: { [KEY]: text } }, spec });
    expect(countOf(kind.create({ spec }).object)).toBe("1");
    const { object } = kind.create(annotated("5"));
    expect(countOf(object)).toBe("5");
    expect(() => kind.create(annotated("five"))).toThrow(/expected a number/);
    expect(countOf(kind.update(object, annotated("9")).object)).toBe("5");
    expect(countOf(changed(kind, object, { minReadySeconds: 1 }).object)).toBe("5");
    const other = { ...template, spec: { containers: [{ name: "c", image: "j" }] } };
    expect(countOf(changed(kind, object, { template: other }).object)).toBe("6");
    expect(countOf(kind.update(object, annotated("9"), "status").object)).toBe("5");
    expect(countOf(kind.update(object, { spec }, "status").object)).toBe("5");
  });

  test("KIND-DaemonSet-2: a template whose amounts are spelt otherwise is the same", () => {
    const asking = (cpu: string) => ({
      template: { ...template, spec: { containers: [{ name: "c", image: "i", resources: { requests: { cpu } } }] } },
    });
    const { object } = kind.create({ spec: { ...spec, ...asking("1") } });
    expect(countOf(changed(kind, object, asking("1000m")).object)).toBe("1");
  });

  test("KIND-All-13: a DaemonSet is warned of its template where that is new, and of no name", () => {
    const odd = { ...template, spec: { ...template.spec, terminationGracePeriodSeconds: -1 } };
    const { object, warnings } = kind.create({ metadata: { name: "a.b" }, spec: { ...spec, template: odd } });
    expect(warnings).toEqual([expect.stringContaining("terminationGracePeriodSeconds")]);
    expect(changed(kind, object, { minReadySeconds: 1 }).warnings).toEqual([]);
    const other = { ...odd, metadata: { labels: { ...LABELS, more: "" } } };
    expect(changed(kind, object, { template: other }).warnings).toHaveLength(1);
  });

  test.each<[object, string[]]>([
    [{ maxUnavailable: 0 }, ["FieldValueRequired spec.updateStrategy.rollingUpdate.maxUnavailable"]],
    [{ maxUnavailable: "0%", maxSurge: "0%" }, ["FieldValueRequired spec.updateStrategy.rollingUpdate.maxUnavailable"]],
    [{ maxSurge: 1 }, ["FieldValueInvalid spec.updateStrategy.rollingUpdate.maxSurge"]],
    [{ maxUnavailable: 0, maxSurge: 1 }, []],
    [{ maxUnavailable: "101%" }, ["FieldValueInvalid spec.updateStrategy.rollingUpdate.maxUnavailable"]],
    // A number in a text is none that may be, and none that is 0.
    [{ maxUnavailable: "5" }, ["FieldValueInvalid spec.updateStrategy.rollingUpdate.maxUnavailable"]],
  ])("KIND-DaemonSet-4: %j", (rollingUpdate, causes) => {
    expect(causesOf(kind, { updateStrategy: { rollingUpdate } })).toEqual(causes);
  });

  test("KIND-DaemonSet-4, KIND-DaemonSet-5: types of updates", () => {
    expect(causesOf(kind, { updateStrategy: { type: "Other" } })).toEqual([
      "FieldValueNotSupported spec.updateStrategy",
    ]);
    expect(causesOf(kind, { updateStrategy: { type: "OnDelete", rollingUpdate: {} } })).toEqual([]);
  });

  test("KIND-DaemonSet-6, KIND-DaemonSet-7: no number is negative, four are always printed", () => {
    expect(causesOf(kind, { minReadySeconds: -1, revisionHistoryLimit: -1 })).toEqual([
      "FieldValueInvalid spec.minReadySeconds",
      "FieldValueInvalid spec.revisionHistoryLimit",
    ]);
    const { object } = kind.create({ spec });
    expect(Object.keys(object["status"] as object)).toHaveLength(4);
    const status = { ...(object["status"] as object), numberReady: -1 };
    expect(kind.update(object, { ...object, status }, "status").causes).toEqual([
      "FieldValueInvalid status.numberReady",
    ]);
  });

  test("KIND-DaemonSet-8, KIND-DaemonSet-9: it has no scale, and all but the selector may change", () => {
    expect(Object.keys(kind.definition.subresources!)).toEqual(["status"]);
    const { object } = kind.create({ spec });
    expect(changed(kind, object, { updateStrategy: { type: "OnDelete" }, revisionHistoryLimit: 3 }).causes).toEqual([]);
  });
});

describe("a ReplicaSet and a ReplicationController", () => {
  test("KIND-ReplicaSet-1, KIND-ReplicaSet-3, KIND-ReplicaSet-6: what is filled in and told", () => {
    const kind = kindOf(kubernetes, "replicasets");
    const { object } = kind.create({ spec });
    expect(object["spec"]).toMatchObject({ replicas: 1 });
    expect(causesOf(kind, { replicas: -1, minReadySeconds: -1 })).toEqual([
      "FieldValueInvalid spec.minReadySeconds",
      "FieldValueInvalid spec.replicas",
    ]);
    expect(kind.cells({ ...object, status: { replicas: 2 } }).slice(0, 3)).toEqual([1, 2, 0]);
  });

  test.each(["replicasets", "replicationcontrollers"])(
    "KIND-ReplicaSet-4, KIND-ReplicaSet-5, KIND-ReplicationController-3: the status of %s",
    (plural) => {
      const kind = kindOf(kubernetes, plural);
      const selector = plural === "replicasets" ? spec.selector : LABELS;
      const { object } = kind.create({ spec: { selector, template } });
      expect(object["status"]).toEqual({ replicas: 0 });
      const status = { replicas: 1, fullyLabeledReplicas: 2, readyReplicas: -1 };
      expect(kind.update(object, { ...object, status }, "status").causes).toEqual([
        "FieldValueInvalid status.availableReplicas",
        "FieldValueInvalid status.fullyLabeledReplicas",
        "FieldValueInvalid status.readyReplicas",
      ]);
      const selects = Object.keys(kind.definition.selectableFields ?? {});
      expect(selects).toEqual(plural === "replicasets" ? [] : ["status.replicas"]);
    },
  );

  test("KIND-ReplicationController-1, KIND-ReplicationController-2: selector and labels are those of the template", () => {
    const kind = kindOf(kubernetes, "replicationcontrollers");
    const { object } = kind.create({ spec: { template } });
    expect([object.metadata.labels, object["spec"]]).toMatchObject([LABELS, { replicas: 1, selector: LABELS }]);
    expect(
      kind.create({ metadata: { name: "x", labels: { own: "1" } }, spec: { template } }).object.metadata.labels,
    ).toEqual({
      own: "1",
    });
    expect(kind.create({ spec: { selector: LABELS } }).causes).toEqual(["FieldValueRequired spec.template"]);
    expect(kind.create({ spec: { template: { spec: template.spec } } }).causes).toEqual([
      "FieldValueRequired spec.selector",
    ]);
    const other = { ...template, metadata: { labels: { ...LABELS, b: "1" } } };
    expect(changed(kind, object, { template: other, selector: { b: "1" } }).causes).toEqual([]);
  });

  test("KIND-ReplicationController-4: what it owns stays unless told otherwise", () => {
    expect(kindOf(kubernetes, "replicationcontrollers").definition.orphansDependents).toBe(true);
    expect(kindOf(kubernetes, "replicasets").definition.orphansDependents).toBeUndefined();
  });
});

test("KIND-PodTemplate-1: of a PodTemplate only the template is checked, and any of it may change", () => {
  const kind = kindOf(kubernetes, "podtemplates");
  const { object, causes } = kind.create({
    template: { ...template, spec: { ...template.spec, restartPolicy: "Never" } },
  });
  expect([causes, object["status"]]).toEqual([[], undefined]);
  expect(
    kind.update(object, { ...object, template: { spec: { containers: [{ name: "d", image: "j" }] } } }).causes,
  ).toEqual([]);
  expect(kind.create({ template: { spec: {} } }).causes).toEqual(["FieldValueRequired template.spec.containers"]);
});
