import { describe, expect, test } from "vitest";
import type { ApiObject } from "../../../../schema/definition.ts";
import { C, Pods } from "../testing/pods.ts";
import { benches } from "../testing/volumes.ts";

describe.each(benches.map((bench) => [bench.dialect.name, new Pods(bench)] as const))(
  "where Pods run, %s",
  (_name, pods) => {
    const MUST = "requiredDuringSchedulingIgnoredDuringExecution";
    const WISH = "preferredDuringSchedulingIgnoredDuringExecution";

    test("KIND-PodSpec-11: what is asked of nodes", () => {
      const term = (requirement: object, member = "matchExpressions") =>
        pods
          .refused({ affinity: { nodeAffinity: { [MUST]: { nodeSelectorTerms: [{ [member]: [requirement] }] } } } })
          .map((cause) => cause.replace(`affinity.nodeAffinity.${MUST}.nodeSelectorTerms[0].${member}[0]`, ""));
      for (const operator of ["In", "NotIn"]) {
        expect(term({ key: "a", operator, values: ["b"] })).toEqual([]);
        expect(term({ key: "a", operator })).toEqual(["Required .values"]);
      }
      for (const operator of ["Exists", "DoesNotExist"]) {
        expect(term({ key: "a", operator })).toEqual([]);
        expect(term({ key: "a", operator, values: ["b"] })).toEqual(["Forbidden .values"]);
      }
      for (const operator of ["Gt", "Lt"]) {
        expect(term({ key: "a", operator, values: ["1"] })).toEqual([]);
        expect(term({ key: "a", operator, values: ["1", "2"] })).toEqual(["Required .values"]);
      }
      expect(term({ key: "metadata.name", operator: "In", values: ["n"] }, "matchFields")).toEqual([]);
      expect(pods.refused({ affinity: { nodeAffinity: { [MUST]: { nodeSelectorTerms: [] } } } })).toHaveLength(1);
      for (const weight of [0, 101]) {
        const wish = { nodeAffinity: { [WISH]: [{ weight, preference: {} }] } };
        expect(pods.refused({ affinity: wish })).toEqual([`Invalid affinity.nodeAffinity.${WISH}[0].weight`]);
      }
    });

    test("KIND-PodSpec-12: what is asked of Pods nearby", () => {
      const term = (members: object) =>
        pods
          .refused({ affinity: { podAntiAffinity: { [MUST]: [{ topologyKey: "zone", ...members }] } } })
          .map((cause) => cause.replace(`affinity.podAntiAffinity.${MUST}[0].`, ""));
      const labelSelector = { matchLabels: { a: "b" } };
      expect(term({ labelSelector, matchLabelKeys: ["k"], mismatchLabelKeys: ["l"] })).toEqual([]);
      expect(term({ topologyKey: "" })).toEqual(["Invalid topologyKey", "Required topologyKey"]);
      expect(term({ topologyKey: "a b" })).toEqual(["Invalid topologyKey"]);
      expect(term({ namespaces: ["N"] })).toEqual(["Invalid namespace"]);
      expect(term({ matchLabelKeys: ["k"], mismatchLabelKeys: ["l"] })).toEqual([
        "Forbidden matchLabelKeys",
        "Forbidden mismatchLabelKeys",
      ]);
      expect(term({ labelSelector, matchLabelKeys: ["a b"] })).toEqual(["Invalid matchLabelKeys[0]"]);
      expect(term({ labelSelector, matchLabelKeys: ["k"], mismatchLabelKeys: ["k"] })).toEqual([
        "Invalid matchLabelKeys[0]",
      ]);
      for (const weight of [0, 101]) {
        const wish = { podAffinity: { [WISH]: [{ weight, podAffinityTerm: { topologyKey: "zone" } }] } };
        expect(pods.refused({ affinity: wish })).toEqual([`Invalid affinity.podAffinity.${WISH}[0].weight`]);
      }
    });

    test.each<[object, string[]]>([
      [{ key: "a", value: "b" }, []],
      [{ operator: "Exists" }, []],
      [{}, ["Invalid operator"]],
      [{ key: "a b", operator: "Exists" }, ["Invalid key"]],
      [{ key: "a", operator: "Exists", value: "b" }, ["Invalid operator"]],
      [{ key: "a", value: "b c" }, ["Invalid operator"]],
      [{ key: "a", operator: "Gt" }, ["NotSupported operator"]],
      [{ key: "a", effect: "Odd" }, ["NotSupported effect"]],
      [{ key: "a", effect: "NoSchedule", tolerationSeconds: 1 }, ["Invalid effect"]],
      [{ key: "a", effect: "NoExecute", tolerationSeconds: -1 }, []],
    ])("KIND-PodSpec-13: the toleration %j", (toleration, causes) => {
      const told = pods.refused({ tolerations: [toleration] }).map((cause) => cause.replace("tolerations[0].", ""));
      expect(told).toEqual(causes);
    });

    test.each<[object, string[]]>([
      [{}, []],
      [{ minDomains: 2, nodeAffinityPolicy: "Honor", nodeTaintsPolicy: "Ignore" }, []],
      [{ maxSkew: 0 }, ["Invalid maxSkew"]],
      [{ topologyKey: "" }, ["Required topologyKey"]],
      [{ whenUnsatisfiable: "Odd" }, ["NotSupported whenUnsatisfiable"]],
      [{ minDomains: 0 }, ["Invalid minDomains"]],
      [{ minDomains: 1, whenUnsatisfiable: "ScheduleAnyway" }, ["Invalid minDomains"]],
      [{ nodeAffinityPolicy: "Odd" }, ["NotSupported nodeAffinityPolicy"]],
      [{ nodeTaintsPolicy: "" }, ["NotSupported nodeTaintsPolicy"]],
      [{ matchLabelKeys: ["k"] }, ["Forbidden matchLabelKeys"]],
    ])("KIND-PodSpec-14: the constraint with %j", (members, causes) => {
      const constraint = { maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule", ...members };
      const told = pods
        .refused({ topologySpreadConstraints: [constraint] })
        .map((cause) => cause.replace("topologySpreadConstraints[0].", ""));
      expect(told).toEqual(causes);
    });

    test("KIND-PodSpec-14: each pair of place and action is there once", () => {
      const one = { maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule" };
      expect(pods.refused({ topologySpreadConstraints: [one, { ...one, topologyKey: "host" }, one] })).toEqual([
        "Duplicate topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable}",
      ]);
    });

    test("KIND-PodSpec-16: how names are looked up", () => {
      const dns = (dnsConfig: object, dnsPolicy = "ClusterFirst") =>
        pods.refused({ dnsPolicy, dnsConfig }).map((cause) => cause.replace("dnsConfig.", ""));
      expect(
        dns({ nameservers: ["1.1.1.1"], searches: [".", "a_b.c.", "_tcp.d"], options: [{ name: "ndots" }] }),
      ).toEqual([]);
      expect(dns({}, "None")).toEqual(["Required nameservers"]);
      expect(pods.refused({ dnsPolicy: "None" })).toEqual(["Required dnsConfig"]);
      expect(dns({ nameservers: ["x"] })).toEqual(["Invalid nameservers[0]"]);
      expect(dns({ nameservers: Array.from({ length: 4 }, () => "1.1.1.1") })).toEqual(["Invalid nameservers"]);
      expect(dns({ searches: ["A", "a..b"] })).toEqual(["Invalid searches[0]", "Invalid searches[1]"]);
      expect(dns({ searches: Array.from({ length: 33 }, () => "a") })).toEqual(["Invalid searches"]);
      expect(dns({ options: [{ value: "1" }] })).toEqual(["Required options[0]"]);
      expect(pods.refused({ hostAliases: [{ ip: "x", hostnames: ["A"] }] })).toEqual([
        "Invalid hostAliases[0].hostnames[0]",
        "Invalid hostAliases[0].ip",
      ]);
    });

    test("KIND-Pod-19: users of its own go with no other part of the node", () => {
      const apart = (spec: object) => pods.refused({ hostUsers: false, ...spec });
      expect(apart({})).toEqual([]);
      expect(apart({ hostNetwork: true, hostPID: true, hostIPC: true })).toEqual([
        "Forbidden HostIPC",
        "Forbidden HostPID",
        "Forbidden hostNetwork",
      ]);
      expect(pods.refused({ hostPID: true, shareProcessNamespace: true })).toEqual([
        "Invalid securityContext.shareProcessNamespace",
      ]);
    });

    test("KIND-Pod-3: on the network of the node, ports of the node are those of the containers", () => {
      const ports = (...of: object[]) => pods.refused({ hostNetwork: true, containers: [{ ...C, ports: of }] });
      expect(ports({ containerPort: 80 })).toEqual([]);
      expect(ports({ containerPort: 80, hostPort: 81 })).toEqual(["Invalid containers[0].ports[0].hostPort"]);
    });
  },
);

describe("a new Pod, and what becomes of it", () => {
  const bench = benches.find(({ dialect }) => dialect.name === "kubernetes")!;
  const kind = bench.pod;
  const create = (spec: object, labels: object = {}) =>
    kind.create({ metadata: { name: "x", labels }, spec: { containers: [C], ...spec } });
  const write = (old: ApiObject, changes: object) =>
    kind.change(old, { spec: { ...(old["spec"] as object), ...changes } });
  const report = (old: ApiObject, status: object) => kind.update(old, { ...old, status }, "status");

  test("KIND-PodSpec-19: its labels become part of selectors that name their keys", () => {
    const labelSelector = { matchLabels: { app: "a" } };
    const constraint = { maxSkew: 1, topologyKey: "z", whenUnsatisfiable: "ScheduleAnyway", labelSelector };
    const term = { topologyKey: "z", labelSelector, matchLabelKeys: ["k", "none"], mismatchLabelKeys: ["l"] };
    const { object } = create(
      {
        affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } },
        topologySpreadConstraints: [{ ...constraint, matchLabelKeys: ["k"] }],
      },
      { k: "1", l: "2" },
    );
    const [isOne, isNotTwo] = [
      { key: "k", operator: "In", values: ["1"] },
      { key: "l", operator: "NotIn", values: ["2"] },
    ];
    expect(object["spec"]).toMatchObject({
      affinity: {
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { ...term, labelSelector: { ...labelSelector, matchExpressions: [isOne, isNotTwo] } },
          ],
        },
      },
      topologySpreadConstraints: [{ labelSelector: { ...labelSelector, matchExpressions: [isOne] } }],
    });
    const twice = { ...constraint, labelSelector: { matchLabels: { k: "1" } }, matchLabelKeys: ["k"] };
    expect(create({ topologySpreadConstraints: [twice] }, { k: "1" }).causes).toEqual([
      "FieldValueInvalid spec.topologySpreadConstraints[0][0]",
    ]);
  });

  test("KIND-Pod-7: while gates hold, it may be directed to fewer nodes", () => {
    const term = (...requirements: object[]) => ({ matchExpressions: requirements });
    const affinity = (...nodeSelectorTerms: object[]) => ({
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } },
    });
    const [zone, host] = ["zone", "host"].map((key) => ({ key, operator: "Exists" }));
    const { object } = create({
      schedulingGates: [{ name: "g" }],
      nodeSelector: { a: "b" },
      affinity: affinity(term(zone!)),
    });
    const at = "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";
    expect(write(object, { nodeSelector: { a: "b", c: "d" }, affinity: affinity(term(zone!, host!)) }).causes).toEqual(
      [],
    );
    expect(write(object, { nodeSelector: { c: "d" } }).causes).toEqual(["FieldValueInvalid spec.nodeSelector"]);
    expect(write(object, { affinity: affinity(term(host!)) }).causes).toEqual([`FieldValueInvalid ${at}[0]`]);
    expect(write(object, { affinity: affinity(term(zone!), term(host!)) }).causes).toEqual([`FieldValueInvalid ${at}`]);
    const other = { ...affinity(term(zone!)), podAffinity: {} };
    expect(write(object, { affinity: other }).causes).toEqual(["FieldValueForbidden spec"]);
    expect(write(object, { schedulingGates: [{ name: "g" }, { name: "h" }] }).causes).toEqual([
      "FieldValueForbidden spec.schedulingGates[1].name",
    ]);
    const free = create({ nodeSelector: { a: "b" } }).object;
    expect(write(free, { nodeSelector: { a: "b", c: "d" } }).causes).toEqual(["FieldValueForbidden spec"]);
    const gated = create({ schedulingGates: [{ name: "g" }] }).object;
    expect(write(gated, { affinity: {} }).causes).toEqual(["FieldValueForbidden spec"]);
    expect(write(gated, { affinity: affinity(term(host!)), nodeSelector: { a: "b" } }).causes).toEqual([]);
  });

  test("KIND-Pod-6: images, deadlines, tolerations and gates may change, all else not", () => {
    const { object } = create({ activeDeadlineSeconds: 10, tolerations: [{ key: "a", operator: "Exists" }] });
    const tolerations = (object["spec"] as { tolerations: object[] }).tolerations;
    expect(
      write(object, { activeDeadlineSeconds: 9, containers: [{ ...C, image: "example.com/i:2" }] }).causes,
    ).toEqual([]);
    expect(write(object, { activeDeadlineSeconds: 11 }).causes).toEqual([
      "FieldValueInvalid spec.activeDeadlineSeconds",
    ]);
    expect(write(object, { tolerations: [...tolerations, { operator: "Exists" }] }).causes).toEqual([]);
    expect(write(object, { tolerations: [] }).causes).toEqual(["FieldValueForbidden spec.tolerations"]);
    expect(write(object, { containers: [C, { ...C, name: "d" }] }).causes).toEqual([
      "FieldValueForbidden spec.containers",
    ]);
    expect(write(object, { dnsPolicy: "Default" }).causes).toEqual(["FieldValueForbidden spec"]);
  });

  test("KIND-Pod-14: what a status may say", () => {
    const { object } = create({});
    const causes = (status: object) => report(object, { phase: "Running", ...status }).causes;
    expect(causes({ phase: "Odd", podIPs: [{ ip: "10.0.0.1" }, { ip: "fd00::1" }] })).toEqual([]);
    expect(causes({ podIPs: [{ ip: "x" }], podIP: "x" })).toEqual(["FieldValueInvalid status.podIPs[0]"]);
    expect(causes({ podIPs: [{ ip: "10.0.0.1" }, { ip: "10.0.0.2" }] })).toEqual(["FieldValueInvalid status.podIPs"]);
    expect(causes({ hostIP: "10.0.0.1", hostIPs: [{ ip: "10.0.0.2" }] })).toEqual([
      "FieldValueInvalid status.hostIPs[0].ip",
    ]);
    expect(causes({ nominatedNodeName: "N" })).toEqual(["FieldValueInvalid status.nominatedNodeName"]);
    expect(causes({ conditions: [{ type: "a b", status: "True" }] })).toEqual([
      "FieldValueInvalid status.conditions[0].Type",
    ]);
    expect(causes({ qosClass: "Guaranteed" })).toEqual(["FieldValueInvalid status.qosClass"]);
    const kept = report(report(object, { observedGeneration: 3 }).object, { phase: "Running" }).object;
    expect(kept["status"]).toMatchObject({ qosClass: "BestEffort", observedGeneration: 3 });
    const ready = (observed?: number) => ({
      type: "Ready",
      status: "True",
      ...(observed === undefined ? {} : { observedGeneration: observed }),
    });
    const told = report(object, { conditions: [ready(2), ready(3)] }).object;
    expect(
      report(told, { conditions: [ready(), ready(), ready(), { ...ready(), type: "Other" }] }).object,
    ).toMatchObject({
      status: { conditions: [ready(2), ready(3), ready(), { type: "Other" }] },
    });
    const bound = create({ nodeName: "n" }).object;
    expect(report(bound, { nominatedNodeName: "m" }).causes).toEqual(["FieldValueForbidden status.nominatedNodeName"]);
  });

  test("KIND-Pod-14: what has ended and does not start again stays so", () => {
    const state = (name: string, of: object) => ({ containerStatuses: [{ name, state: of }] });
    const ended = (exitCode: number) => state("c", { terminated: { exitCode } });
    const running = state("c", { running: {} });
    const after = (restartPolicy: string, code: number) =>
      report(report(create({ restartPolicy }).object, ended(code)).object, running).causes;
    const causes = ["FieldValueForbidden status.containerStatuses[0].state"];
    expect(after("Never", 1)).toEqual(causes);
    expect(after("OnFailure", 0)).toEqual(causes);
    expect(after("OnFailure", 1)).toEqual([]);
    expect(after("Always", 0)).toEqual([]);
  });

  test("KIND-Pod-15: a write of the status leaves the owners as they are", () => {
    const { object } = create({});
    const owner = { apiVersion: "v1", kind: "Node", name: "n", uid: "u" };
    const sent = { ...object, metadata: { ...object.metadata, ownerReferences: [owner] } };
    expect(kind.update(object, sent, "status").object.metadata.ownerReferences).toBeUndefined();
    const going = { ...object, metadata: { ...object.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } };
    const { object: kept, causes } = kind.update(object, going, "status");
    expect([causes, kept.metadata.deletionTimestamp]).toEqual([[], undefined]);
  });
});
