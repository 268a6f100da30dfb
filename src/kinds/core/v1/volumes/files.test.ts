import { describe, expect, test } from "vitest";
import { type Bench, benches, wrong } from "../testing/volumes.ts";

const NAME = { fieldRef: { fieldPath: "metadata.name" } };
const READ_NAME = { fieldRef: { apiVersion: "v1", fieldPath: "metadata.name" } };

/** Paths of files, and whether they stay inside the volume. */
const PATHS: readonly (readonly [path: string, cause: string])[] = [
  ["/a", "Invalid"],
  ["..", "Invalid"],
  ["../a", "Invalid"],
  ["a/../b", "Invalid"],
  ["..a", "Invalid"],
  ["", "Required"],
  ["a..b", ""],
  ["a/.b", ""],
];

describe.each(benches.map((bench) => [bench.dialect.name, bench] as const))("files, %s", (name, bench: Bench) => {
  const strict = name === "kubernetes";
  // Kubernetes names the volume where a file of the downward API is wrong.
  const file = strict ? "" : "items[0].";

  test.each([
    ["VOL-6, LIM-16: configMap", { configMap: { name: "c" } }, { name: "c", defaultMode: 420 }],
    [
      "VOL-5: configMap optional",
      { configMap: { name: "c", optional: false, defaultMode: 0 } },
      { name: "c", optional: false, defaultMode: 0 },
    ],
    [
      "VOL-7, PROJ-5: configMap items",
      { configMap: { name: "c", items: [{ key: "k", path: "p" }] } },
      { name: "c", defaultMode: 420, items: [{ key: "k", path: "p" }] },
    ],
    [
      "VOL-11, DEC-51: secret",
      { secret: { secretName: "s", optional: true } },
      { secretName: "s", optional: true, defaultMode: 420 },
    ],
    ["VOL-14: downwardAPI", { downwardAPI: {} }, { defaultMode: 420 }],
    [
      "VOL-15, DEC-45: downwardAPI items",
      { downwardAPI: { items: [{ path: "p", ...NAME, mode: 511 }] } },
      { defaultMode: 420, items: [{ path: "p", ...READ_NAME, mode: 511 }] },
    ],
    [
      "DEC-45: divisors",
      { downwardAPI: { items: [{ path: "p", resourceFieldRef: { containerName: "c", resource: "limits.cpu" } }] } },
      {
        defaultMode: 420,
        items: [{ path: "p", resourceFieldRef: { containerName: "c", resource: "limits.cpu", divisor: "0" } }],
      },
    ],
  ])("%s reads back", (_rule, source, expected) => {
    expect(bench.inline(source).causes).toEqual([]);
    expect(bench.readInline(source)).toEqual(expected);
  });

  test("VOL-4, VOL-13, AMB-29: names may be empty by the documents only", () => {
    expect(wrong(bench.inline({ configMap: {} }), "spec.volumes[0].")).toEqual(
      strict ? ["Required configMap.name"] : [],
    );
    expect(wrong(bench.inline({ secret: {} }), "spec.volumes[0].")).toEqual(
      strict ? ["Required secret.secretName"] : [],
    );
  });

  test.each([
    [-1, false],
    [0, true],
    [511, true],
    [512, false],
  ])("LIM-14, PROJ-4, PROJ-9: the mode %d", (mode, fine) => {
    const expected = (field: string) => (fine ? [] : [`Invalid ${field}`]);
    const at = "spec.volumes[0].";
    const items = [{ key: "k", path: "p", mode }];
    expect(wrong(bench.inline({ configMap: { name: "c", defaultMode: mode } }), at)).toEqual(
      expected("configMap.defaultMode"),
    );
    expect(wrong(bench.inline({ secret: { secretName: "s", defaultMode: mode } }), at)).toEqual(
      expected("secret.defaultMode"),
    );
    expect(wrong(bench.inline({ downwardAPI: { defaultMode: mode } }), at)).toEqual(
      expected("downwardAPI.defaultMode"),
    );
    expect(wrong(bench.inline({ projected: { defaultMode: mode } }), at)).toEqual(expected("projected.defaultMode"));
    expect(wrong(bench.inline({ configMap: { name: "c", items } }), at)).toEqual(expected("configMap.items[0].mode"));
    const files = [{ path: "p", mode, ...NAME }];
    expect(wrong(bench.inline({ downwardAPI: { items: files } }), at)).toEqual(expected(`downwardAPI.${file}mode`));
  });

  test("LIM-15: JSON modes are decimal numbers", () => {
    expect(bench.inline({ configMap: { name: "c", defaultMode: "0644" } }).mismatch).toBeDefined();
  });

  test.each(PATHS)("PROJ-2, PROJ-3, PROJ-6: the path '%s'", (path, cause) => {
    const expected = (field: string) => (cause ? [`${cause} ${field}`] : []);
    const at = "spec.volumes[0].";
    const keys = bench.inline({ secret: { secretName: "s", items: [{ key: "k", path }] } });
    expect(wrong(keys, at)).toEqual(expected("secret.items[0].path"));
    expect(wrong(bench.inline({ downwardAPI: { items: [{ path, ...NAME }] } }), at)).toEqual(
      expected(`downwardAPI.${file}path`),
    );
  });

  test("PROJ-1, PROJ-2: key and path are required", () => {
    const outcome = bench.inline({ configMap: { name: "c", items: [{}] } });
    expect(wrong(outcome, "spec.volumes[0].configMap.")).toEqual(["Required items[0].key", "Required items[0].path"]);
  });

  test.each([
    ["metadata.annotations", []],
    ["metadata.labels", []],
    ["metadata.namespace", []],
    ["metadata.uid", []],
    ["metadata.labels['example.com/a']", []],
    ["metadata.annotations['Example.com/A']", []],
    ["metadata.labels['a b']", ["Invalid fieldRef"]],
    ["spec.nodeName", ["NotSupported fieldRef.fieldPath"]],
    ["spec.other", strict ? ["Invalid fieldRef.fieldPath"] : ["NotSupported fieldRef.fieldPath"]],
    ["spec['a']", ["Invalid fieldRef.fieldPath"]],
    ["", ["Required fieldRef.fieldPath"]],
  ])("PROJ-7, DEC-53: the member '%s'", (fieldPath, expected) => {
    const outcome = bench.inline({ downwardAPI: { items: [{ path: "p", fieldRef: { fieldPath } }] } });
    expect(wrong(outcome, `spec.volumes[0].downwardAPI.${file}`)).toEqual(expected);
  });

  test.each([
    [{ containerName: "c", resource: "requests.memory", divisor: "1Mi" }, []],
    [{ containerName: "c", resource: "limits.hugepages-2Mi" }, []],
    [{ containerName: "c", resource: "requests.ephemeral-storage" }, []],
    [{ containerName: "c", resource: "limits.gpu" }, ["NotSupported resourceFieldRef.resource"]],
    [{ resource: "limits.cpu" }, ["Required resourceFieldRef.containerName"]],
    [{ containerName: "c" }, ["Required resourceFieldRef.resource"]],
    [{ containerName: "c", resource: "limits.cpu", divisor: "2" }, strict ? ["Invalid resourceFieldRef.divisor"] : []],
  ])("PROJ-8, AMB-30: the resource %o", (resourceFieldRef, expected) => {
    const outcome = bench.inline({ downwardAPI: { items: [{ path: "p", resourceFieldRef }] } });
    expect(wrong(outcome, `spec.volumes[0].downwardAPI.${file}`)).toEqual(expected);
  });

  test("PROJ-6: a file has one of two contents", () => {
    const both = { path: "p", ...NAME, resourceFieldRef: { containerName: "c", resource: "limits.cpu" } };
    const at = strict ? "downwardAPI" : "downwardAPI.items[0]";
    expect(wrong(bench.inline({ downwardAPI: { items: [both] } }), "spec.volumes[0].")).toEqual([`Invalid ${at}`]);
    expect(wrong(bench.inline({ downwardAPI: { items: [{ path: "p" }] } }), "spec.volumes[0].")).toEqual([
      `Required ${at}`,
    ]);
  });

  test("files that hide one another are reported in Warnings", () => {
    const items = ["a", "a/b", "b", "b/", "ab"].map((path) => ({ key: "k", path }));
    expect(bench.inline({ configMap: { name: "c", items } }).warnings).toHaveLength(2);
  });
});
