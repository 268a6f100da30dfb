import { describe, expect, test } from "vitest";
import { kubernetes, neutral } from "../../../meta/dialect.ts";
import { KindUnderTest, contextOf } from "../../../schema/testing/kind.ts";
import { storageGroup } from "./index.ts";

const BASE = { provisioner: "p.example.com" };
const term = (key: string, ...values: string[]) => ({ matchLabelExpressions: [{ key, values }] });

describe.each([neutral, kubernetes])("StorageClass in the $name dialect", (dialect) => {
  const storageClass = KindUnderTest.of(storageGroup, "storageclasses", contextOf(dialect));
  const strict = dialect === kubernetes;

  test.each([
    ["nothing else", {}],
    ["null", { reclaimPolicy: null, volumeBindingMode: null }],
  ])("SC-12, SC-14: with %s the policy and the binding mode get their defaults", (_, extra) => {
    const { object, causes } = storageClass.create({ ...BASE, ...extra });
    expect(causes).toEqual([]);
    expect(object).toMatchObject({ ...BASE, reclaimPolicy: "Delete", volumeBindingMode: "Immediate" });
  });

  test("SC-9, SC-10, SC-11: every field is kept, mount options unread", () => {
    const full = {
      provisioner: "example.com/Disk",
      parameters: { "a b": "1", "ä/ö": "" },
      reclaimPolicy: "Retain",
      mountOptions: ["discard", "no such option"],
      allowVolumeExpansion: false,
      volumeBindingMode: "WaitForFirstConsumer",
      allowedTopologies: [term("example.com/zone", "a", "b"), term("rack", "1")],
    };
    expect(storageClass.create(full)).toMatchObject({ causes: [], warnings: [], object: full });
  });

  test("POL-3, AMB-49: the provisioner is required only by Kubernetes", () => {
    for (const body of [{}, { provisioner: "" }, { provisioner: null }]) {
      expect(storageClass.create(body).causes).toEqual(strict ? ["FieldValueRequired provisioner"] : []);
    }
  });

  test("SC-13, AMB-46: Recycle is a policy of the documents only, and so is the closed set without an empty text", () => {
    const causes = (reclaimPolicy: string) => storageClass.create({ ...BASE, reclaimPolicy }).causes;
    const refused = ["FieldValueNotSupported reclaimPolicy"];
    expect(causes("Delete")).toEqual([]);
    expect(causes("Retain")).toEqual([]);
    expect(causes("Recycle")).toEqual(strict ? refused : []);
    expect(causes("")).toEqual(strict ? [] : refused);
    expect(causes("retain")).toEqual(refused);
  });

  test("SC-15, SC-16, SC-17: the binding mode takes two values", () => {
    const causes = (volumeBindingMode: string) => storageClass.create({ ...BASE, volumeBindingMode }).causes;
    expect([causes("Immediate"), causes("WaitForFirstConsumer")]).toEqual([[], []]);
    for (const mode of ["", "immediate", "Later"]) {
      expect(causes(mode)).toEqual(["FieldValueNotSupported volumeBindingMode"]);
    }
  });

  test.each([
    ["DEC-40: a provisioner that is no qualified name", { provisioner: "a b" }, "FieldValueInvalid provisioner"],
    ["DEC-40: an empty key", { parameters: { "": "x", a: "b" } }, "FieldValueInvalid parameters"],
    ["DEC-40: 262145 bytes", { parameters: { a: "x".repeat(262144) } }, "FieldValueTooLong parameters"],
    [
      "DEC-40: 513 parameters",
      { parameters: Object.fromEntries(Array.from({ length: 513 }, (_, i) => [`k${i}`, ""])) },
      "FieldValueTooLong parameters",
    ],
    [
      "SC-8: no values",
      { allowedTopologies: [term("zone")] },
      "FieldValueRequired allowedTopologies[0].matchLabelExpressions[0].values",
    ],
    [
      "SC-7: no key",
      { allowedTopologies: [{ matchLabelExpressions: [{ values: ["a"] }] }] },
      "FieldValueInvalid allowedTopologies[0].matchLabelExpressions[0].key",
    ],
    [
      "DEC-39: a value that stands there twice",
      { allowedTopologies: [term("zone", "a", "a")] },
      "FieldValueDuplicate allowedTopologies[0].matchLabelExpressions[0].values[1]",
    ],
    [
      "DEC-39: a key that stands there twice",
      {
        allowedTopologies: [
          {
            matchLabelExpressions: [
              ...term("zone", "a").matchLabelExpressions,
              ...term("zone", "b").matchLabelExpressions,
            ],
          },
        ],
      },
      "FieldValueDuplicate allowedTopologies[0].matchLabelExpressions[1].key",
    ],
    [
      "DEC-39: a term that says the same in another order",
      { allowedTopologies: [term("zone", "a", "b"), term("rack", "1"), term("zone", "b", "a")] },
      "FieldValueDuplicate allowedTopologies[2].matchLabelExpressions",
    ],
    [
      "SC-20: a second empty term",
      { allowedTopologies: [term("rack", "1"), {}, {}] },
      "FieldValueDuplicate allowedTopologies[2].matchLabelExpressions",
    ],
  ])("%s is refused", (_, extra, cause) => {
    expect(storageClass.create({ ...BASE, ...extra }).causes).toContain(cause);
    const old = storageClass.create(BASE).object;
    expect(storageClass.update(old, { ...BASE, ...extra }).causes).toContain(cause);
  });

  test("DEC-39: of two expressions for one label, the last counts when terms are compared", () => {
    const [zone, other] = [term("zone", "a"), term("zone", "b")].map(({ matchLabelExpressions: [one] }) => one);
    const twice = { allowedTopologies: [{ matchLabelExpressions: [other, zone] }, term("zone", "a")] };
    expect(storageClass.create({ ...BASE, ...twice }).causes).toEqual([
      "FieldValueDuplicate allowedTopologies[0].matchLabelExpressions[1].key",
      "FieldValueDuplicate allowedTopologies[1].matchLabelExpressions",
    ]);
  });

  test("AMB-52: parameters that are sent empty and were not there are a change for Kubernetes", () => {
    const { object } = storageClass.create(BASE);
    expect(storageClass.update(object, { ...BASE, parameters: {} }).causes).toEqual(
      strict ? ["FieldValueForbidden parameters"] : [],
    );
  });

  test("DEC-40: 262144 bytes in 512 parameters are accepted", () => {
    const parameters = Object.fromEntries(
      Array.from({ length: 512 }, (_, i) => [String(i).padStart(3, "0"), "x".repeat(509)]),
    );
    expect(storageClass.create({ ...BASE, parameters }).causes).toEqual([]);
  });

  test("SC-20: a single empty term is accepted by the documents, Kubernetes takes it for a repetition", () => {
    const { causes } = storageClass.create({ ...BASE, allowedTopologies: [{}] });
    expect(causes).toEqual(strict ? ["FieldValueDuplicate allowedTopologies[0].matchLabelExpressions"] : []);
  });

  test("SC-4: an empty list of topologies is none", () => {
    expect(storageClass.create({ ...BASE, allowedTopologies: [] }).object).not.toHaveProperty("allowedTopologies");
  });

  test("AMB-52: mountOptions, allowVolumeExpansion and allowedTopologies can change", () => {
    const { object } = storageClass.create({ ...BASE, mountOptions: ["ro"], allowVolumeExpansion: true });
    const body = { ...BASE, allowVolumeExpansion: false, allowedTopologies: [term("zone", "a")] };
    const changed = storageClass.update(object, body);
    expect(changed).toMatchObject({ causes: [], object: body });
    expect(changed.object).not.toHaveProperty("mountOptions");
  });

  test("AMB-52: only Kubernetes freezes provisioner, parameters, reclaimPolicy and volumeBindingMode", () => {
    const { object } = storageClass.create({ ...BASE, parameters: { a: "1" }, reclaimPolicy: "Retain" });
    const put = (body: object) =>
      storageClass.update(object, { ...BASE, parameters: { a: "1" }, reclaimPolicy: "Retain", ...body });
    const frozen = (...causes: string[]) => (strict ? causes : []);
    expect(put({}).causes).toEqual([]);
    expect(put({ parameters: null }).causes).toEqual(frozen("FieldValueForbidden parameters"));
    expect(put({ provisioner: "other" }).causes).toEqual(frozen("FieldValueForbidden provisioner"));
    expect(put({ reclaimPolicy: "Delete" }).causes).toEqual(frozen("FieldValueForbidden reclaimPolicy"));
    expect(put({ volumeBindingMode: "WaitForFirstConsumer" }).causes).toEqual(
      frozen("FieldValueInvalid volumeBindingMode"),
    );
  });

  test("SC-5, SC-18, DEC-38: without VolumeScheduling topologies and binding mode are dropped, unless they are stored", () => {
    const off = KindUnderTest.of(storageGroup, "storageclasses", contextOf(dialect, { VolumeScheduling: false }));
    const body = { ...BASE, volumeBindingMode: "WaitForFirstConsumer", allowedTopologies: [term("zone", "a")] };
    const { object, warnings } = off.create(body);
    expect(object).not.toHaveProperty("volumeBindingMode");
    expect(object).not.toHaveProperty("allowedTopologies");
    expect(warnings.filter((text) => text.includes("VolumeScheduling"))).toHaveLength(strict ? 0 : 2);
    expect(off.create(BASE).object).not.toHaveProperty("volumeBindingMode");
    expect(off.update(storageClass.create(body).object, body).object).toMatchObject(body);
  });

  test("old keys of node labels are warned about", () => {
    const allowedTopologies = [term("zone", "a"), term(`beta.${dialect.labelDomain}/arch`, "x")];
    expect(storageClass.create({ ...BASE, allowedTopologies }).warnings).toEqual([
      expect.stringMatching(/^allowedTopologies\[1\]\.matchLabelExpressions\[0\]\.key: /),
    ]);
  });

  test.each(["is-default-class", "beta"])("DEC-40: the default class is marked behind its name (%s)", (form) => {
    const key =
      form === "beta"
        ? `storageclass.beta.${dialect.labelDomain}/is-default-class`
        : `storageclass.${dialect.labelDomain}/${form}`;
    const cells = (annotations: object) =>
      storageClass.cells(storageClass.create({ ...BASE, metadata: { name: "x", annotations } }).object);
    expect(cells({ [key]: "true" })).toEqual(["x (default)", BASE.provisioner, "Delete", "Immediate", false, "0s"]);
    expect(cells({ [key]: "yes" })[0]).toBe("x");
  });
});
