import { describe, expect, test } from "vitest";
import { kubernetes, neutral } from "../../../meta/dialect.ts";
import type { Outcome } from "../../../schema/testing/kind.ts";
import { Bench, benches, wrong } from "./testing/volumes.ts";

const SPEC = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
const CLAIM = { kind: "PersistentVolumeClaim", name: "src" };
const CUSTOM = { apiGroup: "example.com", kind: "Populator", name: "src" };

const specOf = (outcome: Outcome): Record<string, unknown> => outcome.object["spec"] as Record<string, unknown>;

describe.each(benches.map((bench) => [bench.dialect.name, bench] as const))(
  "PersistentVolumeClaim, %s",
  (name, bench) => {
    const strict = name === "kubernetes";
    const { pvc } = bench;
    const create = (spec: object): Outcome => pvc.create({ spec: { ...SPEC, ...spec } });
    const stored = (spec: object = {}, status: object = {}) => {
      const { object } = create(spec);
      object["status"] = { phase: "Pending", ...status };
      return object;
    };
    const changed = (spec: object, status: object, to: object) =>
      wrong(pvc.change(stored(spec, status), { spec: { ...SPEC, ...spec, ...to } }), "");
    const status = (body: object) => pvc.update(stored(), { spec: SPEC, status: body }, "status");
    const snapshot = { apiGroup: `snapshot.storage.${bench.dialect.domain}`, kind: "VolumeSnapshot", name: "src" };

    test("PVC-6, PVC-40, PVC-49, DEC-56: a new claim is a file system and pending", () => {
      const { object, causes, warnings } = pvc.create({ spec: SPEC, status: { phase: "Bound" } });
      expect({ causes, warnings }).toEqual({ causes: [], warnings: [] });
      expect(object["spec"]).toEqual({ ...SPEC, volumeMode: "Filesystem" });
      expect(object["status"]).toEqual({ phase: "Pending" });
    });

    test("POL-3: only Kubernetes requires access modes and a size", () => {
      expect(wrong(pvc.create({}), "")).toEqual(
        strict ? ["Required spec.accessModes", "Required spec.resources[storage]"] : [],
      );
    });

    test.each([
      ["PVC-5: volume modes", { volumeMode: "block" }, ["NotSupported spec.volumeMode"]],
      ["PVC-5: an empty volume mode", { volumeMode: "" }, ["NotSupported spec.volumeMode"]],
      ["DEC-43: access modes", { accessModes: ["Other"] }, ["NotSupported spec.accessModes"]],
      [
        "DEC-39: ReadWriteOncePod alone",
        { accessModes: ["ReadWriteOncePod", "ReadOnlyMany"] },
        ["Forbidden spec.accessModes"],
      ],
      [
        "DEC-43: class names",
        { storageClassName: "A_b", volumeAttributesClassName: "A_b" },
        ["Invalid spec.storageClassName", "Invalid spec.volumeAttributesClassName"],
      ],
      ["DEC-43: selectors", { selector: { matchLabels: { "a b": "c" } } }, ["Invalid spec.selector.matchLabels"]],
      ["PVC-15, DEC-43: empty class names", { storageClassName: "", volumeAttributesClassName: "" }, []],
      ["DEC-43: any volume name", { volumeName: "Any Name" }, []],
    ])("%s", (_rule, spec, expected) => {
      expect(wrong(create(spec), "")).toEqual(expected);
    });

    test("DEC-8: sizes are above 0, other resources are not looked at", () => {
      const field = strict ? "spec.resources[storage]" : "spec.resources.requests[storage]";
      expect(wrong(create({ resources: { requests: { storage: "0" } } }), "")).toEqual([`Invalid ${field}`]);
      expect(wrong(create({ resources: { requests: { storage: "1", foo: "-1" } } }), "")).toEqual([]);
    });

    test("DEC-8, DEC-9: sizes are rounded to thousandths, and fractions are reported in a Warning", () => {
      const outcome = create({ resources: { requests: { storage: "1.00001" }, limits: { storage: "2Gi" } } });
      expect(specOf(outcome)["resources"]).toEqual({ requests: { storage: "1001m" }, limits: { storage: "2Gi" } });
      expect(outcome.warnings).toHaveLength(1);
    });

    describe("data sources", () => {
      test.each([
        ["PVC-7, PVC-23: a claim", { dataSource: CLAIM }, CLAIM],
        ["PVC-7, PVC-23: a snapshot", { dataSource: snapshot }, snapshot],
        ["PVC-9, PVC-23: a claim in dataSourceRef", { dataSourceRef: CLAIM }, CLAIM],
        ["PVC-9, PVC-23, PVC-27: any kind in dataSourceRef", { dataSourceRef: CUSTOM }, CUSTOM],
        ["PVC-24: both and equal", { dataSource: CUSTOM, dataSourceRef: CUSTOM }, CUSTOM],
        ["DEC-7: the empty group is kept", { dataSource: { ...CLAIM, apiGroup: "" } }, { ...CLAIM, apiGroup: "" }],
      ])("%s is in both members", (_rule, spec, reference) => {
        const outcome = create(spec);
        const expected = strict ? { apiGroup: null, ...reference } : reference;
        expect(outcome.causes).toEqual([]);
        expect(specOf(outcome)).toMatchObject({ dataSource: expected, dataSourceRef: expected });
      });

      test("PVC-26: other kinds in dataSource alone are dropped without a word", () => {
        for (const dataSource of [CUSTOM, { kind: "Pod", name: "p" }, { ...snapshot, apiGroup: "" }]) {
          const outcome = create({ dataSource });
          expect(outcome).toMatchObject({ causes: [], warnings: [] });
          expect(specOf(outcome)).toEqual({ ...SPEC, volumeMode: "Filesystem" });
        }
      });

      test.each([
        ["PVC-9, PVC-20, PVC-27: a core kind", { kind: "Pod", name: "p" }, [""]],
        ["PVC-20: a third-party kind without group", { kind: "VolumeSnapshot", name: "s" }, [""]],
        ["PVC-18: no kind", { apiGroup: "a.b", name: "s" }, [".kind"]],
        ["PVC-19: no name", { kind: "PersistentVolumeClaim" }, [".name"]],
        ["DEC-7: a bad group", { apiGroup: "A_b", kind: "K", name: "n" }, [".apiGroup"]],
      ])("%s is refused in both members", (_rule, dataSourceRef, members) => {
        const fields = wrong(create({ dataSourceRef }), "").map((cause) => cause.slice(cause.indexOf(" ") + 1));
        const expected = members.flatMap((member) => [`spec.dataSource${member}`, `spec.dataSourceRef${member}`]);
        expect(new Set(fields)).toEqual(new Set(expected));
      });

      test("DEC-7: the form of a group is not looked at where one was taken before, also one of no letters", () => {
        const { object } = create({ dataSource: { ...CLAIM, apiGroup: "" } });
        const later = bench.pvc.change(object, { spec: { ...SPEC, dataSourceRef: { ...CUSTOM, apiGroup: "A_b" } } });
        expect(later.causes.filter((cause) => cause.endsWith("apiGroup"))).toEqual([]);
      });

      test("PVC-24: both and different", () => {
        expect(wrong(create({ dataSource: CLAIM, dataSourceRef: CUSTOM }), "")).toEqual(["Invalid spec"]);
        expect(wrong(create({ dataSource: CLAIM, dataSourceRef: { ...CLAIM, apiGroup: "" } }), "")).toEqual([
          "Invalid spec",
        ]);
      });

      test("PVC-28: dataSource has no namespace", () => {
        expect(create({ dataSource: { ...CLAIM, namespace: "n" } }).unknown.join()).toContain("namespace");
      });

      test("PVC-25, PVC-29: a reference to another namespace stands alone", () => {
        const open = new Bench(bench.dialect, { CrossNamespaceVolumeDataSource: true });
        const reference = { ...CUSTOM, namespace: "other" };
        const outcome = open.pvc.create({ spec: { ...SPEC, dataSourceRef: reference } });
        expect(outcome.causes).toEqual([]);
        expect(specOf(outcome)["dataSourceRef"]).toEqual(reference);
        expect(specOf(outcome)).not.toHaveProperty("dataSource");
        const both = open.pvc.create({ spec: { ...SPEC, dataSource: CUSTOM, dataSourceRef: reference } });
        expect(wrong(both, "")).toEqual(["Invalid spec"]);
        const bad = open.pvc.create({ spec: { ...SPEC, dataSourceRef: { ...CUSTOM, namespace: "A_b" } } });
        expect(wrong(bad, "")).toEqual(["Invalid spec.dataSourceRef.namespace"]);
      });

      test("PVC-21, DEC-38: without the gate such a reference is dropped", () => {
        const outcome = create({ dataSourceRef: { ...CUSTOM, namespace: "n" } });
        expect(outcome.causes).toEqual([]);
        expect(specOf(outcome)).not.toHaveProperty("dataSourceRef");
        expect(outcome.warnings).toHaveLength(strict ? 0 : 1);
      });

      test("PVC-11, PVC-23: without AnyVolumeDataSource there is no dataSourceRef and no copy", () => {
        const closed = new Bench(bench.dialect, { AnyVolumeDataSource: false }).pvc;
        expect(specOf(closed.create({ spec: { ...SPEC, dataSourceRef: CUSTOM } }))).not.toHaveProperty("dataSourceRef");
        expect(specOf(closed.create({ spec: { ...SPEC, dataSource: CLAIM } }))).not.toHaveProperty("dataSourceRef");
      });

      test("DEC-38: a stored reference survives an update without the gate", () => {
        const open = new Bench(bench.dialect, { CrossNamespaceVolumeDataSource: true }).pvc;
        const { object } = open.create({ spec: { ...SPEC, dataSourceRef: { ...CUSTOM, namespace: "n" } } });
        expect(specOf(pvc.change(object, {}))["dataSourceRef"]).toMatchObject({ namespace: "n" });
      });
    });

    describe("changes", () => {
      const bound = { phase: "Bound", capacity: { storage: "10Gi" } };
      const size = (storage: string) => ({ resources: { requests: { storage } } });
      const frozen = (member: string) => [`Forbidden spec${strict ? "" : `.${member}`}`];

      test("PVC-3, PVC-4: a size may go down, but not to the capacity or below", () => {
        expect(changed(size("20Gi"), bound, size("15Gi"))).toEqual([]);
        expect(changed(size("20Gi"), bound, size("10Gi"))).toEqual(["Forbidden spec.resources.requests.storage"]);
        expect(changed(size("20Gi"), bound, size("5Gi"))).toEqual(["Forbidden spec.resources.requests.storage"]);
      });

      test("AMB-25: a raise and an unchanged size are not compared with the capacity", () => {
        expect(changed(size("5Gi"), bound, size("8Gi"))).toEqual([]);
        expect(changed(size("10Gi"), bound, { storageClassName: "a" })).toEqual([]);
        expect(changed(size("10Gi"), bound, size("10240Mi"))).toEqual([]);
      });

      test("AMB-25: without a recorded capacity any size above 0 will do", () => {
        expect(changed(size("5Gi"), { phase: "Bound" }, size("1Gi"))).toEqual([]);
        expect(changed(size("5Gi"), {}, size("1Gi"))).toEqual(strict ? ["Forbidden spec"] : []);
      });

      test.each([
        ["accessModes", ["ReadOnlyMany"]],
        ["selector", {}],
        ["dataSource", CLAIM],
      ])("DEC-39: %s stays on a bound claim", (member, value) => {
        const [first] = changed({}, bound, { [member]: value });
        expect(first).toBe(frozen(member)[0]);
      });

      test("DEC-39: the volume mode stays", () => {
        const expected = strict ? ["Forbidden spec", "Invalid volumeMode"] : ["Forbidden spec.volumeMode"];
        expect(changed({}, bound, { volumeMode: "Block" })).toEqual(expected);
        expect(changed({}, {}, { volumeMode: "Block" })).toEqual(strict ? expected : []);
      });

      test("PVC-14, DEC-39: the storage class is set once, and so is the volume", () => {
        expect(changed({}, {}, { storageClassName: "a", volumeName: "v" })).toEqual([]);
        expect(changed({ storageClassName: "a" }, {}, { storageClassName: "b" })).toEqual(frozen("storageClassName"));
        expect(changed({ storageClassName: "" }, {}, { storageClassName: "b" })).toEqual(frozen("storageClassName"));
        expect(changed({ volumeName: "v" }, {}, { volumeName: "w" })).toEqual(frozen("volumeName"));
        expect(changed({ volumeName: "v" }, {}, { volumeName: null })).toEqual(frozen("volumeName"));
      });

      test("PVC-14: the attributes class of a bound claim can change", () => {
        const member = "volumeAttributesClassName";
        expect(changed({ [member]: "a" }, bound, { [member]: "b" })).toEqual([]);
        expect(changed({}, bound, { [member]: "b" })).toEqual([]);
        expect(changed({ [member]: "a" }, {}, { [member]: "b" })).toEqual(strict ? ["Forbidden spec"] : []);
      });

      test("PVC-17, AMB-23: it can be taken back while none was applied", () => {
        const member = "volumeAttributesClassName";
        const applied = { ...bound, currentVolumeAttributesClassName: "a" };
        for (const none of [null, ""]) {
          expect(changed({ [member]: "b" }, bound, { [member]: none })).toEqual([]);
          expect(changed({ [member]: "b" }, applied, { [member]: none })).toEqual([`Forbidden spec.${member}`]);
        }
        expect(changed({ [member]: "b" }, applied, { [member]: "a" })).toEqual([]);
      });

      test("DEC-33: a status on the item path is ignored, and so is a spec on the status path", () => {
        const old = stored();
        expect(pvc.change(old, { status: { phase: "Bound" } }).object["status"]).toEqual({ phase: "Pending" });
        const outcome = pvc.update(
          old,
          { metadata: { name: "x", labels: { a: "b" } }, spec: { volumeName: "v" }, status: { phase: "Bound" } },
          "status",
        );
        expect(outcome.object).toMatchObject({
          spec: old["spec"],
          status: { phase: "Bound" },
          metadata: { labels: { a: "b" } },
        });
      });

      test("the old annotation of the class may become the member, but not change", () => {
        const key = `volume.beta.${bench.dialect.labelDomain}/storage-class`;
        const old = stored();
        old.metadata.annotations = { [key]: "a" };
        expect(pvc.change(old, { spec: { ...SPEC, storageClassName: "a" } }).causes).toEqual([]);
        expect(pvc.change(old, {}).warnings).toHaveLength(1);
        const other = pvc.change(old, { metadata: { ...old.metadata, annotations: { [key]: "b" } } });
        expect(wrong(other, "")).toEqual(strict ? [`Invalid metadata.annotations.${key}`] : []);
      });
    });

    describe("status", () => {
      test("PVC-31..33, PVC-44..48, PVC-52, DEC-42: every member round-trips", () => {
        const time = "2024-01-02T03:04:05Z";
        const body = {
          phase: "Bound",
          accessModes: ["ReadWriteOnce"],
          capacity: { storage: "1Gi" },
          allocatedResources: { storage: "2Gi", "example.com/x": "1" },
          allocatedResourceStatuses: { storage: "NodeResizePending" },
          conditions: [
            {
              type: "Resizing",
              status: "True",
              lastProbeTime: time,
              lastTransitionTime: time,
              reason: "Resizing",
              message: "m",
            },
          ],
          currentVolumeAttributesClassName: "a",
          modifyVolumeStatus: { status: "InProgress", targetVolumeAttributesClassName: "b" },
        };
        expect(status(body)).toMatchObject({ causes: [], object: { status: body } });
      });

      test("DEC-56: an empty phase is Pending", () => {
        expect(status({ phase: "" }).object["status"]).toEqual({ phase: "Pending" });
        expect(wrong(status({ phase: "Other" }), "")).toEqual(strict ? [] : ["NotSupported status.phase"]);
      });

      const known = "example.com/x";
      test.each([
        ["storage", []],
        [known, []],
        ["foo", ["NotSupported"]],
        ["requests.storage", ["NotSupported"]],
        ["kubernetes.io/foo", ["NotSupported"]],
        ["a.kubernetes.io/foo", ["NotSupported"]],
        ["svc.io/foo", strict ? [] : ["NotSupported"]],
        ["a.k8s.io/foo", strict ? [] : ["NotSupported"]],
        ["bad key", ["Invalid"]],
      ])("PVC-36, PVC-37, PVC-39, DEC-61: the resource key '%s'", (key, reasons) => {
        const causes = (field: string) => reasons.map((reason) => `${reason} status.${field}`);
        expect(wrong(status({ allocatedResources: { [key]: "1" } }), "")).toEqual(causes("allocatedResources"));
        expect(wrong(status({ allocatedResourceStatuses: { [key]: "NodeResizePending" } }), "")).toEqual(
          causes("allocatedResourceStatuses"),
        );
      });

      test("PVC-39, RSZ-1, AMB-47: resize states have the names of the documents, or those of Kubernetes", () => {
        const state = (text: string) => status({ allocatedResourceStatuses: { storage: text } }).causes.length === 0;
        for (const text of ["ControllerResizeInProgress", "NodeResizePending", "NodeResizeInProgress"]) {
          expect(state(text)).toBe(true);
        }
        for (const side of ["Controller", "Node"]) {
          expect(state(`${side}ResizeFailed`)).toBe(!strict);
          expect(state(`${side}ResizeInfeasible`)).toBe(strict);
        }
        expect(state("")).toBe(false);
      });

      test("resources of a status are not negative", () => {
        const outcome = status({ capacity: { storage: "-1" }, allocatedResources: { storage: "-1" } });
        expect(wrong(outcome, "status.")).toEqual(["Invalid allocatedResources[storage]", "Invalid capacity[storage]"]);
      });

      test("DEC-42, AMB-31, AMB-42: conditions have a type and a status, each type once", () => {
        const outcome = status({ conditions: [{}, { type: "A", status: "Maybe" }, { type: "A", status: "True" }] });
        const expected = [
          "Duplicate conditions[2].type",
          "NotSupported conditions[1].status",
          "Required conditions[0].status",
          "Required conditions[0].type",
        ];
        expect(wrong(outcome, "status.")).toEqual(strict ? [] : expected);
      });

      test("DEC-42: Kubernetes prints unset times of a condition as null", () => {
        const { object } = status({ conditions: [{ type: "A", status: "True" }] });
        const times = strict ? { lastProbeTime: null, lastTransitionTime: null } : {};
        expect(object["status"]).toEqual({ phase: "Pending", conditions: [{ type: "A", status: "True", ...times }] });
      });

      test("PVC-50, DEC-59: the status of a modification", () => {
        const field = "Required status.modifyVolumeStatus.status";
        expect(wrong(status({ modifyVolumeStatus: {} }), "")).toEqual(strict ? [] : [field]);
        const other = status({ modifyVolumeStatus: { status: "Other" } });
        expect(wrong(other, "")).toEqual(strict ? [] : ["NotSupported status.modifyVolumeStatus.status"]);
      });
    });

    test("kubectl get pvc -o wide shows nine columns", () => {
      const object = stored(
        { volumeName: "v", storageClassName: "fast" },
        { phase: "Bound", accessModes: ["ReadOnlyMany", "ReadWriteOnce"], capacity: { storage: "2Gi" } },
      );
      expect(pvc.definition.columns?.map(({ name: column, priority = 0 }) => [column, priority])).toEqual([
        ["Status", 0],
        ["Volume", 0],
        ["Capacity", 0],
        ["Access Modes", 0],
        ["StorageClass", 0],
        ["VolumeAttributesClass", 0],
        ["Age", 0],
        ["VolumeMode", 1],
      ]);
      expect(pvc.cells(object)).toEqual(["Bound", "v", "2Gi", "RWO,ROX", "fast", "<unset>", "0s", "Filesystem"]);
      expect(pvc.cells(stored()).slice(0, 4)).toEqual(["Pending", "", "", ""]);
    });
  },
);

test("PVC-12, PVC-13, AMB-8: by default the gate VolumeAttributesClass is off in the neutral dialect", () => {
  const spec = { ...SPEC, volumeAttributesClassName: "gold" };
  const off = new Bench(neutral, {}).pvc;
  const outcome = off.create({ spec });
  expect(outcome.object["spec"]).not.toHaveProperty("volumeAttributesClassName");
  expect(outcome.warnings).toEqual([expect.stringContaining("VolumeAttributesClass")]);
  expect(new Bench(kubernetes, {}).pvc.create({ spec }).object["spec"]).toMatchObject({
    volumeAttributesClassName: "gold",
  });
  const old = off.create({ spec: SPEC }).object;
  const body = {
    spec: SPEC,
    status: { currentVolumeAttributesClassName: "a", modifyVolumeStatus: { status: "Pending" } },
  };
  expect(off.update(old, body, "status").object["status"]).toEqual({ phase: "Pending" });
});
