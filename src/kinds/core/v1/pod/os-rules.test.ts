import { describe, expect, test } from "vitest";
import { C, Pods } from "../testing/pods.ts";
import { benches } from "../testing/volumes.ts";

describe.each(benches.map((bench) => [bench.dialect.name, new Pods(bench)] as const))("os, %s", (_name, pods) => {
  test("KIND-PodSpec-10: linux or windows, required where there is an os", () => {
    expect(pods.refused({ os: { name: "linux" } })).toEqual([]);
    expect(pods.refused({ os: { name: "windows" } })).toEqual([]);
    expect(pods.refused({ os: {} })).toEqual(["Required os.name"]);
    expect(pods.refused({ os: { name: "Linux" } })).toEqual([pods.strict ? "NotSupported os" : "NotSupported os.name"]);
  });

  test("KIND-PodSpec-10: linux has no options of windows", () => {
    const securityContext = { windowsOptions: {} };
    const containers = [{ ...C, securityContext }];
    const initContainers = [{ ...C, name: "i", securityContext }];
    expect(pods.refused({ os: { name: "linux" }, securityContext, containers, initContainers })).toEqual([
      "Forbidden containers[0].securityContext.windowsOptions",
      "Forbidden initContainers[0].securityContext.windowsOptions",
      "Forbidden securityContext.windowsOptions",
    ]);
    expect(pods.refused({ securityContext, containers })).toEqual([]);
    expect(pods.refused({ os: { name: "windows" }, securityContext, containers })).toEqual([]);
  });

  const RUNTIME = { type: "RuntimeDefault" };

  test.each([
    ["hostUsers", true],
    ["hostPID", true],
    ["hostIPC", true],
    ["shareProcessNamespace", false],
  ])("KIND-PodSpec-10: a windows pod has no %s", (member, value) => {
    expect(pods.refused({ os: { name: "windows" }, [member]: value })).toEqual([`Forbidden ${member}`]);
  });

  test.each([
    ["appArmorProfile", RUNTIME],
    ["seLinuxOptions", {}],
    ["seccompProfile", RUNTIME],
    ["fsGroup", 0],
    ["fsGroupChangePolicy", "Always"],
    ["sysctls", [{ name: "a", value: "" }]],
    ["runAsUser", 0],
    ["runAsGroup", 0],
    ["supplementalGroups", [0]],
    ["supplementalGroupsPolicy", "Merge"],
    ["seLinuxChangePolicy", "Recursive"],
  ])("KIND-PodSpec-10: a windows pod says no %s", (member, value) => {
    const spec = { os: { name: "windows" }, securityContext: { [member]: value } };
    expect(pods.refused(spec)).toEqual([`Forbidden securityContext.${member}`]);
    expect(pods.refusedTemplate(spec)).toEqual([`Forbidden securityContext.${member}`]);
  });

  test.each([
    ["appArmorProfile", RUNTIME],
    ["seLinuxOptions", {}],
    ["seccompProfile", RUNTIME],
    ["capabilities", {}],
    ["readOnlyRootFilesystem", false],
    ["privileged", false],
    ["allowPrivilegeEscalation", true],
    ["procMount", "Default"],
    ["runAsUser", 0],
    ["runAsGroup", 0],
  ])("KIND-PodSpec-10: a container of a windows pod says no %s", (member, value) => {
    const securityContext = { [member]: value };
    expect(pods.container({ securityContext }, { os: { name: "windows" } })).toEqual([
      `Forbidden securityContext.${member}`,
    ]);
  });

  test("KIND-PodSpec-10: what both have, both may say", () => {
    const os = { name: "windows" };
    expect(pods.refused({ os, hostNetwork: true, securityContext: { runAsNonRoot: true } })).toEqual([]);
    expect(pods.container({ securityContext: { runAsNonRoot: true } }, { os })).toEqual([]);
  });
});
