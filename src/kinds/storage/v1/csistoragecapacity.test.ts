import { describe, expect, test } from "vitest";
import { kubernetes, neutral } from "../../../meta/dialect.ts";
import { KindUnderTest, contextOf } from "../../../schema/testing/kind.ts";
import { storageGroup } from "./index.ts";

const CLASS = { storageClassName: "fast" };

describe.each([neutral, kubernetes])("CSIStorageCapacity in the $name dialect", (dialect) => {
  const capacity = KindUnderTest.of(storageGroup, "csistoragecapacities", contextOf(dialect));

  test("CAP-6, CAP-7, CAP-8, CAP-10: a class is enough, it need not exist, and all else may be absent", () => {
    const { object, causes } = capacity.create(CLASS);
    expect(causes).toEqual([]);
    expect(object).not.toHaveProperty("nodeTopology");
    expect(object).not.toHaveProperty("capacity");
    expect(object).not.toHaveProperty("maximumVolumeSize");
  });

  test("CAP-7, CAP-8, CAP-10: every field is kept, an empty selector too", () => {
    const full = {
      ...CLASS,
      capacity: "100Gi",
      maximumVolumeSize: "10Gi",
      nodeTopology: { matchLabels: { zone: "a" }, matchExpressions: [{ key: "x", operator: "Exists" }] },
    };
    expect(capacity.create(full)).toMatchObject({ causes: [], object: full });
    expect(capacity.create({ ...CLASS, nodeTopology: {} }).object).toHaveProperty("nodeTopology", {});
  });

  test.each([
    ["0", "0"],
    [0, "0"],
    ["1024Mi", "1Gi"],
    ["1.5Gi", "1536Mi"],
    ["0.5", "500m"],
  ])("CAP-12, DEC-9: a capacity of %s is %s", (sent, kept) => {
    expect(capacity.create({ ...CLASS, capacity: sent }).object["capacity"]).toBe(kept);
  });

  test("DEC-9: a malformed quantity does not fit", () => {
    expect(capacity.create({ ...CLASS, capacity: "1gb" }).mismatch).toBe("capacity");
  });

  test.each([
    ["CAP-3: no class", {}, "FieldValueInvalid storageClassName"],
    ["CAP-3: an empty class", { storageClassName: "" }, "FieldValueInvalid storageClassName"],
    ["CAP-4: a class that is no DNS subdomain", { storageClassName: "Bad_Name" }, "FieldValueInvalid storageClassName"],
    ["DEC-39: a negative capacity", { ...CLASS, capacity: "-1" }, "FieldValueInvalid capacity"],
    [
      "DEC-10: a selector that does not make sense",
      { ...CLASS, nodeTopology: { matchExpressions: [{ key: "a", operator: "In" }] } },
      "FieldValueRequired nodeTopology.matchExpressions[0].values",
    ],
  ])("%s is refused", (_, body, cause) => {
    expect(capacity.create(body).causes).toEqual([cause]);
  });

  test("DEC-39: only the documents refuse a negative maximumVolumeSize", () => {
    const { causes } = capacity.create({ ...CLASS, maximumVolumeSize: "-1Gi" });
    expect(causes).toEqual(dialect === neutral ? ["FieldValueInvalid maximumVolumeSize"] : []);
  });

  test("CAP-5, CAP-11: the class and the topology are immutable, none and an empty one are two things", () => {
    const { object } = capacity.create({ ...CLASS, nodeTopology: {} });
    expect(capacity.update(object, { storageClassName: "slow", nodeTopology: {} }).causes).toEqual([
      "FieldValueInvalid storageClassName",
    ]);
    expect(capacity.update(object, CLASS).causes).toEqual(["FieldValueInvalid nodeTopology"]);
    expect(capacity.update(capacity.create(CLASS).object, { ...CLASS, nodeTopology: {} }).causes).toEqual([
      "FieldValueInvalid nodeTopology",
    ]);
  });

  test("CAP-7, CAP-8: the sizes can change", () => {
    const { object } = capacity.create({ ...CLASS, nodeTopology: {}, capacity: "1Gi" });
    const body = { ...CLASS, nodeTopology: {}, capacity: "2Gi", maximumVolumeSize: "1Gi" };
    expect(capacity.update(object, body)).toMatchObject({ causes: [], object: body });
  });

  test("old keys of node labels are warned about", () => {
    const old = `failure-domain.beta.${dialect.labelDomain}/zone`;
    const nodeTopology = {
      matchLabels: { [old]: "a", zone: "b" },
      matchExpressions: [{ key: old, operator: "Exists" }],
    };
    expect(capacity.create({ ...CLASS, nodeTopology }).warnings).toEqual([
      expect.stringContaining("nodeTopology.matchExpressions[0].key"),
      expect.stringContaining(`topology.${dialect.labelDomain}/zone`),
    ]);
  });
});
