import { describe, expect, test } from "vitest";
import type { ApiObject } from "../../../schema/definition.ts";
import type { Outcome } from "../../../schema/testing/kind.ts";
import { benches, wrong } from "./testing/volumes.ts";

const C = { name: "c", image: "example.com/i:1" };
const SPREAD = { maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule" };

const specOf = ({ object }: Outcome): Record<string, unknown> => object["spec"] as Record<string, unknown>;

describe.each(benches.map((bench) => [bench.dialect.name, bench] as const))("Pod, %s", (name, bench) => {
  const strict = name === "kubernetes";
  const kind = bench.pod;
  const create = (spec: object = {}, metadata: object = { name: "x" }) =>
    kind.create({ metadata, spec: { containers: [C], ...spec } });
  const refused = (spec: object) => wrong(create(spec), "spec.");
  const container = (members: object) =>
    refused({ containers: [{ ...C, ...members }] }).map((cause) => cause.replace("containers[0].", ""));

  test("SUP-5: a new Pod has the defaults of Kubernetes", () => {
    const { object, causes, warnings } = create();
    expect({ causes, warnings }).toEqual({ causes: [], warnings: [] });
    expect(object["spec"]).toEqual({
      containers: [
        {
          ...C,
          resources: {},
          imagePullPolicy: "IfNotPresent",
          terminationMessagePath: "/dev/termination-log",
          terminationMessagePolicy: "File",
        },
      ],
      dnsPolicy: "ClusterFirst",
      enableServiceLinks: true,
      restartPolicy: "Always",
      schedulerName: "default-scheduler",
      securityContext: {},
      terminationGracePeriodSeconds: 30,
    });
    expect(object["status"]).toEqual({ phase: "Pending", qosClass: "BestEffort" });
  });

  test("SUP-5: a full Pod reads back as it was sent", () => {
    const full = {
      ...C,
      resources: { limits: { cpu: "1", memory: "1Gi" }, requests: { cpu: "500m", memory: "1Gi" } },
      ports: [{ name: "http", containerPort: 80, hostPort: 8080, protocol: "UDP", hostIP: "1.2.3.4" }],
      env: [
        { name: "A", value: "b" },
        { name: "N", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "spec.nodeName" } } },
      ],
      envFrom: [{ prefix: "P_", configMapRef: { name: "c", optional: true } }],
      volumeMounts: [{ name: "v", mountPath: "/m", readOnly: true, recursiveReadOnly: "IfPossible" }],
      livenessProbe: {
        httpGet: { path: "/", port: "http", scheme: "HTTPS" },
        timeoutSeconds: 2,
        periodSeconds: 3,
        successThreshold: 1,
        failureThreshold: 4,
      },
      startupProbe: {
        grpc: { port: 1, service: "" },
        timeoutSeconds: 1,
        periodSeconds: 10,
        successThreshold: 1,
        failureThreshold: 3,
      },
      lifecycle: { preStop: { sleep: { seconds: 0 } } },
      securityContext: { runAsUser: 0, privileged: false, capabilities: { drop: ["ALL"] } },
      imagePullPolicy: "Never",
      terminationMessagePath: "/t",
      terminationMessagePolicy: "FallbackToLogsOnError",
    };
    const spec = {
      containers: [full],
      initContainers: [
        { ...full, name: "i", ports: [{ containerPort: 81, protocol: "TCP" }], restartPolicy: "Always" },
      ],
      volumes: [{ name: "v", emptyDir: {} }],
      nodeSelector: { a: "b" },
      tolerations: [{ key: "k", operator: "Exists", effect: "NoExecute", tolerationSeconds: 0 }],
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { labelSelector: { matchLabels: { a: "b" } }, topologyKey: "h" },
          ],
        },
      },
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: "z", whenUnsatisfiable: "DoNotSchedule", labelSelector: {} },
      ],
      hostAliases: [{ ip: "::1", hostnames: ["a.b"] }],
      dnsConfig: { nameservers: ["1.1.1.1"], options: [{ name: "ndots", value: "2" }] },
      serviceAccountName: "sa",
      serviceAccount: "sa",
      nodeName: "n",
      hostname: "h",
      subdomain: "d",
      readinessGates: [{ conditionType: "a.b/c" }],
      overhead: { cpu: "1m" },
      os: { name: "linux" },
      securityContext: { fsGroup: 0, seccompProfile: { type: "RuntimeDefault" } },
      dnsPolicy: "None",
      enableServiceLinks: false,
      restartPolicy: "Never",
      schedulerName: "mine",
      terminationGracePeriodSeconds: 0,
    };
    const outcome = create(spec);
    expect(outcome).toMatchObject({ causes: [], unknown: [] });
    expect(outcome.object["spec"]).toEqual(spec);
  });

  test("SUP-5: requests follow limits, ports follow the network, the service account has two names", () => {
    const ports = [{ containerPort: 80 }];
    const outcome = create({
      hostNetwork: true,
      serviceAccount: "old",
      containers: [{ ...C, image: "i", ports, resources: { limits: { cpu: "1" }, requests: { memory: "1" } } }],
    });
    expect(specOf(outcome)).toMatchObject({
      serviceAccountName: "old",
      containers: [
        {
          imagePullPolicy: "Always",
          ports: [{ containerPort: 80, hostPort: 80, protocol: "TCP" }],
          resources: { requests: { cpu: "1", memory: "1" } },
        },
      ],
    });
  });

  test("SUP-5: probes have defaults", () => {
    const outcome = create({ containers: [{ ...C, readinessProbe: { httpGet: { port: 80 } } }] });
    expect(specOf(outcome)).toMatchObject({
      containers: [
        {
          readinessProbe: {
            httpGet: { path: "/", port: 80, scheme: "HTTP" },
            timeoutSeconds: 1,
            periodSeconds: 10,
            successThreshold: 1,
            failureThreshold: 3,
          },
        },
      ],
    });
  });

  test("POL-3: only Kubernetes requires containers and images", () => {
    expect(refused({ containers: [] })).toEqual(strict ? ["Required containers"] : []);
    expect(container({ image: "" })).toEqual(strict ? ["Required image"] : []);
    expect(wrong(kind.create({}), "spec.")).toEqual(strict ? ["Required containers"] : []);
  });

  test.each([
    ["a name", { name: "A_b" }, ["Invalid name"]],
    ["blanks", { image: " i" }, ["Invalid image"]],
    ["pull policies", { imagePullPolicy: "x" }, ["NotSupported imagePullPolicy"]],
  ])("SUP-5: containers are refused for %s", (_what, members, expected) => {
    expect(container(members)).toEqual(expected);
  });

  test.each([
    [
      "names that stand twice",
      { containers: [C, C], initContainers: [C] },
      ["Duplicate containers[1].name", "Duplicate initContainers[0].name"],
    ],
    [
      "ports that stand twice",
      {
        containers: [
          {
            ...C,
            ports: [
              { containerPort: 1, hostPort: 9 },
              { containerPort: 2, hostPort: 9 },
            ],
          },
        ],
      },
      ["Duplicate containers[0].ports[1].hostPort"],
    ],
    [
      "policies",
      { restartPolicy: "x", dnsPolicy: "x", preemptionPolicy: "x" },
      ["NotSupported dnsPolicy", "NotSupported preemptionPolicy", "NotSupported restartPolicy"],
    ],
    [
      "names",
      { nodeName: "A_b", serviceAccountName: "A_b", hostname: "a.b", runtimeClassName: "A" },
      ["Invalid hostname", "Invalid nodeName", "Invalid runtimeClassName", "Invalid serviceAccountName"],
    ],
    ["node selectors", { nodeSelector: { "a b": "c" } }, ["Invalid nodeSelector"]],
    ["deadlines", { activeDeadlineSeconds: 0 }, ["Invalid activeDeadlineSeconds"]],
    [
      "gates",
      { schedulingGates: [{ name: "a" }, { name: "a" }], readinessGates: [{ conditionType: "" }], nodeName: "n" },
      ["Duplicate schedulingGates[1]", "Forbidden nodeName", "Invalid readinessGates[0].conditionType"],
    ],
    [
      "addresses",
      { hostAliases: [{ ip: "1.2.3" }], dnsConfig: { nameservers: ["x"] } },
      ["Invalid dnsConfig.nameservers[0]", "Invalid hostAliases[0].ip"],
    ],
    ["no nameserver", { dnsPolicy: "None" }, ["Required dnsConfig"]],
    [
      "tolerations",
      {
        tolerations: [
          { operator: "Equal" },
          { key: "k", operator: "Exists", value: "v" },
          { key: "k", effect: "x", tolerationSeconds: 1 },
        ],
      },
      [
        "Invalid tolerations[0].operator",
        "Invalid tolerations[1].operator",
        "Invalid tolerations[2].effect",
        "NotSupported tolerations[2].effect",
      ],
    ],
    [
      "affinity",
      {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {},
            preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 0, preference: {} }],
          },
          podAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 101, podAffinityTerm: { labelSelector: {} } }],
          },
        },
      },
      [
        "Invalid affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight",
        "Invalid affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.topologyKey",
        "Invalid affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight",
        "Required affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms",
        "Required affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.topologyKey",
      ],
    ],
    [
      "spreading",
      { topologySpreadConstraints: [SPREAD, { ...SPREAD, whenUnsatisfiable: "ScheduleAnyway" }, SPREAD] },
      ["Duplicate topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable}"],
    ],
    [
      "spread that is wrong",
      { topologySpreadConstraints: [{ maxSkew: 0, whenUnsatisfiable: "x", labelSelector: {} }] },
      [
        "Invalid topologySpreadConstraints[0].maxSkew",
        "NotSupported topologySpreadConstraints[0].whenUnsatisfiable",
        "Required topologySpreadConstraints[0].topologyKey",
      ],
    ],
    [
      "containers to look around",
      { ephemeralContainers: [{ name: "e", image: "i" }] },
      ["Forbidden ephemeralContainers"],
    ],
  ])("SUP-5: a Pod is refused for %s", (_what, spec, expected) => {
    expect(refused(spec)).toEqual(expected);
  });

  describe("changes", () => {
    const old = create({
      volumes: [{ name: "v", emptyDir: {} }],
      tolerations: [{ key: "k", operator: "Exists" }],
      activeDeadlineSeconds: 10,
      schedulingGates: [{ name: "g" }],
    }).object;
    const change = (members: object) =>
      wrong(kind.change(old, { spec: { ...(old["spec"] as object), ...members } }), "");

    test.each([
      ["nothing", {}, []],
      ["an image and with it another pull policy", { containers: [{ ...C, image: "other" }] }, ["Forbidden spec"]],
      ["a shorter deadline", { activeDeadlineSeconds: 5 }, []],
      ["a longer deadline", { activeDeadlineSeconds: 11 }, ["Invalid spec.activeDeadlineSeconds"]],
      ["no deadline", { activeDeadlineSeconds: null }, ["Invalid spec.activeDeadlineSeconds"]],
      [
        "another toleration",
        {
          tolerations: [
            { key: "k", operator: "Exists" },
            { key: "l", operator: "Exists" },
          ],
        },
        [],
      ],
      ["no toleration", { tolerations: null }, ["Forbidden spec.tolerations"]],
      ["no gate", { schedulingGates: [] }, []],
      ["another gate", { schedulingGates: [{ name: "h" }] }, ["Forbidden spec.schedulingGates[0].name"]],
      ["another volume", { volumes: [{ name: "w", emptyDir: {} }] }, ["Forbidden spec"]],
      ["no volume", { volumes: null }, ["Forbidden spec"]],
      ["a node", { nodeName: "n" }, ["Forbidden spec"]],
      ["more containers", { containers: [C, { ...C, name: "d" }] }, ["Forbidden spec.containers"]],
    ])("SUP-5: a Pod may get %s, or not", (_what, members, expected) => {
      expect(change(members)).toEqual(expected);
    });

    test("SUP-5: an image alone can change", () => {
      const containers = (old["spec"] as { containers: object[] }).containers.map((c) => ({ ...c, image: "other:1" }));
      expect(change({ containers })).toEqual([]);
    });

    test("SUP-5, DEC-33: the status is written on its own path, owners and quality of service stay", () => {
      const metadata = { name: "x", ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "p", uid: "u" }] };
      const outcome = kind.update(
        old,
        { metadata, spec: {}, status: { phase: "Running", podIP: "1.2.3.4" } },
        "status",
      );
      expect(outcome.object).toMatchObject({
        spec: old["spec"],
        status: { phase: "Running", qosClass: "BestEffort", podIPs: [{ ip: "1.2.3.4" }] },
      });
      expect(outcome.object.metadata).not.toHaveProperty("ownerReferences");
      const differing = { podIP: "1.2.3.4", podIPs: [{ ip: "::1" }, { ip: "1.2.3.4" }] };
      expect(kind.update(old, { status: differing }, "status").object["status"]).toMatchObject({
        podIPs: [{ ip: "1.2.3.4" }],
      });
      expect(kind.change(old, { status: { phase: "Running" } }).object["status"]).toEqual(old["status"]);
    });
  });

  test("SUP-5: a gated Pod says why it waits", () => {
    expect(create({ schedulingGates: [{ name: "g" }] }).object["status"]).toMatchObject({
      conditions: [
        {
          type: "PodScheduled",
          status: "False",
          reason: "SchedulingGated",
          lastProbeTime: null,
          lastTransitionTime: expect.stringMatching(/^\d{4}-.*Z$/),
        },
      ],
    });
  });

  test("SUP-5: a Pod on a node is given its grace period, others go at once", () => {
    const grace = (spec: object, requested?: number, phase = "Running") => {
      const { object } = create(spec);
      object["status"] = { phase };
      return kind.definition.gracePeriod?.(object, requested);
    };
    expect(grace({ nodeName: "n" })).toBe(30);
    expect(grace({ nodeName: "n", terminationGracePeriodSeconds: 5 })).toBe(5);
    expect(grace({ nodeName: "n" }, 0)).toBe(0);
    expect(grace({ nodeName: "n" }, 7)).toBe(7);
    expect(grace({ nodeName: "n" }, -1)).toBe(1);
    expect(grace({}, 7)).toBe(0);
    expect(grace({ nodeName: "n" }, undefined, "Failed")).toBe(0);
  });

  test("DEC-25, KIND-Pod-17: pods are selected by node, account, policy and phase", () => {
    const { object } = create({ nodeName: "n", serviceAccountName: "sa", hostNetwork: true });
    const fields = kind.definition.selectableFields ?? {};
    const values = Object.fromEntries(Object.entries(fields).map(([field, read]) => [field, read(object)]));
    expect(values).toEqual({
      "spec.nodeName": "n",
      "spec.host": "n",
      "spec.restartPolicy": "Always",
      "spec.schedulerName": "default-scheduler",
      "spec.serviceAccountName": "sa",
      "spec.hostNetwork": "true",
      "status.phase": "Pending",
      "status.podIP": "",
      "status.podIPs": "",
      "status.nominatedNodeName": "",
    });
  });

  test.each([
    ["a negative grace period", { terminationGracePeriodSeconds: -1 }, 0],
    [
      "one port name in two containers",
      {
        containers: [
          { ...C, ports: [{ containerPort: 1, name: "a" }] },
          { ...C, name: "d", ports: [{ containerPort: 2, name: "a" }] },
        ],
      },
      1,
    ],
    [
      "a term without selector, twice",
      {
        affinity: {
          podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: "a" }, { topologyKey: "b" }] },
        },
      },
      2,
    ],
    [
      "a wish for a label that no node can have",
      {
        affinity: {
          nodeAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              { weight: 1, preference: { matchExpressions: [{ key: "a", operator: "In", values: ["-x"] }] } },
            ],
          },
        },
      },
      1,
    ],
    ["an address with a leading zero", { hostAliases: [{ ip: "fd00:0::1" }] }, 1],
    [
      "files of the downward API that hide one another",
      {
        volumes: [
          {
            name: "v",
            downwardAPI: {
              items: [
                { path: "a", fieldRef: { fieldPath: "metadata.name" } },
                { path: "a/b", fieldRef: { fieldPath: "metadata.uid" } },
                { path: "ab", fieldRef: { fieldPath: "metadata.uid" } },
              ],
            },
          },
        ],
      },
      1,
    ],
    [
      "half a byte for an ephemeral volume",
      {
        volumes: [
          {
            name: "v",
            ephemeral: {
              volumeClaimTemplate: {
                spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "500m" } } },
              },
            },
          },
        ],
      },
      1,
    ],
    [
      "a hidden variable",
      {
        containers: [
          {
            ...C,
            env: [
              { name: "A", value: "1" },
              { name: "A", value: "2" },
            ],
          },
        ],
      },
      1,
    ],
    [
      "an extended variable",
      {
        containers: [
          {
            ...C,
            env: [
              { name: "A", value: "1" },
              { name: "A", value: "$(A)2" },
            ],
          },
        ],
      },
      0,
    ],
    [
      "a port twice",
      {
        containers: [
          { ...C, ports: [{ containerPort: 1 }] },
          { ...C, name: "d", ports: [{ containerPort: 1 }] },
        ],
      },
      1,
    ],
    ["hostIP alone", { containers: [{ ...C, ports: [{ containerPort: 1, hostIP: "1.2.3.4" }] }] }, 1],
    ["fractions of bytes", { containers: [{ ...C, resources: { requests: { memory: "500m" } } }] }, 1],
    [
      "a spread without selector",
      { topologySpreadConstraints: [{ maxSkew: 1, topologyKey: "z", whenUnsatisfiable: "DoNotSchedule" }] },
      1,
    ],
    ["an old node label", { nodeSelector: { [`beta.${bench.dialect.labelDomain}/os`]: "linux" } }, 1],
    ["empty and repeated Secrets", { imagePullSecrets: [{}, { name: "a" }, { name: "a" }] }, 2],
    ["an alias twice", { hostAliases: [{ ip: "1.1.1.1" }, { ip: "1.1.1.1" }] }, 1],
  ])("SUP-5: %s is told in Warnings", (_what, spec, count) => {
    expect(create(spec)).toMatchObject({ causes: [], warnings: { length: count } });
  });

  test("SUP-5: files that hide each other are reported in pairs, the later one first, whatever their order", () => {
    const paths = ["a/b", "ab", "a", "a/b/", "a/b/c", "a-b", "d"];
    const items = paths.map((path) => ({ key: "k", path }));
    const { warnings } = create({ volumes: [{ name: "v", configMap: { name: "c", items } }] });
    const pair = (later: string, earlier: string): string =>
      `volume "v" (ConfigMap "c"): overlapping paths: "${later}" with "${earlier}"`;
    expect(warnings).toEqual([
      pair("a", "a/b"),
      pair("a/b", "a/b"),
      pair("a/b", "a"),
      pair("a/b/c", "a/b"),
      pair("a/b/c", "a"),
    ]);
  });

  test("SUP-5: files of a projection are reported with the source that each is from", () => {
    const item = (path: string) => ({ items: [{ key: "k", path }] });
    const sources = [
      { configMap: { name: "c", ...item("a/b") } },
      { secret: { name: "s", ...item("a") } },
      { downwardAPI: { items: [{ path: "a/b/", fieldRef: { fieldPath: "metadata.name" } }] } },
      {},
    ];
    const { warnings } = create({ volumes: [{ name: "v", projected: { sources } }] });
    expect(warnings).toEqual([
      'volume "v" (Projected) has no sources provided',
      'volume "v" (Projected): overlapping paths: "a" (Secret "s") with "a/b" (ConfigMap "c")',
      'volume "v" (Projected): overlapping paths: "a/b" (DownwardAPI) with "a/b" (ConfigMap "c")',
      'volume "v" (Projected): overlapping paths: "a/b" (DownwardAPI) with "a" (Secret "s")',
    ]);
  });

  test("SUP-5: ports are reported together with each earlier one that they conflict with", () => {
    const ports = [
      { containerPort: 1, hostPort: 5, hostIP: "1.1.1.1" },
      { containerPort: 1, hostPort: 5, hostIP: "1.1.1.2" },
      { containerPort: 1, hostPort: 5 },
      { containerPort: 1, hostPort: 6 },
      { containerPort: 1 },
      { containerPort: 2, hostPort: 5 },
      { containerPort: 1, hostPort: 5, hostIP: "1.1.1.1" },
    ];
    const at = (i: number): string => `spec.containers[0].ports[${i}]`;
    const { warnings } = create({ containers: [{ ...C, ports }] });
    expect(warnings).toEqual([
      `${at(2)}: dangerously ambiguous port definition with ${at(0)}`,
      `${at(2)}: dangerously ambiguous port definition with ${at(1)}`,
      ...[0, 1, 2, 3].map((i) => `${at(4)}: overlapping port definition with ${at(i)}`),
      `${at(6)}: duplicate port definition with ${at(0)}`,
      `${at(6)}: dangerously ambiguous port definition with ${at(2)}`,
      `${at(6)}: overlapping port definition with ${at(4)}`,
    ]);
  });

  test("SUP-5: an invalid host name, and annotations that members have replaced, are reported in Warnings", () => {
    expect(create({}, { name: "a.b" }).warnings).toHaveLength(1);
    const annotations = {
      [`seccomp.security.alpha.${bench.dialect.labelDomain}/pod`]: "runtime/default",
      [`container.seccomp.security.alpha.${bench.dialect.labelDomain}/c`]: "runtime/default",
    };
    const profile = { securityContext: { seccompProfile: { type: "RuntimeDefault" } } };
    expect(create({}, { name: "x", annotations }).warnings).toHaveLength(2);
    expect(create(profile, { name: "x", annotations }).warnings).toHaveLength(1);
    expect(create({ containers: [{ ...C, ...profile }] }, { name: "x", annotations }).warnings).toHaveLength(1);
  });

  test("KIND-PodSpec-18: a negative grace period becomes 1", () => {
    expect(create({ terminationGracePeriodSeconds: -1 }).object["spec"]).toMatchObject({
      terminationGracePeriodSeconds: 1,
    });
  });

  describe("kubectl get pods -o wide", () => {
    const cells = (status: object, spec: object = {}, deleted = false) => {
      const { object } = create(spec);
      object["status"] = status;
      if (deleted) object.metadata.deletionTimestamp = "2001-01-01T00:00:00Z";
      return kind.cells(object as ApiObject);
    };
    const status = (state: object, more: object = {}) => ({
      name: "c",
      state,
      lastState: {},
      ready: false,
      restartCount: 0,
      ...more,
    });
    const word = (pod: object, spec: object = {}, deleted = false) => cells(pod, spec, deleted)[1];
    const running = { running: { startedAt: "2001-01-01T00:00:00Z" } };

    test("shows nine columns, four of them in wide tables only", () => {
      expect(kind.definition.columns?.map(({ name: column, priority = 0 }) => [column, priority])).toEqual([
        ["Ready", 0],
        ["Status", 0],
        ["Restarts", 0],
        ["Age", 0],
        ["IP", 1],
        ["Node", 1],
        ["Nominated Node", 1],
        ["Readiness Gates", 1],
      ]);
      expect(cells({ phase: "Pending" })).toEqual([
        "0/1",
        "Pending",
        "0",
        "0s",
        "<none>",
        "<none>",
        "<none>",
        "<none>",
      ]);
    });

    test("a running Pod with a gate", () => {
      const pod = {
        phase: "Running",
        podIPs: [{ ip: "1.2.3.4" }],
        nominatedNodeName: "m",
        conditions: [{ type: "a.b/c", status: "True" }],
        containerStatuses: [status(running, { ready: true, restartCount: 2 })],
      };
      const spec = { nodeName: "n", readinessGates: [{ conditionType: "a.b/c" }, { conditionType: "a.b/d" }] };
      expect(cells(pod, spec)).toEqual(["1/1", "Running", "2", "0s", "1.2.3.4", "n", "m", "1/2"]);
    });

    test("restarts and when the last was", () => {
      const lastState = { terminated: { exitCode: 1, finishedAt: "1970-01-01T00:00:00Z" } };
      const pod = {
        phase: "Running",
        containerStatuses: [status(running, { ready: true, restartCount: 3, lastState })],
      };
      expect(cells(pod)[2]).toMatch(/^3 \(.+ ago\)$/);
    });

    test.each([
      ["ImagePullBackOff", { containerStatuses: [status({ waiting: { reason: "ImagePullBackOff" } })] }],
      ["Completed", { containerStatuses: [status({ terminated: { exitCode: 0, reason: "Completed" } })] }],
      ["ExitCode:3", { containerStatuses: [status({ terminated: { exitCode: 3 } })] }],
      ["Signal:9", { containerStatuses: [status({ terminated: { exitCode: 137, signal: 9 } })] }],
      ["Evicted", { reason: "Evicted" }],
      ["SchedulingGated", { conditions: [{ type: "PodScheduled", status: "False", reason: "SchedulingGated" }] }],
      [
        "NotReady",
        {
          containerStatuses: [
            status({ terminated: { exitCode: 0, reason: "Completed" } }),
            status(running, { ready: true }),
          ],
        },
      ],
    ])("the word %s", (expected, pod) => {
      expect(word({ phase: "Running", ...pod })).toBe(expected);
    });

    test.each([
      ["Init:0/1", status({ waiting: { reason: "PodInitializing" } })],
      ["Init:CrashLoopBackOff", status({ waiting: { reason: "CrashLoopBackOff" } })],
      ["Init:ExitCode:1", status({ terminated: { exitCode: 1 } })],
      ["Init:Error", status({ terminated: { exitCode: 1, reason: "Error" } })],
      ["Pending", status({ terminated: { exitCode: 0 } })],
    ])("the word %s of an init container", (expected, init) => {
      const spec = { initContainers: [{ ...C, name: "i" }] };
      expect(word({ phase: "Pending", initContainerStatuses: [{ ...init, name: "i" }] }, spec)).toBe(expected);
    });

    test("a sidecar counts as a container", () => {
      const spec = { initContainers: [{ ...C, name: "i", restartPolicy: "Always" }] };
      const sidecar = { ...status(running, { ready: true, started: true, restartCount: 1 }), name: "i" };
      const pod = {
        phase: "Running",
        initContainerStatuses: [sidecar],
        containerStatuses: [status(running, { ready: true })],
      };
      expect(cells(pod, spec).slice(0, 3)).toEqual(["2/2", "Running", "1"]);
    });

    test("the word of a Pod that is being deleted", () => {
      expect(word({ phase: "Running" }, {}, true)).toBe("Terminating");
      expect(word({ phase: "Running", reason: "NodeLost" }, {}, true)).toBe("Unknown");
      expect(word({ phase: "Failed" }, {}, true)).toBe("Failed");
    });
  });
});
