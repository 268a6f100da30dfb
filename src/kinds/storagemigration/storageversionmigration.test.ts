import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { kubernetes, neutral } from "../../meta/dialect.ts";
import type { ApiObject } from "../../schema/definition.ts";
import { KindUnderTest, contextOf } from "../../schema/testing/kind.ts";
import { storageMigrationGroup } from "./index.ts";

const WHEN = "2024-01-02T03:04:05Z";
const condition = (type: string, status: string) => ({ type, status, reason: "SomeReason" });

const VERSIONS = {
  v1alpha1: { resource: { group: "apps", version: "v1", resource: "deployments" }, time: "lastUpdateTime" },
  v1beta1: { resource: { group: "apps", resource: "deployments" }, time: "lastTransitionTime" },
} as const;
type Version = keyof typeof VERSIONS;

const writer = (dialect: typeof neutral, version: Version) =>
  KindUnderTest.of(
    storageMigrationGroup,
    "storageversionmigrations",
    contextOf(dialect, { StorageVersionMigrator: true }),
    version,
  );

describe.each([
  [neutral, "v1alpha1"],
  [neutral, "v1beta1"],
  [kubernetes, "v1alpha1"],
  [kubernetes, "v1beta1"],
] as const)("StorageVersionMigration in the $name dialect, %s", (dialect, version) => {
  const migration = writer(dialect, version);
  const { resource, time } = VERSIONS[version];
  const strict = dialect === kubernetes;
  const SPEC = { resource };
  const { object: stored } = migration.create({ spec: SPEC });
  const timed = (conditions: object[]) => conditions.map((c) => ({ [time]: WHEN, ...c }));
  const put = (conditions: object[], old = stored, resourceVersion = "5") =>
    migration.update(old, { spec: SPEC, status: { resourceVersion, conditions: timed(conditions) } }, "status");

  test("SVM-4, SVM-7: a resource is kept; the core group is an empty text", () => {
    expect(migration.create({ spec: SPEC })).toMatchObject({ causes: [], unknown: [], object: { spec: SPEC } });
    expect(migration.create({ spec: { resource: { ...resource, group: "" } } }).causes).toEqual([]);
  });

  test.each([
    ["no spec", {}],
    ["an empty spec", { spec: {} }],
    ["an empty resource", { spec: { resource: {} } }],
  ])("SVM-4, DEC-55: %s is refused", (_, body) => {
    const causes = ["FieldValueRequired spec.resource.resource"];
    if (version === "v1alpha1") causes.push("FieldValueRequired spec.resource.version");
    expect(migration.create(body).causes).toEqual(causes);
  });

  test("DEC-55: only Kubernetes looks at the form of group and resource", () => {
    const { causes } = migration.create({ spec: { resource: { ...resource, group: "a_b", resource: "1x" } } });
    expect(causes).toEqual(
      strict ? ["FieldValueInvalid spec.resource.group", "FieldValueInvalid spec.resource.resource"] : [],
    );
  });

  test.each([{ group: "batch" }, { resource: "jobs" }, { group: null }])(
    "SVM-6: the resource cannot change (%o)",
    (change) => {
      const { causes } = migration.update(stored, { spec: { resource: { ...resource, ...change } } });
      expect(causes).toEqual([`FieldValueInvalid ${strict ? "spec" : "spec.resource"}`]);
      expect(migration.update(stored, { spec: SPEC }).causes).toEqual([]);
    },
  );

  test("DEC-33: a status in a create or in a write of the object is ignored, and the status path writes nothing else", () => {
    const status = { resourceVersion: "5", conditions: timed([condition("Running", "True")]) };
    expect(migration.create({ spec: SPEC, status }).object["status"]).toEqual({});
    expect(migration.update(stored, { spec: SPEC, status }).object["status"]).toEqual({});
    const sent = { metadata: { name: "x", labels: { a: "b" } }, spec: { resource: { resource: "other" } }, status };
    const { object, causes } = migration.update(stored, sent, "status");
    expect(causes).toEqual([]);
    expect(object).toMatchObject({ spec: SPEC, status });
    expect(object.metadata).not.toHaveProperty("labels");
  });

  test("SVM-14, DEC-33: only Kubernetes wants a number for the resourceVersion, once and for all", () => {
    const invalid = strict ? ["FieldValueInvalid status.resourceVersion"] : [];
    for (const wrong of ["", "abc", "-1", "1.5", "0"]) expect(put([], stored, wrong).causes).toEqual(invalid);
    const { object, causes } = put([], stored, "5");
    expect(causes).toEqual([]);
    expect(put([], object, "5").causes).toEqual([]);
    expect(put([], object, "6").causes).toEqual(invalid);
    expect(put([], object, "").causes).toEqual(invalid);
  });

  test.each([
    ["SVM-10: no type", { ...condition("", "True") }, "FieldValueInvalid status.conditions[0].type"],
    ["SVM-9: no status", { type: "Running", reason: "R" }, "FieldValueNotSupported status.conditions[0].status"],
    ["SVM-9: another status", condition("Running", "true"), "FieldValueNotSupported status.conditions[0].status"],
    [
      "DEC-55: a message of 32769 bytes",
      { ...condition("Running", "True"), message: "x".repeat(32769) },
      "FieldValueTooLong status.conditions[0].message",
    ],
    [
      "DEC-55: a negative generation",
      { ...condition("Running", "True"), observedGeneration: -1 },
      "FieldValueInvalid status.conditions[0].observedGeneration",
    ],
  ])("%s is refused", (_, value, cause) => {
    expect(put([value]).causes).toEqual([cause]);
  });

  test.each([
    ["no reason", { type: "Running", status: "True" }, "FieldValueRequired status.conditions[0].reason"],
    ["no time", { ...condition("Running", "True"), [time]: null }, `FieldValueRequired status.conditions[0].${time}`],
    [
      "a reason of two words",
      { ...condition("Running", "True"), reason: "not one" },
      "FieldValueInvalid status.conditions[0].reason",
    ],
    [
      "a reason of 1025 bytes",
      { ...condition("Running", "True"), reason: "x".repeat(1025) },
      "FieldValueTooLong status.conditions[0].reason",
    ],
    ["a type of two words", condition("not one", "True"), "FieldValueInvalid status.conditions[0].type"],
  ])("AMB-54: %s is refused by Kubernetes only", (_, value, cause) => {
    expect(put([value]).causes).toEqual(strict ? [cause] : []);
  });

  test.each([
    [
      "SVM-8, AMB-42: a type that stands there twice",
      ["Running", "True"],
      ["Running", "False"],
      "Duplicate status.conditions[1].type",
    ],
    ["DEC-39: two outcomes", ["Succeeded", "True"], ["Failed", "True"], "Invalid status.conditions"],
    ["DEC-39: running after success", ["Succeeded", "True"], ["Running", "True"], "Invalid status.conditions"],
    ["DEC-39: running after failure", ["Running", "True"], ["Failed", "True"], "Invalid status.conditions"],
  ] as const)("%s is refused", (_, a, b, cause) => {
    expect(put([condition(a[0], a[1]), condition(b[0], b[1])]).causes).toEqual([`FieldValue${cause}`]);
  });

  test("SVM-15, DEC-55: a migration runs and succeeds, and what it came to is never taken back", () => {
    const running = put([condition("Running", "True")]);
    const done = put([condition("Running", "False"), condition("Succeeded", "True")], running.object);
    expect([running.causes, done.causes]).toEqual([[], []]);
    expect(put([condition("Succeeded", "False")], done.object).causes).toEqual(["FieldValueInvalid status.conditions"]);
    expect(put([], done.object).causes).toEqual(["FieldValueInvalid status.conditions"]);
    const failed = put([condition("Failed", "True")]);
    expect(put([condition("Failed", "Unknown")], failed.object).causes).toEqual([
      "FieldValueInvalid status.conditions",
    ]);
  });

  test("DEC-38: without StorageVersionMigrator nothing is served", () => {
    const ctx = contextOf(dialect, { StorageVersionMigrator: false });
    expect(storageMigrationGroup(ctx).map(({ served }) => served)).toEqual([false, false]);
  });
});

