import { describe, expect, test } from "vitest";
import { C, Pods } from "../testing/pods.ts";
import { Bench, benches } from "../testing/volumes.ts";

describe.each(benches.map((bench) => [bench.dialect.name, new Pods(bench)] as const))("security, %s", (_name, pods) => {
  const { strict } = pods;
  const ofPod = (securityContext: object, spec: object = {}) =>
    pods.refused({ securityContext, ...spec }).map((cause) => cause.replace("securityContext.", ""));
  const ofContainer = (securityContext: object, spec: object = {}) =>
    pods.container({ securityContext }, spec).map((cause) => cause.replace(/securityContext\.?/, ""));

  const MAX_ID = 2 ** 31 - 1;

  test("KIND-PodSpec-9: ids are from 0 to 2147483647", () => {
    for (const member of ["runAsUser", "runAsGroup"]) {
      for (const id of [0, MAX_ID]) {
        expect(ofPod({ [member]: id })).toEqual([]);
        expect(ofContainer({ [member]: id })).toEqual([]);
      }
      for (const id of [-1, MAX_ID + 1]) {
        expect(ofPod({ [member]: id })).toEqual([`Invalid ${member}`]);
        expect(ofContainer({ [member]: id })).toEqual([`Invalid ${member}`]);
      }
    }
    expect(ofPod({ fsGroup: -1, supplementalGroups: [0, -1, MAX_ID + 1] })).toEqual([
      "Invalid fsGroup",
      "Invalid supplementalGroups[1]",
      "Invalid supplementalGroups[2]",
    ]);
  });

  test("KIND-PodSpec-9: who may do everything cannot be kept from getting more rights", () => {
    expect(ofContainer({ allowPrivilegeEscalation: false, privileged: true })).toEqual(["Invalid "]);
    expect(ofContainer({ allowPrivilegeEscalation: true, privileged: true })).toEqual([]);
    expect(ofContainer({ allowPrivilegeEscalation: false, capabilities: { add: ["CAP_SYS_ADMIN"] } })).toEqual([
      "Invalid ",
    ]);
    expect(ofContainer({ allowPrivilegeEscalation: false, capabilities: { add: ["SYS_ADMIN"] } })).toEqual([]);
    expect(ofContainer({ privileged: true })).toEqual([]);
  });

  test("KIND-PodSpec-9: procMount Unmasked wants hostUsers false", () => {
    expect(ofContainer({ procMount: "Default" })).toEqual([]);
    expect(ofContainer({ procMount: "Unmasked" })).toEqual(["Invalid procMount"]);
    expect(ofContainer({ procMount: "Unmasked" }, { hostUsers: true })).toEqual(["Invalid procMount"]);
    expect(ofContainer({ procMount: "Unmasked" }, { hostUsers: false })).toEqual([]);
    expect(ofContainer({ procMount: "Masked" })).toEqual(["NotSupported procMount"]);
  });

  test.each([
    [{ type: "RuntimeDefault" }, []],
    [{ type: "Unconfined" }, []],
    [{ type: "Localhost", localhostProfile: "a/b" }, []],
    [{}, ["Required .type"]],
    [{ type: "localhost" }, ["NotSupported .type"]],
    [{ type: "Localhost" }, ["Required .localhostProfile"]],
    [{ type: "Localhost", localhostProfile: "/a" }, ["Invalid .localhostProfile"]],
    [{ type: "Localhost", localhostProfile: "a/../b" }, ["Invalid .localhostProfile"]],
    [{ type: "Unconfined", localhostProfile: "a" }, ["Invalid .localhostProfile"]],
    [{ type: "x", localhostProfile: "a" }, ["Invalid .localhostProfile", "NotSupported .type"]],
  ])("KIND-PodSpec-9: the seccomp profile %j", (seccompProfile, expected) => {
    const causes = expected.map((cause) => cause.replace(" .", " seccompProfile."));
    expect(ofPod({ seccompProfile })).toEqual(causes);
    expect(ofContainer({ seccompProfile })).toEqual(causes);
  });

  test.each([
    [{ type: "RuntimeDefault" }, []],
    [{ type: "Unconfined" }, []],
    [{ type: "Localhost", localhostProfile: "/a" }, []],
    [{}, ["Required .type"]],
    [{ type: "x", localhostProfile: "a" }, ["NotSupported .type"]],
    [{ type: "Localhost" }, ["Required .localhostProfile"]],
    [{ type: "Localhost", localhostProfile: "" }, ["Required .localhostProfile"]],
    [{ type: "Localhost", localhostProfile: " a" }, ["Invalid .localhostProfile"]],
    [{ type: "Localhost", localhostProfile: "a".repeat(4096) }, ["TooLong .localhostProfile"]],
    [{ type: "RuntimeDefault", localhostProfile: "a" }, ["Invalid .localhostProfile"]],
  ])("KIND-PodSpec-9: the AppArmor profile %j", (appArmorProfile, expected) => {
    const causes = expected.map((cause) => cause.replace(" .", " appArmorProfile."));
    expect(ofPod({ appArmorProfile })).toEqual(causes);
    expect(ofContainer({ appArmorProfile })).toEqual(causes);
  });

  test.each([
    [["net.ipv4.tcp_syncookies", "net/ipv4/conf/eth0.1/x", "a"], {}, []],
    [["a", "a"], {}, ["Duplicate sysctls[1].name"]],
    [
      ["", "A", "a..b", "-a", "a".repeat(254)],
      {},
      [
        "Invalid sysctls[1].name",
        "Invalid sysctls[2].name",
        "Invalid sysctls[3].name",
        "Invalid sysctls[4].name",
        "Required sysctls[0].name",
      ],
    ],
    [
      ["net.a", "net/a.b", "a.net", "kernel.sem"],
      { hostNetwork: true },
      ["Invalid sysctls[0].name", "Invalid sysctls[1].name"],
    ],
    [
      ["kernel.sem", "kernel.shm_rmid_forced", "fs/mqueue/a", "kernel.pid_max", "net.a"],
      { hostIPC: true },
      ["Invalid sysctls[0].name", "Invalid sysctls[1].name", "Invalid sysctls[2].name"],
    ],
  ])("KIND-PodSpec-9: the kernel's parameters %j beside %j", (names, spec, expected) => {
    expect(ofPod({ sysctls: names.map((name) => ({ name, value: "1" })) }, spec)).toEqual(expected);
  });

  test("KIND-PodSpec-9: policies are one of two words", () => {
    expect(
      ofPod({ fsGroupChangePolicy: "Always", supplementalGroupsPolicy: "Merge", seLinuxChangePolicy: "Recursive" }),
    ).toEqual([]);
    expect(ofPod({ fsGroupChangePolicy: "OnRootMismatch", supplementalGroupsPolicy: "Strict" })).toEqual([]);
    expect(ofPod({ fsGroupChangePolicy: "x", supplementalGroupsPolicy: "", seLinuxChangePolicy: "x" })).toEqual([
      "NotSupported fsGroupChangePolicy",
      "NotSupported seLinuxChangePolicy",
      "NotSupported supplementalGroupsPolicy",
    ]);
  });

  test("KIND-PodSpec-9, KIND-All-23: MountOption belongs to a feature that Kubernetes has off", () => {
    const mountOption = { securityContext: { seLinuxChangePolicy: "MountOption" } };
    expect(pods.refused(mountOption)).toEqual(strict ? ["NotSupported securityContext.seLinuxChangePolicy"] : []);
    const { dialect } = benches.find((bench) => bench.dialect.name === _name)!;
    expect(new Pods(new Bench(dialect, { SELinuxMount: true })).refused(mountOption)).toEqual([]);
  });

  const host = { windowsOptions: { hostProcess: true } };
  const other = { windowsOptions: { hostProcess: false } };

  test.each([
    ["all containers by the Pod", { hostNetwork: true, securityContext: host }, []],
    ["all containers each", { hostNetwork: true, containers: [{ ...C, securityContext: host }] }, []],
    ["no network of the node", { securityContext: host }, ["Invalid hostNetwork"]],
    [
      "one of two containers",
      {
        hostNetwork: true,
        containers: [
          { ...C, securityContext: host },
          { ...C, name: "d" },
        ],
      },
      ["Invalid spec"],
    ],
    [
      "none of its init containers",
      { hostNetwork: true, containers: [{ ...C, securityContext: host }], initContainers: [{ ...C, name: "i" }] },
      ["Invalid spec"],
    ],
    [
      "another word in a container",
      { hostNetwork: true, securityContext: host, containers: [{ ...C, securityContext: other }] },
      ["Invalid containers[0].securityContext.windowsOptions.hostProcess"],
    ],
    ["nothing of the kind", { securityContext: other }, []],
  ])("KIND-PodSpec-9: hostProcess with %s", (_what, spec, expected) => {
    expect(pods.refused(spec)).toEqual(expected);
  });

  test("KIND-PodSpec-9: options of windows have their forms", () => {
    const options = (windowsOptions: object) =>
      ofContainer({ windowsOptions }).map((cause) => cause.replace("windowsOptions.", ""));
    expect(options({ gmsaCredentialSpecName: "a.b", gmsaCredentialSpec: "{}", runAsUserName: "D\\u" })).toEqual([]);
    expect(options({ gmsaCredentialSpecName: "A", gmsaCredentialSpec: "", runAsUserName: "" })).toEqual([
      "Invalid gmsaCredentialSpec",
      "Invalid gmsaCredentialSpecName",
      "Invalid runAsUserName",
    ]);
    expect(options({ gmsaCredentialSpec: "x".repeat(65_537) })).toEqual(["Invalid gmsaCredentialSpec"]);
    const names = ["a b", "example.com\\user", "DOM_1\\user", "x".repeat(104)];
    for (const runAsUserName of names) expect(options({ runAsUserName })).toEqual([]);
    const wrong = [
      "a\tb",
      "a\\b\\c",
      "\\b",
      "a\\",
      ".b\\c",
      `${"d".repeat(256)}\\u`,
      "..",
      "x".repeat(105),
      "a@b",
      "a/b",
    ];
    for (const runAsUserName of wrong) expect(options({ runAsUserName })).toEqual(["Invalid runAsUserName"]);
  });
});
