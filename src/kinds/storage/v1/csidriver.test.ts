import { describe, expect, test } from "vitest";
import { kubernetes, neutral } from "../../../meta/dialect.ts";
import { KindUnderTest, contextOf } from "../../../schema/testing/kind.ts";
import { storageGroup } from "./index.ts";

const DEFAULTS = {
  attachRequired: true,
  podInfoOnMount: false,
  storageCapacity: false,
  fsGroupPolicy: "ReadWriteOnceWithFSType",
  requiresRepublish: false,
  seLinuxMount: false,
  volumeLifecycleModes: ["Persistent"],
};
const TOKENS = [{ audience: "a" }];

describe.each([neutral, kubernetes])("CSIDriver in the $name dialect", (dialect) => {
  const driver = KindUnderTest.of(storageGroup, "csidrivers", contextOf(dialect));
  const stored = (spec: object) => driver.create({ spec }).object;

  test.each([
    ["an empty spec", { spec: {} }],
    ["no spec", {}],
    ["a spec of null", { spec: null }],
    ["members of null", { spec: { attachRequired: null, fsGroupPolicy: null, volumeLifecycleModes: null } }],
    ["an empty list of modes", { spec: { volumeLifecycleModes: [] } }],
  ])("CSID-7, CSID-14, CSID-17, CSID-20, CSID-33, DEC-41: %s gets the defaults", (_, body) => {
    const { object, causes } = driver.create(body);
    expect(causes).toEqual([]);
    expect(object["spec"]).toEqual(DEFAULTS);
  });

  test("CSID-27, CSID-31: every field is kept as it was sent", () => {
    const spec = {
      attachRequired: false,
      podInfoOnMount: true,
      storageCapacity: true,
      fsGroupPolicy: "None",
      requiresRepublish: true,
      seLinuxMount: true,
      volumeLifecycleModes: ["Ephemeral", "Persistent"],
      nodeAllocatableUpdatePeriodSeconds: 10,
      serviceAccountTokenInSecrets: false,
      tokenRequests: [{ audience: "", expirationSeconds: 600 }, { audience: "b" }],
    };
    expect(driver.create({ spec })).toMatchObject({ object: { spec }, causes: [], warnings: [] });
  });

  test("CSID-29, AMB-5: an audience that was left out is the empty one", () => {
    const spec = { tokenRequests: [{}], serviceAccountTokenInSecrets: true };
    expect(driver.create({ spec })).toMatchObject({
      causes: [],
      object: { spec: { tokenRequests: [{ audience: "" }] } },
    });
  });

  test.each([
    ["CSID-7, DEC-41: an unknown policy", { fsGroupPolicy: "Always" }, "FieldValueNotSupported spec.fsGroupPolicy"],
    ["DEC-41: an empty policy", { fsGroupPolicy: "" }, "FieldValueNotSupported spec.fsGroupPolicy"],
    [
      "CSID-12, LIM-5: 9 seconds",
      { nodeAllocatableUpdatePeriodSeconds: 9 },
      "FieldValueInvalid spec.nodeAllocatableUpdatePeriodSeconds",
    ],
    [
      "CSID-32: an unknown mode",
      { volumeLifecycleModes: ["Persistent", "Other"] },
      "FieldValueNotSupported spec.volumeLifecycleModes",
    ],
    [
      "CSID-23: tokens in secrets without tokens",
      { serviceAccountTokenInSecrets: true },
      "FieldValueInvalid spec.serviceAccountTokenInSecrets",
    ],
    [
      "CSID-23: tokens not in secrets, without tokens",
      { serviceAccountTokenInSecrets: false, tokenRequests: [] },
      "FieldValueInvalid spec.serviceAccountTokenInSecrets",
    ],
    [
      "LIM-6: an audience that stands there twice",
      { tokenRequests: [...TOKENS, { audience: "b" }, ...TOKENS] },
      "FieldValueDuplicate spec.tokenRequests[2].audience",
    ],
    [
      "LIM-6: two empty audiences",
      { tokenRequests: [{}, { audience: "" }] },
      "FieldValueDuplicate spec.tokenRequests[1].audience",
    ],
    [
      "CSID-30, DEC-39: 599 seconds",
      { tokenRequests: [{ audience: "a", expirationSeconds: 599 }] },
      "FieldValueInvalid spec.tokenRequests[0].expirationSeconds",
    ],
    [
      "DEC-39: more than 2^32 seconds",
      { tokenRequests: [{ audience: "a", expirationSeconds: 2 ** 32 + 1 }] },
      "FieldValueInvalid spec.tokenRequests[0].expirationSeconds",
    ],
  ])("%s is refused", (_, spec, cause) => {
    expect(driver.create({ spec }).causes).toEqual([cause]);
    expect(driver.update(stored({}), { spec }).causes).toContain(cause);
  });

  test.each([
    ["CSID-12, LIM-5: 10 seconds", { nodeAllocatableUpdatePeriodSeconds: 10 }],
    ["DEC-39: 2^32 seconds", { tokenRequests: [{ audience: "a", expirationSeconds: 2 ** 32 }] }],
    ["AMB-42: a mode that stands there twice", { volumeLifecycleModes: ["Persistent", "Persistent"] }],
    ["DEC-41: the policy File", { fsGroupPolicy: "File" }],
  ])("%s is accepted", (_, spec) => {
    expect(driver.create({ spec }).causes).toEqual([]);
  });

  test.each([
    ["attachRequired", { attachRequired: "true" }],
    ["volumeLifecycleModes", { volumeLifecycleModes: "Persistent" }],
    ["tokenRequests[0].expirationSeconds", { tokenRequests: [{ expirationSeconds: "3600" }] }],
  ])("CONV-2: %s of a wrong type does not fit", (field, spec) => {
    expect(driver.create({ spec }).mismatch).toBe(`spec.${field}`);
  });

  test("CSID-6, CSID-36: attachRequired and volumeLifecycleModes are immutable", () => {
    const old = stored({ attachRequired: false, volumeLifecycleModes: ["Persistent", "Ephemeral"] });
    const attach = dialect === kubernetes ? "spec.attachedRequired" : "spec.attachRequired";
    const { causes } = driver.update(old, { spec: { volumeLifecycleModes: ["Ephemeral"] } });
    expect(causes).toEqual([`FieldValueInvalid ${attach}`, "FieldValueInvalid spec.volumeLifecycleModes"]);
  });

  test.each([
    ["CSID-9: fsGroupPolicy", { fsGroupPolicy: "File" }],
    ["CSID-13: nodeAllocatableUpdatePeriodSeconds", { nodeAllocatableUpdatePeriodSeconds: 60 }],
    ["CSID-16, VER-9: podInfoOnMount", { podInfoOnMount: true }],
    ["CSID-26: storageCapacity", { storageCapacity: true }],
    ["DEC-39: requiresRepublish", { requiresRepublish: true }],
    ["DEC-39: seLinuxMount", { seLinuxMount: true }],
    ["DEC-39: tokenRequests", { tokenRequests: TOKENS, serviceAccountTokenInSecrets: true }],
  ])("%s can change, and change back", (_, spec) => {
    const old = stored({});
    const changed = driver.update(old, { spec });
    expect(changed).toMatchObject({ causes: [], object: { spec } });
    expect(driver.update(changed.object, { spec: {} })).toMatchObject({ causes: [], object: { spec: DEFAULTS } });
  });

  test("tokens that are passed in the volume context are warned about when they are new", () => {
    const created = driver.create({ spec: { tokenRequests: TOKENS } });
    expect(created.warnings).toHaveLength(1);
    const { object } = created;
    expect(driver.update(object, { spec: { tokenRequests: TOKENS, podInfoOnMount: true } }).warnings).toEqual([]);
    expect(driver.update(object, { spec: { tokenRequests: [{ audience: "b" }] } }).warnings).toHaveLength(1);
    expect(driver.create({ spec: { tokenRequests: TOKENS, serviceAccountTokenInSecrets: false } }).warnings).toEqual(
      [],
    );
  });

  test.each([
    ["nodeAllocatableUpdatePeriodSeconds", 60, "MutableCSINodeAllocatableCount"],
    ["serviceAccountTokenInSecrets", true, "CSIServiceAccountTokenSecrets"],
    ["seLinuxMount", true, "SELinuxMountReadWriteOncePod"],
  ] as const)("CSID-13, DEC-38: %s is dropped where its gate is off, unless it is stored", (member, value, gate) => {
    const off = KindUnderTest.of(storageGroup, "csidrivers", contextOf(dialect, { [gate]: false }));
    const spec = { tokenRequests: TOKENS, [member]: value };
    const { object, warnings, causes } = off.create({ spec });
    expect(causes).toEqual([]);
    expect(object["spec"]).not.toHaveProperty(member);
    const told = warnings.filter((text) => text.includes(member) && text.includes(gate));
    expect(told).toHaveLength(dialect.rules.warnDroppedFields ? 1 : 0);
    expect(off.update(object, { spec }).object["spec"]).not.toHaveProperty(member);
    const before = driver.create({ spec }).object;
    expect(off.update(before, { spec }).object["spec"]).toHaveProperty(member, value);
  });

  test("the columns are those of kubectl get", () => {
    const cells = (spec: object) => driver.columns(stored(spec));
    expect(cells({ attachRequired: false, tokenRequests: [...TOKENS, { audience: "b" }] })).toEqual([
      ["AttachRequired", false],
      ["PodInfoOnMount", false],
      ["StorageCapacity", false],
      ["TokenRequests", "a,b"],
      ["RequiresRepublish", false],
      ["Modes", "Persistent"],
      ["Age", "0s"],
    ]);
    expect(cells({ volumeLifecycleModes: ["Ephemeral", "Persistent"] })).toContainEqual([
      "Modes",
      "Ephemeral,Persistent",
    ]);
    expect(cells({})).toContainEqual(["TokenRequests", "<unset>"]);
  });
});
