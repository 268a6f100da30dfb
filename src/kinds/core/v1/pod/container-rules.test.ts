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

    test("KIND-All-10: a template may leave the image of a volume to who makes Pods of it", () => {
      const volumes = [{ name: "v", image: {} }];
      expect(pods.refusedTemplate({ volumes })).toEqual([]);
      expect(pods.refused({ volumes })).toEqual(pods.strict ? ["Required volumes[0].image.reference"] : []);
    });

    test("KIND-Pod-18: init containers without names are not told from one another", () => {
      const nameless = { ...C, name: "" };
      expect(pods.refused({ initContainers: [nameless, nameless] })).toEqual([
        "Required initContainers[0].name",
        "Required initContainers[1].name",
      ]);
      expect(pods.refused({ containers: [nameless], initContainers: [nameless] })).toContain(
        "Duplicate initContainers[0].name",
      );
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

    test("KIND-Pod-18: init containers that do not stay have no probes and no lifecycle", () => {
      const init = (members: object) =>
        pods
          .refused({ initContainers: [{ ...C, name: "i", ...members }] })
          .map((cause) => cause.replace("initContainers[0].", ""));
      const asked = { livenessProbe: {}, readinessProbe: {}, startupProbe: {}, lifecycle: { preStop: {} } };
      const members = ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"];
      expect(init(asked)).toEqual(members.map((member) => `Forbidden ${member}`));
      expect(init({ ...asked, restartPolicy: "Never" })).toEqual(members.map((member) => `Forbidden ${member}`));
      expect(init({ ...asked, restartPolicy: "Always" })).toEqual([
        "Required lifecycle.preStop",
        "Required livenessProbe",
        "Required readinessProbe",
        "Required startupProbe",
      ]);
    });

    test("KIND-Pod-18: a name may be there once among all containers", () => {
      expect(pods.refused({ containers: [C, C], initContainers: [C, { ...C, name: "i" }] })).toEqual([
        "Duplicate containers[1].name",
        "Duplicate initContainers[0].name",
      ]);
    });

    test.each([
      [{ ports: [P] }, "ports"],
      [{ ports: [] }, "ports"],
      [{ resources: { limits: {} } }, "resources"],
      [{ resizePolicy: [] }, "resizePolicy"],
      [{ livenessProbe: {} }, "livenessProbe"],
      [{ lifecycle: {} }, "lifecycle"],
      [{ resources: { requests: { cpu: "1" } } }, "resources"],
      [{ restartPolicy: "Always" }, "restartPolicy"],
      [{ resizePolicy: [{ resourceName: "cpu", restartPolicy: "NotRequired" }] }, "resizePolicy"],
      [{ volumeMounts: [{ name: "v", mountPath: "/v", subPath: "a" }] }, "volumeMounts[0].subPath"],
    ])("KIND-Pod-10: ephemeral containers have none of %j, and are not there on create", (members, path) => {
      const spec = { ephemeralContainers: [{ ...C, name: "e", ...members }], volumes: [{ name: "v", emptyDir: {} }] };
      const causes = ["Forbidden ephemeralContainers", `Forbidden ephemeralContainers[0].${path}`];
      expect(pods.refused(spec)).toEqual(causes);
      expect(pods.refusedTemplate(spec)).toEqual(causes);
    });

    const CPU = { resourceName: "cpu", restartPolicy: "NotRequired" };

    test("KIND-Pod-13: resizePolicy says what changes of cpu and memory mean, each once", () => {
      const at = (member: string) => (pods.strict ? "resizePolicy" : `resizePolicy[0].${member}`);
      const policy = (list: object[], spec: object = {}) => pods.container({ resizePolicy: list }, spec);
      expect(policy([CPU, { resourceName: "memory", restartPolicy: "RestartContainer" }])).toEqual([]);
      expect(policy([CPU, CPU])).toEqual(["Duplicate resizePolicy[1]"]);
      expect(policy([{ resourceName: "x", restartPolicy: "x" }])).toEqual([
        ...new Set([`NotSupported ${at("resourceName")}`, `NotSupported ${at("restartPolicy")}`]),
      ]);
      expect(policy([{}])).toEqual([...new Set([`Required ${at("resourceName")}`, `Required ${at("restartPolicy")}`])]);
      const never = { restartPolicy: "Never" };
      expect(policy([CPU], never)).toEqual([]);
      expect(policy([{ ...CPU, restartPolicy: "RestartContainer" }], never)).toEqual([
        `Invalid ${at("restartPolicy")}`,
      ]);
    });

    test("KIND-Pod-3: the same host port twice, in containers together and in init containers each", () => {
      const two = [
        { containerPort: 1, hostPort: 9 },
        { containerPort: 2, hostPort: 9 },
      ];
      const one = [{ containerPort: 1, hostPort: 9 }];
      expect(pods.container({ ports: two })).toEqual(["Duplicate ports[1].hostPort"]);
      expect(
        pods.refused({
          containers: [
            { ...C, ports: one },
            { ...C, name: "d", ports: one },
          ],
        }),
      ).toEqual(["Duplicate containers[1].ports[0].hostPort"]);
      const init = (...lists: object[]) =>
        pods.refused({ initContainers: lists.map((ports, i) => ({ ...C, name: `i${i}`, ports })) });
      expect(init(one, one)).toEqual([]);
      expect(init([], two)).toEqual([`Duplicate initContainers[${pods.strict ? 0 : 1}].ports[1].hostPort`]);
    });

    test("KIND-Pod-3: on the host network ports are the same inside and outside", () => {
      const network = (ports: object[], list = "containers") =>
        pods.refused({ hostNetwork: true, [list]: [{ ...C, ports, name: list === "containers" ? "c" : "i" }] });
      expect(network([{ containerPort: 80, hostPort: 81 }])).toEqual(["Invalid containers[0].ports[0].hostPort"]);
      expect(network([{ containerPort: 80, hostPort: 81 }], "initContainers")).toEqual([]);
      expect(network([P])).toEqual([]);
      expect(pods.refusedTemplate({ hostNetwork: true, containers: [{ ...C, ports: [P] }] })).toEqual([]);
    });
  },
);
