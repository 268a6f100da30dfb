import { describe, expect, test } from "vitest";
import { C, Pods } from "../testing/pods.ts";
import { benches, wrong } from "../testing/volumes.ts";

describe.each(benches.map((bench) => [bench.dialect.name, bench] as const))("status, %s", (_name, bench) => {
  const pods = new Pods(bench);
  const stored = (spec: object = {}) => pods.create(spec).object;
  const write = (status: object, spec: object = {}) => {
    const old = stored(spec);
    return bench.pod.update(old, { metadata: old.metadata, spec: old["spec"], status }, "status");
  };
  const refused = (status: object, spec: object = {}) => wrong(write(status, spec), "status.");
  const one = { name: "c", ready: true, restartCount: 0, image: "i", imageID: "" };

  test("KIND-Pod-14: claims of a status are those of the Pod, each once", () => {
    const spec = { resourceClaims: [{ name: "a", resourceClaimTemplateName: "t" }] };
    const claims = (...resourceClaimStatuses: object[]) => refused({ resourceClaimStatuses }, spec);
    expect(claims({ name: "a", resourceClaimName: "x" })).toEqual([]);
    expect(claims({ name: "z" })).toEqual(["Invalid resourceClaimStatuses[0].name"]);
    expect(claims({ name: "a" }, { name: "a" })).toEqual(["Duplicate resourceClaimStatuses[1].name"]);
    const blamed = pods.strict ? "name" : "resourceClaimName";
    expect(claims({ name: "a", resourceClaimName: "A" })).toEqual([`Invalid resourceClaimStatuses[0].${blamed}`]);
  });

  test("KIND-Pod-14: who processes are is said in ids of Linux, on Linux", () => {
    const user = (linux: object, os: object = {}) => refused({ containerStatuses: [{ ...one, user: { linux } }] }, os);
    expect(user({ uid: 0, gid: 0, supplementalGroups: [1] })).toEqual([]);
    expect(user({ uid: -1, gid: 2 ** 31, supplementalGroups: [0, -1] })).toEqual([
      "Invalid containerStatuses[0].user.linux.gid",
      "Invalid containerStatuses[0].user.linux.supplementalGroups[1]",
      "Invalid containerStatuses[0].user.linux.uid",
    ]);
    expect(user({ uid: 0, gid: 0 }, { os: { name: "windows" } })).toEqual([
      "Forbidden containerStatuses[0].user.linux",
    ]);
  });

  test("KIND-Pod-14: addresses are at most two, of both families", () => {
    const ips = (...list: string[]) => refused({ podIPs: list.map((ip) => ({ ip })) });
    expect(ips("1.2.3.4", "::1")).toEqual([]);
    expect(ips("1.2.3.4", "1.2.3.5")).toEqual(["Invalid podIPs"]);
    expect(ips("1.2.3.4", "::1", "::2")).toEqual(["Invalid podIPs"]);
    expect(ips("1.2.3.4", "x")).toEqual([
      "Invalid podIPs",
      "Invalid podIPs[1]",
      ...(pods.strict ? ["InternalError podIPs"] : []),
    ]);
  });

  test("KIND-All-22: addresses that are not in their standard form are worth a Warning", () => {
    const { causes, warnings } = write({
      podIP: "01.2.3.4",
      podIPs: [{ ip: "01.2.3.4" }],
      hostIP: "::0",
      hostIPs: [{ ip: "::0" }],
    });
    expect(causes).toEqual([]);
    expect(warnings.map((text) => text.slice(0, text.indexOf(":")))).toEqual([
      "status.podIPs[0].ip",
      "status.hostIPs[0].ip",
    ]);
  });

  test("KIND-All-23: what a status says of features that are off is dropped", () => {
    const off = {
      extendedResourceClaimStatus: { requestMappings: [], resourceClaimName: "x" },
      allocatedResources: { cpu: "1" },
      resources: {},
    };
    const statuses = [{ ...one, allocatedResourcesStatus: [{ name: "x" }] }];
    const { object, causes } = write({ ...off, containerStatuses: statuses });
    expect(causes).toEqual([]);
    expect(JSON.stringify(object["status"])).not.toMatch(/extendedResource|allocatedResources|"resources"/);
    const kept = { ...stored(), status: { ...(stored()["status"] as object), ...off } };
    const again = bench.pod.update(kept, { metadata: kept.metadata, status: off }, "status");
    expect(again.object["status"]).toMatchObject({ allocatedResources: { cpu: "1" }, resources: {} });
  });

  const change = (spec: object, changes: object) => {
    const old = stored(spec);
    return wrong(bench.pod.change(old, { spec: { ...(old["spec"] as object), ...changes } }), "spec.");
  };

  test("KIND-Pod-6: only an invalid deadline is reported", () => {
    expect(change({}, { activeDeadlineSeconds: -1, hostname: "h" })).toEqual(["Invalid activeDeadlineSeconds"]);
    expect(change({ activeDeadlineSeconds: 5 }, { activeDeadlineSeconds: 6, hostname: "h" })).toEqual([
      "Invalid activeDeadlineSeconds",
    ]);
    expect(change({}, { activeDeadlineSeconds: 6, hostname: "h" })).toEqual(["Forbidden spec"]);
  });

  test("KIND-Pod-7: a gate that occurs twice is reported once", () => {
    expect(change({}, { schedulingGates: [{ name: "a" }, { name: "a" }] })).toEqual([
      "Duplicate schedulingGates[1]",
      "Forbidden schedulingGates[1].name",
    ]);
  });

  test("KIND-PodSpec-18: a negative grace period becomes 1, also in an update", () => {
    expect(pods.read({ terminationGracePeriodSeconds: -1 })).toMatchObject({ terminationGracePeriodSeconds: 1 });
    expect(change({ terminationGracePeriodSeconds: -1 }, { terminationGracePeriodSeconds: -5 })).toEqual([]);
    const { object } = pods.template({ terminationGracePeriodSeconds: -1 });
    expect(object["spec"]).toMatchObject({ template: { spec: { terminationGracePeriodSeconds: -1 } } });
  });

  test("KIND-All-23: a container that is put into a running Pod has no signal of a feature that is off", () => {
    const old = stored();
    const ephemeralContainers = [{ ...C, name: "e", lifecycle: { stopSignal: "SIGTERM" } }];
    const body = { metadata: old.metadata, spec: { ...(old["spec"] as object), ephemeralContainers } };
    const { causes, object } = bench.pod.update(old, body, "ephemeralcontainers");
    expect(causes).toEqual([]);
    expect(JSON.stringify(object["spec"])).not.toContain("lifecycle");
  });
});
