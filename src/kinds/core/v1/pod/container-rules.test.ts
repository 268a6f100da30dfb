import { describe, expect, test } from "vitest";
import { C, Pods } from "../testing/pods.ts";
import { Bench, benches } from "../testing/volumes.ts";

describe.each(benches.map((bench) => [bench.dialect.name, new Pods(bench)] as const))(
  "containers, %s",
  (name, pods) => {
    const P = { containerPort: 80 };

    test.each([
      [[P, { ...P, name: "http", protocol: "UDP" }, { ...P, protocol: "SCTP", hostIP: "x" }], []],
      [[P, P], []],
      [[{}], ["Required ports[0].containerPort"]],
      [[{ containerPort: 65_536, hostPort: 65_536 }], ["Invalid ports[0].containerPort", "Invalid ports[0].hostPort"]],
      [[{ containerPort: -1 }], ["Invalid ports[0].containerPort"]],
      [[{ ...P, protocol: "tcp" }], ["NotSupported ports[0].protocol"]],
      [
        [
          { ...P, name: "a" },
          { ...P, containerPort: 81, name: "a" },
        ],
        ["Duplicate ports[1].name"],
      ],
    ])("KIND-PodSpec-3: the ports %j", (ports, expected) => {
      expect(pods.container({ ports })).toEqual(expected);
    });

    test("KIND-PodSpec-3: names of ports are short, in lower case, with a letter and single hyphens inside", () => {
      for (const port of ["a", "a-b-c", "1a", "exactly-fifteen"])
        expect(pods.container({ ports: [{ ...P, name: port }] })).toEqual([]);
      for (const port of ["80", "A", "a--b", "a-", "-a", "sixteen-letters-", "a_b"]) {
        expect(pods.container({ ports: [{ ...P, name: port }] })).toEqual(["Invalid ports[0].name"]);
      }
    });

    test("KIND-All-10: a template may have blanks around an image, a Pod may not", () => {
      expect(pods.container({ image: " i " })).toEqual(["Invalid image"]);
      expect(pods.refusedTemplate({ containers: [{ ...C, image: " i " }] })).toEqual([]);
    });

    const RULE = { action: "Restart", exitCodes: { operator: "In", values: [1] } };

    test.each([
      [{ restartPolicy: "Never" }, []],
      [{ restartPolicy: "OnFailure", restartPolicyRules: [RULE] }, []],
      [{ restartPolicy: "Sometimes" }, ["NotSupported restartPolicy"]],
      [{ restartPolicyRules: [RULE] }, ["Required restartPolicy"]],
      [
        { restartPolicy: "Never", restartPolicyRules: [{ action: "Restart" }] },
        ["Required restartPolicyRules[0].exitCodes"],
      ],
      [
        { restartPolicy: "Never", restartPolicyRules: [{ action: "Stop", exitCodes: { operator: "x" } }] },
        ["NotSupported restartPolicyRules[0].action", "NotSupported restartPolicyRules[0].exitCodes.operator"],
      ],
      [
        {
          restartPolicy: "Never",
          restartPolicyRules: [
            { ...RULE, exitCodes: { operator: "NotIn", values: Array.from({ length: 256 }, (_, i) => i) } },
          ],
        },
        ["TooLong restartPolicyRules[0].exitCodes.values"],
      ],
      [
        { restartPolicy: "Never", restartPolicyRules: Array.from({ length: 21 }, () => RULE) },
        ["TooLong restartPolicyRules"],
      ],
    ])("SUP-5: when a container is restarted: %j", (members, expected) => {
      expect(pods.container(members)).toEqual(expected);
    });

    test("SUP-5: an init container that stays has no rules of restarting, but where a feature is on", () => {
      const init = (members: object, from = pods) =>
        from.refused({ initContainers: [{ ...C, name: "i", ...members }] });
      expect(init({ restartPolicy: "Always" })).toEqual([]);
      expect(init({ restartPolicy: "Never", restartPolicyRules: [RULE] })).toEqual([]);
      expect(init({ restartPolicyRules: [{}] })).toEqual(["Required initContainers[0].restartPolicy"]);
      expect(init({ restartPolicy: "Always", restartPolicyRules: [RULE] })).toEqual([
        "Forbidden initContainers[0].restartPolicyRules",
      ]);
      const { dialect } = benches.find((bench) => bench.dialect.name === name)!;
      const open = new Pods(new Bench(dialect, { RestartAllContainersOnContainerExits: true }));
      const all = { ...RULE, action: "RestartAllContainers" };
      expect(init({ restartPolicy: "Always", restartPolicyRules: [all] }, open)).toEqual([]);
      expect(open.container({ restartPolicy: "Never", restartPolicyRules: [all] })).toEqual([]);
      expect(pods.container({ restartPolicy: "Never", restartPolicyRules: [all] })).toEqual([
        "NotSupported restartPolicyRules[0].action",
      ]);
    });
  },
);
