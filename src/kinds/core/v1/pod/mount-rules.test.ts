import { describe, expect, test } from "vitest";
import { Pods } from "../testing/pods.ts";
import { benches } from "../testing/volumes.ts";

const VOLUMES = [
  { name: "v", emptyDir: {} },
  { name: "w", hostPath: {} },
  { name: "p", persistentVolumeClaim: { claimName: "p" } },
  {
    name: "e",
    ephemeral: {
      volumeClaimTemplate: { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1" } } } },
    },
  },
];

describe.each(benches.map((bench) => [bench.dialect.name, new Pods(bench)] as const))("mounts, %s", (_name, pods) => {
  const { strict } = pods;
  const seen = (members: object, spec: object = {}) =>
    pods
      .container(members, { volumes: VOLUMES, ...spec })
      .filter((cause) => cause !== "Required volumes[1].hostPath.path");
  const mounts = (...volumeMounts: object[]) => seen({ volumeMounts });
  const devices = (...volumeDevices: object[]) => seen({ volumeDevices });
  const M = { name: "v", mountPath: "/v" };
  const D = { name: "p", devicePath: "/d" };
  /** Kubernetes blames the list for some members of an entry. */
  const at = strict ? "volumeMounts" : "volumeMounts[0]";

  test.each([
    [[M, { name: "p", mountPath: "rel" }], []],
    [[{ name: "z", mountPath: "/v" }], ["NotFound volumeMounts[0].name"]],
    [[{ name: "w", mountPath: "/v" }], ["NotFound volumeMounts[0].name"]],
    [[{ mountPath: "/v" }], ["NotFound volumeMounts[0].name", "Required volumeMounts[0].name"]],
    [[{ name: "v" }], ["Required volumeMounts[0].mountPath"]],
    [[M, { ...M, name: "p" }], ["Invalid volumeMounts[1].mountPath"]],
    [[{ ...M, subPath: "a", subPathExpr: "b" }], ["Invalid volumeMounts[0].subPathExpr"]],
    [[{ ...M, subPath: "/a" }], [`Invalid ${at}.subPath`]],
    [[{ ...M, subPath: "a/../b" }], [`Invalid ${at}.subPath`]],
    [[{ ...M, subPath: "a..b" }], []],
    [[{ ...M, subPathExpr: "../$(A)" }], [`Invalid ${at}.subPathExpr`]],
    [[{ ...M, mountPropagation: "HostToContainer" }], []],
    [[{ ...M, mountPropagation: "Sideways" }], [`NotSupported ${at}.mountPropagation`]],
    [[{ ...M, mountPropagation: "Bidirectional" }], [`Forbidden ${at}.mountPropagation`]],
    [[{ ...M, recursiveReadOnly: "Enabled", readOnly: true }], []],
    [[{ ...M, recursiveReadOnly: "Disabled" }], []],
    [[{ ...M, recursiveReadOnly: "IfPossible" }], [`Forbidden ${at}.recursiveReadOnly`]],
    [
      [{ ...M, recursiveReadOnly: "Enabled", readOnly: true, mountPropagation: "HostToContainer" }],
      [`Forbidden ${at}.recursiveReadOnly`],
    ],
    [[{ ...M, recursiveReadOnly: "Maybe" }], [`NotSupported ${at}.recursiveReadOnly`]],
  ])("KIND-PodSpec-15: the mounts %j", (volumeMounts, expected) => {
    expect(mounts(...volumeMounts)).toEqual(expected);
  });

  test("KIND-PodSpec-15: Bidirectional only in privileged containers", () => {
    const volumeMounts = [{ ...M, mountPropagation: "Bidirectional" }];
    expect(seen({ volumeMounts, securityContext: { privileged: true } })).toEqual([]);
    expect(seen({ volumeMounts, securityContext: { privileged: false } })).toEqual([
      `Forbidden ${at}.mountPropagation`,
    ]);
  });

  test("KIND-PodSpec-15: a ':' in a path is refused by the documents, not by Kubernetes", () => {
    expect(mounts({ name: "v", mountPath: "C:\\v" })).toEqual(strict ? [] : ["Invalid volumeMounts[0].mountPath"]);
  });

  test.each([
    [[D, { name: "e", devicePath: "/e" }], []],
    [[{ name: "z", devicePath: "/d" }], ["NotFound volumeDevices[0].name"]],
    [[{ name: "v", devicePath: "/d" }], ["Invalid volumeDevices[0].name"]],
    [[{ devicePath: "/d" }], ["NotFound volumeDevices[0].name", "Required volumeDevices[0].name"]],
    [[{ name: "p" }], ["Required volumeDevices[0].devicePath"]],
    [[D, { ...D, devicePath: "/e" }], ["Invalid volumeDevices[1].name"]],
    [[D, { ...D, name: "e" }], ["Invalid volumeDevices[1].devicePath"]],
    [[{ ...D, devicePath: "/a/../b" }], ["Invalid volumeDevices[0].devicePath"]],
  ])("KIND-PodSpec-15: the devices %j", (volumeDevices, expected) => {
    expect(devices(...volumeDevices)).toEqual(expected);
  });

  test("KIND-PodSpec-15: what is a device is not mounted as well, nor is anything mounted where it is", () => {
    expect(seen({ volumeDevices: [D], volumeMounts: [{ name: "p", mountPath: "/d" }] })).toEqual([
      "Invalid volumeDevices[0].devicePath",
      "Invalid volumeDevices[0].name",
      "Invalid volumeMounts[0].mountPath",
      "Invalid volumeMounts[0].name",
    ]);
  });

  test("KIND-PodSpec-15: a Pod with users of its own has no devices", () => {
    expect(seen({ volumeDevices: [D] }, { hostUsers: false })).toEqual(["Forbidden volumeDevices"]);
    expect(seen({ volumeDevices: [D] }, { hostUsers: true })).toEqual([]);
  });
});
