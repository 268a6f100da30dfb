import { describe, expect, test } from "vitest";
import { Pods } from "../testing/pods.ts";
import { benches, wrong } from "../testing/volumes.ts";

describe.each(benches.map((bench) => [bench.dialect.name, bench] as const))("annotations, %s", (_name, bench) => {
  const pods = new Pods(bench);
  const { labelDomain } = bench.dialect;
  const MIRROR = `${labelDomain}/config.mirror`;
  const COST = `controller.${labelDomain}/pod-deletion-cost`;
  const TOLERATIONS = `scheduler.alpha.${labelDomain}/tolerations`;
  const causes = (annotations: object, spec: object = {}) => wrong(pods.create(spec, { annotations }), "metadata.");
  const ofTemplate = (annotations: object) => wrong(pods.template({}, { annotations }), "spec.template.");

  test.each(["0", "1", "-1", "2147483647", "-2147483648"])("KIND-All-10: the cost %s of a deletion", (cost) => {
    expect(causes({ [COST]: cost })).toEqual([]);
  });

  test.each(["", "+1", "01", "1.5", "x", "2147483648", "-2147483649"])(
    "KIND-All-10: no cost of a deletion is '%s'",
    (cost) => {
      expect(causes({ [COST]: cost })).toEqual([`Invalid annotations[${COST}]`]);
      expect(ofTemplate({ [COST]: cost })).toEqual([`Invalid annotations[${COST}]`]);
    },
  );

  test("KIND-All-10: a Pod that only shows one of its node has the node, and stays what it is", () => {
    expect(causes({ [MIRROR]: "x" })).toEqual([`Invalid annotations[${MIRROR}]`]);
    const old = pods.create({ nodeName: "n" }, { annotations: { [MIRROR]: "x" } });
    expect(old.causes).toEqual([]);
    const changed = { ...old.object.metadata, annotations: { [MIRROR]: "y" } };
    expect(wrong(bench.pod.change(old.object, { metadata: changed }), "metadata.")).toEqual([
      `Forbidden annotations[${MIRROR}]`,
    ]);
  });

  test("KIND-PodSpec-13: tolerations that an annotation says are tolerations", () => {
    expect(causes({ [TOLERATIONS]: "" })).toEqual([]);
    expect(causes({ [TOLERATIONS]: "null" })).toEqual([]);
    expect(causes({ [TOLERATIONS]: '[{"key":"a","operator":"Exists"}]' })).toEqual([]);
    expect(causes({ [TOLERATIONS]: '[{"operator":"x"}]' })).toContain(
      `NotSupported annotations.${TOLERATIONS}[0].operator`,
    );
    for (const text of ["x", "{}", "[1]", '[{"key":1}]'])
      expect(causes({ [TOLERATIONS]: text })).toEqual(["Invalid annotations"]);
    expect(ofTemplate({ [TOLERATIONS]: "x" })).toEqual(["Invalid annotations"]);
  });

  test("KIND-PodSpec-17: a host name that is set whatever else is set", () => {
    const override = (hostnameOverride: string, spec: object = {}) => pods.refused({ hostnameOverride, ...spec });
    expect(override("a.b")).toEqual([]);
    expect(override("A")).toEqual(["Invalid hostnameOverride"]);
    expect(override("")).toEqual(["Invalid hostnameOverride"]);
    expect(override("a".repeat(65))).toContain("TooLong hostnameOverride");
    expect(override("a", { setHostnameAsFQDN: true })).toEqual(["Forbidden hostnameOverride"]);
    expect(override("a", { hostNetwork: true })).toEqual(["Forbidden hostnameOverride"]);
    expect(override("a", { setHostnameAsFQDN: false })).toEqual([]);
  });

  test("KIND-PodSpec-17: words and names that are sent empty are missing, or no names", () => {
    expect(pods.refused({ preemptionPolicy: "" })).toEqual(["Required preemptionPolicy"]);
    expect(pods.refused({ runtimeClassName: "" })).toEqual(["Invalid runtimeClassName"]);
    expect(pods.refused({ hostname: "", nodeName: "", restartPolicy: "", dnsPolicy: "" })).toEqual([]);
  });
});
