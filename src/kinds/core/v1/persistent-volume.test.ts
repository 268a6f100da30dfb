import { describe, expect, test } from "vitest";
import { neutral } from "../../../meta/dialect.ts";
import { FieldErrors } from "../../../meta/field-errors.ts";
import { contextOf } from "../../../schema/testing/kind.ts";
import { validateInlineVolumeSpec } from "./persistent-volume-spec.ts";
import { Bench, benches, wrong } from "./testing/volumes.ts";

const SPEC = { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"] };
const CSI = { csi: { driver: "d.example.com", volumeHandle: "h" } };
const PATH = { hostPath: { path: "/d" } };
const zone = (...values: string[]) => ({
  required: { nodeSelectorTerms: [{ matchExpressions: [{ key: "a", operator: "In", values }] }] },
});

describe.each(benches.map((bench) => [bench.dialect.name, bench] as const))("PersistentVolume, %s", (name, bench) => {
  const strict = name === "kubernetes";
  const { pv } = bench;
  const create = (spec: object) => pv.create({ spec: { ...SPEC, ...PATH, ...spec } });
  const changed = (spec: object, to: object, phase = "Pending") => {
    const { object } = create(spec);
    object["status"] = { phase };
    return wrong(pv.change(object, { spec: { ...SPEC, ...PATH, ...spec, ...to } }), "");
  };
  const terms = (nodeSelectorTerms: unknown) =>
    wrong(create({ nodeAffinity: { required: { nodeSelectorTerms } } }), "spec.nodeAffinity.required.");

  test("PV-12, PV-21, PVP-9, DEC-44: a new volume is retained, a file system, and pending since now", () => {
    const { object } = pv.create({ spec: { ...SPEC, ...PATH }, status: { phase: "Bound", message: "m" } });
    expect(object["spec"]).toMatchObject({ persistentVolumeReclaimPolicy: "Retain", volumeMode: "Filesystem" });
    expect(object["status"]).toEqual({ phase: "Pending", lastPhaseTransitionTime: expect.stringMatching(/Z$/) });
  });

  test("POL-3: only Kubernetes requires capacity and access modes", () => {
    const expected = ["NotSupported spec.capacity", "Required spec.accessModes", "Required spec.capacity"];
    expect(wrong(pv.create({ spec: PATH }), "")).toEqual(strict ? expected : []);
  });

  test.each([
    ["DEC-44: no size", { capacity: { storage: "0" } }, ["Invalid spec.capacity[storage]"]],
    ["DEC-39: access modes", { accessModes: ["Other"] }, ["NotSupported spec.accessModes"]],
    [
      "DEC-39: ReadWriteOncePod alone",
      { accessModes: ["ReadWriteOncePod", "ReadWriteMany"] },
      ["Forbidden spec.accessModes"],
    ],
    [
      "PV-11: reclaim policies",
      { persistentVolumeReclaimPolicy: "retain" },
      ["NotSupported spec.persistentVolumeReclaimPolicy"],
    ],
    ["PV-11: Delete", { persistentVolumeReclaimPolicy: "Delete" }, []],
    ["PV-16: class names", { storageClassName: "A_b" }, ["Invalid spec.storageClassName"]],
    ["PV-16: no class", { storageClassName: "" }, []],
    ["PV-21: volume modes", { volumeMode: "" }, ["NotSupported spec.volumeMode"]],
    ["DEC-44: any mount options", { mountOptions: ["ro", "", "any thing"] }, []],
    ["DEC-6: any claimRef", { claimRef: { name: "Not A Name", resourceVersion: "1", fieldPath: "f" } }, []],
  ])("%s", (_rule, spec, expected) => {
    expect(wrong(create(spec), "")).toEqual(expected);
  });

  test("PV-15: Recycle is deprecated, and Kubernetes does not take it for the root directory", () => {
    const recycle = { persistentVolumeReclaimPolicy: "Recycle" };
    expect(create(recycle)).toMatchObject({ causes: [], warnings: [expect.any(String)] });
    for (const path of ["/", "//", "/.", "/a/.."]) {
      const causes = wrong(create({ ...recycle, hostPath: { path } }), "spec.");
      expect(causes.includes("Forbidden persistentVolumeReclaimPolicy")).toBe(strict);
    }
  });

  test("PV-17, PV-18: a VolumeAttributesClass is not empty", () => {
    const attributes = (volumeAttributesClassName: string, source: object = CSI) =>
      wrong(pv.create({ spec: { ...SPEC, ...source, volumeAttributesClassName } }), "spec.");
    expect(attributes("gold")).toEqual([]);
    expect(attributes("")).toEqual(["Required volumeAttributesClassName"]);
    expect(attributes("A_b")).toEqual(["Invalid volumeAttributesClassName"]);
    expect(attributes("gold", PATH)).toEqual(strict ? ["Required csi"] : []);
  });

  describe("nodeAffinity", () => {
    test("PV-6: terms are required", () => {
      expect(terms([])).toEqual(["Required nodeSelectorTerms"]);
      expect(wrong(create({ nodeAffinity: {} }), "")).toEqual(strict ? ["Required spec.nodeAffinity.required"] : []);
    });

    test("PV-8: an empty term is accepted", () => {
      expect(terms([{}, { matchExpressions: [] }])).toEqual([]);
    });

    test.each([
      [{ key: "a", operator: "In", values: ["x", "y"] }, []],
      [{ key: "a", operator: "Exists" }, []],
      [{ key: "a", operator: "Gt", values: ["x"] }, []],
      [{ key: "a", operator: "NotIn" }, ["Required values"]],
      [{ key: "a", operator: "DoesNotExist", values: ["x"] }, ["Forbidden values"]],
      [{ key: "a", operator: "Lt", values: ["1", "2"] }, ["Required values"]],
      [{ key: "a", operator: "Other" }, ["Invalid operator"]],
      [{ key: "a" }, ["Invalid operator"]],
      [{ operator: "Exists" }, ["Invalid key"]],
      [{ key: "a", operator: "In", values: ["b !"] }, ["Invalid values[0]"]],
    ])("PV-9, DEC-10: the expression %o", (expression, expected) => {
      const causes = terms([{ matchExpressions: [expression] }]);
      expect(causes.map((cause) => cause.replace("nodeSelectorTerms[0].matchExpressions[0].", ""))).toEqual(expected);
    });

    test.each([
      [{ key: "metadata.name", operator: "In", values: ["n"] }, []],
      [{ key: "spec.x", operator: "In", values: ["n"] }, ["Invalid key"]],
      [{ key: "metadata.name", operator: "Exists" }, ["Invalid operator"]],
      [{ key: "metadata.name", operator: "NotIn", values: ["a", "b"] }, ["Required values"]],
      [{ key: "metadata.name", operator: "In", values: ["A_b"] }, ["Invalid values[0]"]],
    ])("PV-10, DEC-10: the member %o", (requirement, expected) => {
      const causes = terms([{ matchFields: [requirement] }]);
      expect(causes.map((cause) => cause.replace("nodeSelectorTerms[0].matchFields[0].", ""))).toEqual(expected);
    });

    test("PV-4, AMB-26: it can be set once; more only with the gate", () => {
      const refused = [`Invalid ${strict ? "" : "spec."}nodeAffinity`];
      expect(changed({}, { nodeAffinity: zone("a") })).toEqual([]);
      expect(changed({ nodeAffinity: zone("a") }, { nodeAffinity: zone("b") })).toEqual(refused);
      expect(changed({ nodeAffinity: zone("a") }, { nodeAffinity: null })).toEqual(refused);
      const open = new Bench(bench.dialect, { MutablePVNodeAffinity: true }).pv;
      const { object } = open.create({ spec: { ...SPEC, ...PATH, nodeAffinity: zone("a") } });
      expect(open.change(object, { spec: { ...SPEC, ...PATH, nodeAffinity: zone("b") } }).causes).toEqual([]);
    });

    test("old labels of nodes may have their new names, and are reported in Warnings", () => {
      const domain = bench.dialect.labelDomain;
      const label = (key: string, value = "x") => ({
        nodeAffinity: {
          required: { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: "In", values: [value] }] }] },
        },
      });
      for (const [before, after] of [
        [`beta.${domain}/os`, `${domain}/os`],
        [`failure-domain.beta.${domain}/zone`, `topology.${domain}/zone`],
        [`beta.${domain}/instance-type`, `node.${domain}/instance-type`],
      ] as const) {
        expect(create(label(before)).warnings).toHaveLength(1);
        expect(changed(label(before), label(after))).toEqual([]);
        expect(changed(label(before), label(after, "y"))).toHaveLength(1);
        expect(changed(label(after), label(before))).toHaveLength(1);
      }
    });
  });

  describe("changes", () => {
    test("DEC-39: size, modes, policy, class and claimRef can change", () => {
      expect(
        changed(
          {},
          {
            capacity: { storage: "1Mi" },
            accessModes: ["ReadOnlyMany"],
            persistentVolumeReclaimPolicy: "Delete",
            storageClassName: "a",
            mountOptions: ["ro"],
            claimRef: { name: "c" },
          },
        ),
      ).toEqual([]);
    });

    test("DEC-39: what a volume is stays: always in Kubernetes, once it is bound by the documents", () => {
      const other = { hostPath: { path: "/other" } };
      const refused = [`Forbidden spec.${strict ? "persistentvolumesource" : "hostPath"}`];
      expect(changed({}, other)).toEqual(strict ? refused : []);
      expect(changed({}, other, "Bound")).toEqual(refused);
      expect(changed({ claimRef: { name: "c" } }, other)).toEqual(refused);
      expect(changed({}, { volumeMode: "Block" }, "Bound")).toEqual([`Invalid ${strict ? "" : "spec."}volumeMode`]);
    });

    test("DEC-39: a controllerExpandSecretRef may be set where there was none", () => {
      const secret = (secretName: string) => ({
        csi: { ...CSI.csi, controllerExpandSecretRef: { name: secretName, namespace: "n" } },
      });
      const from = (spec: object, to: object) => {
        const { object } = pv.create({ spec: { ...SPEC, ...spec } });
        object["status"] = { phase: "Bound" };
        return pv.change(object, { spec: { ...SPEC, ...to } }).causes.length === 0;
      };
      expect(from(CSI, secret("a"))).toBe(true);
      expect(from(secret("a"), secret("b"))).toBe(false);
      expect(from(secret("a"), CSI)).toBe(false);
    });

    test("PV-19: the attributes class can change; Kubernetes does not let go of it", () => {
      const attributes = (volumeAttributesClassName: string | null) => ({ ...SPEC, ...CSI, volumeAttributesClassName });
      const { object } = pv.create({ spec: attributes("a") });
      expect(pv.change(object, { spec: attributes("b") }).causes).toEqual([]);
      expect(wrong(pv.change(object, { spec: attributes(null) }), "spec.")).toEqual(
        strict ? ["Forbidden volumeAttributesClassName"] : [],
      );
    });
  });

  describe("status", () => {
    const old = () => {
      const { object } = create({});
      object["status"] = { phase: "Pending", lastPhaseTransitionTime: "2001-01-01T00:00:00Z" };
      return object;
    };
    const write = (status: object) => pv.update(old(), { spec: { ...SPEC }, status }, "status");
    const read = (status: object) => write(status).object["status"] as Record<string, string>;

    test("PV-23, PV-25, DEC-33: message and reason round-trip, the spec stays", () => {
      const outcome = write({ phase: "Failed", message: "m", reason: "R" });
      expect(outcome.object).toMatchObject({
        spec: old()["spec"],
        status: { phase: "Failed", message: "m", reason: "R" },
      });
    });

    test("PV-24, DEC-56: phases", () => {
      for (const phase of ["Available", "Bound", "Failed", "Pending", "Released"])
        expect(write({ phase }).causes).toEqual([]);
      expect(wrong(write({ phase: "Other" }), "")).toEqual(strict ? [] : ["NotSupported status.phase"]);
      expect(read({})["phase"]).toBe("Pending");
    });

    test("PV-22, PVP-10: a new phase has a new time, the same phase keeps it", () => {
      expect(read({ phase: "Bound" })["lastPhaseTransitionTime"]).not.toBe("2001-01-01T00:00:00Z");
      expect(
        read({ phase: "Bound", lastPhaseTransitionTime: "2001-01-01T00:00:00Z" })["lastPhaseTransitionTime"],
      ).not.toBe("2001-01-01T00:00:00Z");
      expect(read({ phase: "Pending" })["lastPhaseTransitionTime"]).toBe("2001-01-01T00:00:00Z");
    });

    test("DEC-57: Kubernetes takes the time of the client, by the documents it is the server's", () => {
      const sent = "2002-02-02T00:00:00Z";
      const moved = read({ phase: "Bound", lastPhaseTransitionTime: sent })["lastPhaseTransitionTime"];
      const same = read({ phase: "Pending", lastPhaseTransitionTime: sent })["lastPhaseTransitionTime"];
      expect([moved === sent, same === sent]).toEqual([strict, strict]);
    });
  });

  test("kubectl get pv -o wide shows eleven columns", () => {
    const { object } = create({
      claimRef: { namespace: "n", name: "c" },
      accessModes: ["ReadWriteMany"],
      storageClassName: "fast",
    });
    expect(pv.definition.columns?.map(({ name: column, priority = 0 }) => [column, priority])).toEqual([
      ["Capacity", 0],
      ["Access Modes", 0],
      ["Reclaim Policy", 0],
      ["Status", 0],
      ["Claim", 0],
      ["StorageClass", 0],
      ["VolumeAttributesClass", 0],
      ["Reason", 0],
      ["Age", 0],
      ["VolumeMode", 1],
    ]);
    expect(pv.cells(object)).toEqual([
      "1Gi",
      "RWX",
      "Retain",
      "Pending",
      "n/c",
      "fast",
      "<unset>",
      "",
      "0s",
      "Filesystem",
    ]);
    object.metadata.deletionTimestamp = "2001-01-01T00:00:00Z";
    expect(pv.cells(object)[3]).toBe("Terminating");
  });

  describe("inside a VolumeAttachment", () => {
    const inline = (spec: Record<string, unknown>): readonly string[] => {
      const errors = new FieldErrors();
      validateInlineVolumeSpec(spec, "i", errors, contextOf(bench.dialect));
      return errors.causes.map(({ reason, field }) => `${reason.replace("FieldValue", "")} ${field}`).toSorted();
    };

    test("VA-6: any converted source by the documents, csi in Kubernetes", () => {
      expect(inline({ accessModes: ["ReadWriteOnce"], ...CSI })).toEqual([]);
      expect(inline({ ...PATH })).toEqual(strict ? ["Required i.accessModes", "Required i.csi"] : []);
      expect(inline({ accessModes: ["ReadWriteOnce"] })).toEqual(
        strict ? ["Required i", "Required i.csi"] : ["Required i"],
      );
    });

    test("DEC-44: nothing about claims, nodes and classes", () => {
      const spec = { ...SPEC, ...CSI, claimRef: {}, nodeAffinity: zone("a"), storageClassName: "a" };
      expect(inline(spec)).toEqual(
        ["claimRef", "capacity", "nodeAffinity", "storageClassName"]
          .map((member) => `Forbidden i.${member}`)
          .toSorted(),
      );
    });

    test("DEC-39: Kubernetes wants Retain and a file system", () => {
      const spec = {
        accessModes: ["ReadWriteOnce"],
        ...CSI,
        persistentVolumeReclaimPolicy: "Delete",
        volumeMode: "Block",
      };
      expect(inline(spec)).toEqual(
        strict ? ["Forbidden i.persistentVolumeReclaimPolicy", "Forbidden i.volumeMode"] : [],
      );
    });
  });
});

test("PV-17, AMB-8: by default the class of a new volume is dropped in the neutral dialect", () => {
  const outcome = new Bench(neutral, {}).pv.create({ spec: { ...CSI, volumeAttributesClassName: "gold" } });
  expect(outcome.object["spec"]).not.toHaveProperty("volumeAttributesClassName");
  expect(outcome.warnings).toEqual([expect.stringContaining("VolumeAttributesClass")]);
});
