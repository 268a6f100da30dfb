import { describe, expect, test } from "vitest";
import { type Bench, benches, wrong } from "../testing/volumes.ts";

const SPEC = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
const AT = "spec.volumes[0].ephemeral.volumeClaimTemplate";

const ephemeral = (template: object | null) => ({ ephemeral: { volumeClaimTemplate: template } });

describe.each(benches.map((bench) => [bench.dialect.name, bench] as const))("ephemeral, %s", (name, bench: Bench) => {
  const strict = name === "kubernetes";

  test.each([
    ["VOL-27: no template", null, ["Required "]],
    [
      "VOL-28: no spec",
      {},
      strict ? ["Required .spec.accessModes", "Required .spec.resources[storage]"] : ["Required .spec"],
    ],
    [
      "VOL-28: a spec that no claim may have",
      { spec: { ...SPEC, volumeMode: "Other" } },
      ["NotSupported .spec.volumeMode"],
    ],
    ["VOL-30: a name", { metadata: { name: "x" }, spec: SPEC }, ["Forbidden .metadata.name"]],
    [
      "VOL-30: a uid",
      { metadata: { uid: "x" }, spec: SPEC },
      [strict ? "Forbidden .metadata.uID" : "Forbidden .metadata.uid"],
    ],
    [
      "VOL-30: finalizers and owners",
      {
        metadata: { finalizers: ["a.b/c"], ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "p", uid: "u" }] },
        spec: SPEC,
      },
      ["Forbidden .metadata.finalizers", "Forbidden .metadata.ownerReferences"],
    ],
    [
      "VOL-29: bad labels",
      { metadata: { labels: { "a b": "c", d: "e f" } }, spec: SPEC },
      ["Invalid .metadata.labels"],
    ],
    [
      "VOL-29: bad annotations",
      { metadata: { annotations: { "a b": "c" } }, spec: SPEC },
      ["Invalid .metadata.annotations"],
    ],
    [
      "VOL-28: two data sources",
      {
        spec: {
          ...SPEC,
          dataSource: { kind: "PersistentVolumeClaim", name: "a" },
          dataSourceRef: { kind: "PersistentVolumeClaim", name: "b" },
        },
      },
      ["Invalid .spec"],
    ],
  ])("%s is refused or taken", (_rule, template, expected) => {
    expect(wrong(bench.inline(ephemeral(template)), AT)).toEqual(expected);
  });

  test("VOL-28, VOL-29: the template is kept as it is, with the default mode and without copies", () => {
    const dataSource = { apiGroup: "example.com", kind: "Populator", name: "p" };
    const metadata = { labels: { a: "b" }, annotations: { "c.d/e": "f" } };
    expect(bench.readInline(ephemeral({ metadata, spec: { ...SPEC, dataSource } }))).toEqual(
      ephemeral({ metadata, spec: { ...SPEC, dataSource, volumeMode: "Filesystem" } }).ephemeral,
    );
    expect(bench.readInline(ephemeral({ spec: SPEC }))).toMatchObject({ volumeClaimTemplate: { metadata: {} } });
  });

  test("LIM-13, VOL-32: the name of the claim must be one that a claim can have", () => {
    expect(bench.inline(ephemeral({ spec: SPEC }), "p".repeat(251)).causes).toEqual([]);
    expect(wrong(bench.inline(ephemeral({ spec: SPEC }), "p".repeat(252)), "spec.volumes")).toEqual([
      "Invalid [0].name",
    ]);
  });

  test("DEC-49: a claim that is made for the Pod is not named beside", () => {
    const claim = { name: "w", persistentVolumeClaim: { claimName: "x-v" } };
    expect(wrong(bench.pods([claim, { name: "v", ...ephemeral({ spec: SPEC }) }]), "spec.volumes")).toEqual([
      "Invalid [0].persistentVolumeClaim.claimName",
    ]);
  });

  test("DEC-8: a fraction of a byte is reported in a Warning", () => {
    const spec = { ...SPEC, resources: { requests: { storage: "1.5" } } };
    expect(bench.inline(ephemeral({ spec })).warnings).toHaveLength(1);
  });
});
