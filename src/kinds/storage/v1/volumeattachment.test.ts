import { describe, expect, test } from "vitest";
import { kubernetes, neutral } from "../../../meta/dialect.ts";
import { KindUnderTest, contextOf } from "../../../schema/testing/kind.ts";
import { storageGroup } from "./index.ts";

const INLINE = { accessModes: ["ReadWriteOnce"], csi: { driver: "a.example.com", volumeHandle: "h" } };
const SPEC = { attacher: "a.example.com", nodeName: "node-1", source: { persistentVolumeName: "pv-1" } };
const WHEN = "2024-01-02T03:04:05Z";

describe.each([neutral, kubernetes])("VolumeAttachment in the $name dialect", (dialect) => {
  const attachment = KindUnderTest.of(storageGroup, "volumeattachments", contextOf(dialect));
  const { object: stored } = attachment.create({ spec: SPEC });
  const status = (value: object | null, old = stored) =>
    attachment.update(old, { spec: SPEC, status: value }, "status");

  test("VA-5, VA-8: a minimal object is kept and is not attached", () => {
    expect(attachment.create({ spec: SPEC })).toMatchObject({ causes: [], object: { spec: SPEC } });
    expect(stored["status"]).toEqual({ attached: false });
  });

  test("VA-7, DEC-33: a status in a create or in a write of the object is ignored", () => {
    const sent = { spec: SPEC, status: { attached: true, attachmentMetadata: { a: "b" } } };
    expect(attachment.create(sent).object["status"]).toEqual({ attached: false });
    const attached = status({ attached: true }).object;
    expect(attachment.update(attached, { spec: SPEC, status: { attached: false } }).object["status"]).toEqual({
      attached: true,
    });
  });

  test.each([
    ["VA-2: no attacher", { ...SPEC, attacher: undefined }, ["FieldValueRequired spec.attacher"]],
    ["VA-3: no node", { ...SPEC, nodeName: undefined }, ["FieldValueInvalid spec.nodeName"]],
    ["VA-3: a node that is no DNS subdomain", { ...SPEC, nodeName: "a_b" }, ["FieldValueInvalid spec.nodeName"]],
    ["VA-4: no source", { ...SPEC, source: undefined }, ["FieldValueRequired spec.source"]],
    ["VA-4: an empty source", { ...SPEC, source: {} }, ["FieldValueRequired spec.source"]],
    [
      "VA-4: both sources",
      { ...SPEC, source: { ...SPEC.source, inlineVolumeSpec: INLINE } },
      ["FieldValueForbidden spec.source"],
    ],
    [
      "VA-5: an empty volume name",
      { ...SPEC, source: { persistentVolumeName: "" } },
      ["FieldValueInvalid spec.source.persistentVolumeName", "FieldValueRequired spec.source.persistentVolumeName"],
    ],
    [
      "VA-5: a volume name that is no DNS subdomain",
      { ...SPEC, source: { persistentVolumeName: "Bad_Name" } },
      ["FieldValueInvalid spec.source.persistentVolumeName"],
    ],
    ["DEC-39: an attacher of 64 bytes", { ...SPEC, attacher: "a".repeat(64) }, ["FieldValueTooLong spec.attacher"]],
    ["DEC-39: an attacher with a slash", { ...SPEC, attacher: "a/b" }, ["FieldValueInvalid spec.attacher"]],
    [
      "ERR-5: no spec",
      undefined,
      ["FieldValueInvalid spec.nodeName", "FieldValueRequired spec.attacher", "FieldValueRequired spec.source"],
    ],
  ])("%s is refused", (_, spec, causes) => {
    expect(attachment.create({ ...(spec && { spec: JSON.parse(JSON.stringify(spec)) as object }) }).causes).toEqual(
      causes,
    );
  });

  test("DEC-39: an attacher may have capitals", () => {
    expect(attachment.create({ spec: { ...SPEC, attacher: "Upper.Example.COM" } }).causes).toEqual([]);
  });

  test("VA-6, DEC-44: an inline volume is kept as it was sent, without defaults", () => {
    const spec = { ...SPEC, source: { inlineVolumeSpec: INLINE } };
    const { object, causes } = attachment.create({ spec });
    expect(causes).toEqual([]);
    expect(object["spec"]).toEqual(spec);
  });

  test("VA-6, DEC-44: a local inline volume lacks nodes and may not name them; Kubernetes looks at no class of attributes", () => {
    const inlineVolumeSpec = {
      accessModes: ["ReadWriteOnce"],
      local: { path: "/a" },
      volumeAttributesClassName: "A b",
    };
    const { causes } = attachment.create({ spec: { ...SPEC, source: { inlineVolumeSpec } } });
    const at = "spec.source.inlineVolumeSpec";
    expect(causes).toEqual(
      dialect.rules.enforceUndocumented
        ? [`FieldValueRequired ${at}.csi`, `FieldValueRequired ${at}.nodeAffinity`]
        : [`FieldValueInvalid ${at}.volumeAttributesClassName`],
    );
  });

  test("VA-6: without CSIMigration an inline volume is no source", () => {
    const off = KindUnderTest.of(storageGroup, "volumeattachments", contextOf(dialect, { CSIMigration: false }));
    const { causes, warnings } = off.create({ spec: { ...SPEC, source: { inlineVolumeSpec: INLINE } } });
    expect(causes).toEqual(["FieldValueRequired spec.source"]);
    expect(warnings).toHaveLength(dialect.rules.warnDroppedFields ? 1 : 0);
  });

  test("DEC-39: the spec is immutable", () => {
    const { causes } = attachment.update(stored, { spec: { ...SPEC, nodeName: "node-2" } });
    expect(causes).toEqual(["FieldValueInvalid spec"]);
    expect(attachment.update(stored, { spec: SPEC }).causes).toEqual([]);
  });

  test("VA-16: a write of the status attaches and tells how", () => {
    const value = { attached: true, attachmentMetadata: { dev: "/dev/x" } };
    expect(status(value).object["status"]).toEqual(value);
  });

  test("VA-9, VA-11, VA-12, VA-15, VA-17, VA-18: errors have a time, a message and a code", () => {
    const error = { time: WHEN, message: "no room", errorCode: 8 };
    const value = { attached: false, attachError: error, detachError: { ...error, errorCode: 0 } };
    expect(status(value)).toMatchObject({ causes: [], object: { status: value } });
  });

  test("VA-15: an error without a time has none, or null where typed clients print it", () => {
    const { object } = status({ attachError: {} });
    expect(object["status"]).toEqual({
      attached: false,
      attachError: dialect.rules.printUnsetAsNull ? { time: null } : {},
    });
  });

  test.each([
    ["null", null],
    ["an empty status", {}],
    ["attached of null", { attached: null }],
  ])("VA-8, AMB-43: %s means not attached", (_, value) => {
    expect(status(value).object["status"]).toEqual({ attached: false });
  });

  test.each([
    ["a negative errorCode", { attachError: { errorCode: -1 } }, "FieldValueInvalid status.attachError.errorCode"],
    [
      "a message of 1025 bytes",
      { detachError: { message: `ä${"x".repeat(1023)}` } },
      "FieldValueTooLong status.detachError.message",
    ],
    [
      "262145 bytes of metadata",
      { attachmentMetadata: { a: "x".repeat(262144) } },
      "FieldValueTooLong status.attachmentMetadata",
    ],
  ])("DEC-39: %s is refused", (_, value, cause) => {
    expect(status(value).causes).toEqual([cause]);
  });

  test.each([
    ["a message of 1024 bytes", { detachError: { message: "x".repeat(1024) } }],
    ["262144 bytes of metadata", { attachmentMetadata: { a: "x".repeat(262143) } }],
  ])("DEC-39: %s is accepted", (_, value) => {
    expect(status(value).causes).toEqual([]);
  });

  test("DEC-33: a write of the status changes neither spec nor metadata, and the stored object stays as it is", () => {
    const metadata = { name: "x", labels: { a: "1" }, finalizers: ["example.com/f"] };
    const { object: old } = attachment.create({ metadata, spec: SPEC });
    const before = structuredClone(old);
    const sent = {
      metadata: { name: "x", labels: { a: "2" }, annotations: { b: "c" } },
      spec: { nodeName: "other" },
      status: { attached: true },
    };
    const { object, causes } = attachment.update(old, sent, "status");
    expect(causes).toEqual([]);
    expect(object).toMatchObject({ metadata, spec: SPEC, status: { attached: true } });
    expect(object.metadata).not.toHaveProperty("annotations");
    expect(old).toEqual(before);
  });

  test("VA-13, DEC-38: an error code is dropped where its gate is off, unless one is stored", () => {
    const off = KindUnderTest.of(
      storageGroup,
      "volumeattachments",
      contextOf(dialect, { MutableCSINodeAllocatableCount: false }),
    );
    const value = { attached: false, attachError: { time: WHEN, errorCode: 8 } };
    const { object, warnings } = off.update(stored, { spec: SPEC, status: value }, "status");
    expect(object["status"]).toEqual({ attached: false, attachError: { time: WHEN } });
    expect(warnings).toHaveLength(dialect.rules.warnDroppedFields ? 1 : 0);
    const again = off.update(
      status(value).object,
      { spec: SPEC, status: { attachError: { time: WHEN, errorCode: 9 } } },
      "status",
    );
    expect(again.object).toMatchObject({ status: { attachError: { errorCode: 9 } } });
  });

  test("the columns are those of kubectl get", () => {
    const cells = (spec: object) => attachment.columns(attachment.create({ spec }).object);
    expect(cells(SPEC)).toEqual([
      ["Name", "x"],
      ["Attacher", "a.example.com"],
      ["PV", "pv-1"],
      ["Node", "node-1"],
      ["Attached", false],
      ["Age", "0s"],
    ]);
    expect(cells({ ...SPEC, source: { inlineVolumeSpec: INLINE } })).toContainEqual(["PV", ""]);
  });
});