test("SVM-2, SVM-11, SVM-12, SVM-13: v1alpha1 has a continue token that changes, and conditions that need type and status only", () => {
  const migration = writer(neutral, "v1alpha1");
  const spec = { resource: VERSIONS.v1alpha1.resource, continueToken: "next" };
  const { object } = migration.create({ spec: { ...spec, continueToken: "first" } });
  expect(migration.update(object, { spec })).toMatchObject({ causes: [], object: { spec } });
  const conditions = [
    { type: "Running", status: "Unknown", message: "half way", lastUpdateTime: WHEN },
    { type: "Mine", status: "True" },
  ];
  expect(migration.update(object, { status: { conditions } }, "status").object).toMatchObject({
    status: { conditions },
  });
});

test("SVM-6: the version of the resource cannot change either", () => {
  const migration = writer(neutral, "v1alpha1");
  const { resource } = VERSIONS.v1alpha1;
  const { object } = migration.create({ spec: { resource } });
  expect(migration.update(object, { spec: { resource: { ...resource, version: "v2" } } }).causes).toEqual([
    "FieldValueInvalid spec.resource",
  ]);
});

test("DEC-55: v1beta1 knows neither a version nor a continue token, and is deprecated", () => {
  const migration = writer(kubernetes, "v1beta1");
  const { unknown } = migration.create({ spec: { resource: VERSIONS.v1alpha1.resource, continueToken: "x" } });
  expect(unknown).toEqual(["spec.resource.version", "spec.continueToken"]);
  expect(migration.definition.deprecated).toContain("v1beta1");
});

