import { describe, expect, test } from "vitest";
import { kubernetes, neutral } from "../../../meta/dialect.ts";
import { KindUnderTest, contextOf } from "../../../schema/testing/kind.ts";
import { resourceClaimTemplate } from "./resourceclaimtemplate.ts";
import { R } from "./testing/claims.ts";

describe.each([neutral, kubernetes])("a ResourceClaimTemplate in the $name dialect", (dialect) => {
  const kindOf = (labels: Record<string, string> = {}, gates: Parameters<typeof contextOf>[1] = {}) => {
    const ctx = { ...contextOf(dialect, gates), namespaceLabels: () => labels };
    return new KindUnderTest(resourceClaimTemplate, ctx);
  };
  const kind = kindOf();
  const create = (devices: object, metadata: object = {}, of = kind) =>
    of.create({ spec: { metadata, spec: { devices } } });
  const asked = (members: object) => ({ requests: [{ name: "r", exactly: { ...R.exactly, ...members } }] });

  test("KIND-ResourceClaimTemplate-1: claims have labels and annotations, and ask for one device by default", () => {
    const metadata = { labels: { l: "1" }, annotations: { a: "b" } };
    const made = create({ requests: [R] }, metadata);
    expect(made).toMatchObject({ causes: [], unknown: [] });
    expect(made.object["spec"]).toEqual({
      metadata,
      spec: { devices: asked({ allocationMode: "ExactCount", count: 1 }) },
    });
    expect(create({ requests: [R] }, { name: "x", labels: { a: "b c" }, annotations: { "a b": "" } }).causes).toEqual([
      "FieldValueForbidden spec.metadata.name",
      "FieldValueInvalid spec.metadata.annotations",
      "FieldValueInvalid spec.metadata.labels",
    ]);
  });

  test("KIND-ResourceClaimTemplate-1: it is checked as a claim", () => {
    expect(create({ requests: [{ name: "A" }] }).causes).toEqual([
      "FieldValueInvalid spec.spec.devices.requests[0].name",
      "FieldValueRequired spec.spec.devices.requests[0]",
    ]);
    expect(create(asked({ selectors: [{ cel: { expression: "1" } }] })).causes).toEqual([
      "FieldValueInvalid spec.spec.devices.requests[0].exactly.selectors[0].cel.expression",
    ]);
    expect(kind.create({ spec: {} }).causes).toEqual([]);
  });

  test("KIND-ResourceClaimTemplate-1: the spec stays, and is checked again", () => {
    const { object } = create({ requests: [R] });
    const metadata = { ...object.metadata, labels: { a: "b" } };
    expect(kind.change(object, { metadata })).toMatchObject({
      causes: [],
      object: { metadata: { labels: { a: "b" } } },
    });
    const change = (members: object) => kind.change(object, { spec: { spec: { devices: asked(members) } } }).causes;
    expect(change({ count: 3 })).toEqual(["FieldValueInvalid spec"]);
    expect(change({ count: -1, selectors: [{ cel: { expression: "1" } }] })).toEqual([
      "FieldValueInvalid spec",
      "FieldValueInvalid spec.spec.devices.requests[0].exactly.count",
      "FieldValueInvalid spec.spec.devices.requests[0].exactly.selectors[0].cel.expression",
    ]);
  });

  test("metadata of claims holds labels and annotations only; for Kubernetes lists that are sent empty are there", () => {
    const body = { spec: { metadata: { finalizers: [] }, spec: {} } };
    expect(kind.create(body).causes).toEqual(
      dialect.rules.enforceUndocumented ? ["FieldValueForbidden spec.metadata.finalizers"] : [],
    );
  });

  test("access to devices that others have wants a namespace that is marked for it", () => {
    const devices = asked({ adminAccess: true });
    expect(create(devices).causes).toEqual(["FieldValueForbidden spec.devices.requests[0].adminAccess"]);
    const marked = kindOf({ [`resource.${dialect.labelDomain}/admin-access`]: "true" });
    expect(create(devices, {}, marked).causes).toEqual([]);
  });

  test("KIND-All-23: what belongs to features that are off is dropped, unless it is there", () => {
    const devices = asked({ tolerations: [{ key: "k", operator: "Exists" }] });
    const made = create(devices);
    expect(made.causes).toEqual([]);
    expect(JSON.stringify(made.object["spec"])).not.toContain("tolerations");
    expect(made.warnings).toHaveLength(dialect === neutral ? 1 : 0);
    const stored = create(devices, {}, kindOf({}, { DRADeviceTaints: true })).object;
    expect(kind.change(stored, {})).toMatchObject({ causes: [], object: { spec: stored["spec"] } });
  });
});