describe.each([neutral, kubernetes])("one stored form in the $name dialect", (dialect) => {
  const alpha = writer(dialect, "v1alpha1");
  const beta = writer(dialect, "v1beta1");
  const { storedAs } = beta.definition;
  const toStored = (object: ApiObject, before?: ApiObject): ApiObject =>
    (storedAs!.toStored as (object: ApiObject, before?: ApiObject) => ApiObject)(object, before);
  const group = `storagemigration.${dialect.domain}`;

  const stored = (): ApiObject => {
    const { object } = alpha.create({ spec: { resource: VERSIONS.v1alpha1.resource, continueToken: "next" } });
    const conditions = [
      { type: "Running", status: "True", lastUpdateTime: WHEN, reason: "R", message: "m", observedGeneration: 3 },
      { type: "Bare", status: "False" },
    ];
    return { ...object, status: { resourceVersion: "5", conditions } };
  };

  test("DEC-55: v1alpha1 is what is stored", () => {
    expect(storedAs!.definition).toBe(`storageversionmigrations.${group}/v1alpha1`);
    expect(alpha.definition.storedAs).toBeUndefined();
  });

  test("DEC-55: v1beta1 shows group and resource, and the time of a condition under its own name", () => {
    const { apiVersion, spec, status } = storedAs!.fromStored(stored()) as ApiObject & { spec: object; status: object };
    expect(apiVersion).toBe(`${group}/v1beta1`);
    expect(spec).toEqual({ resource: VERSIONS.v1beta1.resource });
    expect(status).toEqual({
      resourceVersion: "5",
      conditions: [
        { type: "Running", status: "True", lastTransitionTime: WHEN, reason: "R", message: "m", observedGeneration: 3 },
        {
          type: "Bare",
          status: "False",
          ...(dialect.rules.printUnsetAsNull ? { lastTransitionTime: null } : {}),
          reason: "",
          message: "",
        },
      ],
    });
  });

  test("a view that is written back over its object changes nothing, nor the objects it was made of", () => {
    const object = stored();
    const before = structuredClone(object);
    const view = storedAs!.fromStored(object);
    const seen = structuredClone(view);
    expect(toStored(view, object)).toEqual(object);
    expect(object).toEqual(before);
    expect(view).toEqual(seen);
  });

  test("a view is in wire form: decoding it changes nothing", () => {
    const view = storedAs!.fromStored(stored());
    const { object } = beta.update(view, structuredClone(view), "status");
    expect(object).toEqual(view);
  });

  test("whatever v1beta1 wrote is read back as it was", () => {
    const word = fc.string({ maxLength: 8 });
    const conditionOf = fc.record(
      {
        type: word,
        status: word,
        reason: word,
        message: word,
        lastTransitionTime: fc.constant(WHEN),
        observedGeneration: fc.nat(),
      },
      { requiredKeys: ["type", "status"] },
    );
    const spec = fc.record({ resource: fc.record({ group: word, resource: word }) });
    const status = fc.record({ resourceVersion: word, conditions: fc.array(conditionOf) }, { requiredKeys: [] });
    fc.assert(
      fc.property(spec, status, (someSpec, someStatus) => {
        const { object } = beta.create({ spec: someSpec });
        const { object: written } = beta.update(object, { status: someStatus }, "status");
        expect(storedAs!.fromStored(toStored(written))).toEqual(written);
      }),
    );
  });

  test("a part of an object is converted to the same part, so that appliers of either version own what they say", () => {
    const head = { apiVersion: `${group}/v1beta1`, kind: "StorageVersionMigration", metadata: { name: "x" } };
    const inStore = { ...head, apiVersion: `${group}/v1alpha1` };
    for (const part of [{}, { spec: {} }, { status: {} }, { status: { resourceVersion: "5" } }]) {
      expect(toStored({ ...head, ...part })).toEqual({ ...inStore, ...part });
      expect(storedAs!.fromStored({ ...inStore, ...part })).toEqual({ ...head, ...part });
    }
  });

  test("a new object that was made as v1beta1 can be read, and gets its version once, as v1alpha1", () => {
    const { object } = beta.create({ spec: { resource: { group: "", resource: "secrets" } } });
    const inStore = toStored(object);
    expect(inStore).toEqual({
      ...object,
      apiVersion: `${group}/v1alpha1`,
      spec: { resource: { resource: "secrets" } },
    });
    expect(storedAs!.fromStored(inStore)).toEqual(object);
    const same = alpha.update(inStore, { spec: { resource: { resource: "secrets" } } });
    const versioned = alpha.update(inStore, { spec: { resource: { resource: "secrets", version: "v1" } } });
    expect([same.causes, versioned.causes]).toEqual([[], []]);
    expect(
      alpha.update(versioned.object, { spec: { resource: { resource: "secrets", version: "v2" } } }).causes,
    ).toHaveLength(1);
  });
});
