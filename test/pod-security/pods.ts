/**
 * Draws Pods with fields that Pod Security checks: some with one field, most with several.
 *
 * @module
 */
import type { Random } from "../../src/util/clock.ts";

/** As much of a Pod as is checked. */
export interface DrawnPod {
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: object;
}

/** One of several values. */
const pick = <T>(random: Random, values: readonly T[]): T => values[Math.floor(random.next() * values.length)]!;

/** A field with one of several values; often none. */
const maybe = (random: Random, share: number, name: string, values: readonly unknown[]): object =>
  random.next() < share ? { [name]: pick(random, values) } : {};

const PROFILES = [
  { type: "RuntimeDefault" },
  { type: "Localhost", localhostProfile: "a" },
  { type: "Unconfined" },
  { type: "Other" },
];
const SELINUX = [
  {},
  { type: "container_t" },
  { type: "container_engine_t", level: "s0" },
  { type: "spc_t" },
  { type: "a_t", user: "u" },
  { role: "r" },
  { user: "u", role: "r" },
];
const CAPABILITIES = [
  {},
  { drop: ["ALL"] },
  { drop: ["ALL"], add: ["NET_BIND_SERVICE"] },
  { drop: ["ALL"], add: ["CHOWN", "SYS_TIME"] },
  { add: ["NET_RAW", "KILL", "SYS_ADMIN"] },
  { drop: ["NET_RAW"] },
];
const ACTIONS = [
  { httpGet: { port: 80 } },
  { httpGet: { port: 80, host: "b.example" } },
  { tcpSocket: { port: 80, host: "a.example" } },
  { exec: { command: ["x"] } },
];
const SOURCES = [
  { emptyDir: {} },
  { configMap: { name: "c" } },
  { secret: { secretName: "s" } },
  { projected: { sources: [] } },
  { persistentVolumeClaim: { claimName: "c" } },
  { csi: { driver: "d" } },
  { ephemeral: {} },
  { image: { reference: "r" } },
  { downwardAPI: {} },
  { hostPath: { path: "/" } },
  { nfs: { server: "s", path: "/" } },
  { iscsi: { targetPortal: "t", iqn: "i", lun: 0 } },
  { awsElasticBlockStore: { volumeID: "v" } },
  { gitRepo: { repository: "r" } },
  { storageos: { volumeName: "v" } },
  {},
];
const SYSCTLS = [
  "kernel.shm_rmid_forced",
  "net.ipv4.ip_local_reserved_ports",
  "net.ipv4.tcp_keepalive_time",
  "net.ipv4.tcp_wmem",
  "kernel.msgmax",
];
const PORTS = [
  [{ containerPort: 80 }],
  [{ containerPort: 80, hostPort: 0 }],
  [
    { containerPort: 80, hostPort: 8080 },
    { containerPort: 81, hostPort: 443 },
  ],
];
const ANNOTATIONS = [
  ["container.apparmor.security.beta.kubernetes.io/a", "unconfined"],
  ["container.apparmor.security.beta.kubernetes.io/b", "localhost/x"],
  ["container.apparmor.security.beta.kubernetes.io/i", 'odd "quoted"\t'],
  ["seccomp.security.alpha.kubernetes.io/pod", "unconfined"],
  ["seccomp.security.alpha.kubernetes.io/pod", "docker/default"],
  ["container.seccomp.security.alpha.kubernetes.io/a", "localhost/x"],
  ["container.seccomp.security.alpha.kubernetes.io/b", "unconfined"],
  ["container.seccomp.security.alpha.kubernetes.io/unknown", "unconfined"],
  ["example.com/other", "unconfined"],
] as const;
const TRUE_OR_FALSE = [true, false];

const securityOf = (random: Random, share: number): object => ({
  ...maybe(random, share, "runAsNonRoot", TRUE_OR_FALSE),
  ...maybe(random, share / 2, "runAsUser", [0, 1000]),
  ...maybe(random, share, "seccompProfile", PROFILES),
  ...maybe(random, share / 3, "appArmorProfile", PROFILES),
  ...maybe(random, share / 3, "seLinuxOptions", SELINUX),
  ...maybe(random, share / 4, "windowsOptions", [{}, { hostProcess: true }, { hostProcess: false }]),
});

const containerOf = (random: Random, name: string, share: number): object => ({
  name,
  image: "i",
  ...maybe(random, share / 2, "ports", PORTS),
  ...maybe(random, share / 2, "livenessProbe", ACTIONS),
  ...maybe(random, share / 4, "readinessProbe", ACTIONS),
  ...maybe(random, share / 4, "startupProbe", ACTIONS),
  ...maybe(random, share / 4, "lifecycle", [
    { preStop: pick(random, ACTIONS) },
    { postStart: pick(random, ACTIONS) },
    {},
  ]),
  ...maybe(random, 0.8, "securityContext", [
    {
      ...securityOf(random, share),
      ...maybe(random, share, "capabilities", CAPABILITIES),
      ...maybe(random, 0.6, "allowPrivilegeEscalation", [false, false, true]),
      ...maybe(random, share / 3, "privileged", TRUE_OR_FALSE),
      ...maybe(random, share / 3, "procMount", ["Default", "Unmasked", "Odd"]),
    },
  ]),
});

/** Draws a Pod. */
export function drawPod(random: Random): DrawnPod {
  const share = pick(random, [0, 0.2, 0.5, 0.8]);
  const annotations = ANNOTATIONS.filter(() => random.next() < share / 3);
  const list = (...names: string[]): object[] => names.map((name) => containerOf(random, name, share));
  const volumes = SOURCES.filter(() => random.next() < share / 4).map((source, i) => ({ name: `v${i}`, ...source }));
  return {
    metadata: { name: "p", ...(annotations.length > 0 ? { annotations: Object.fromEntries(annotations) } : {}) },
    spec: {
      ...maybe(random, share / 3, "hostNetwork", TRUE_OR_FALSE),
      ...maybe(random, share / 4, "hostPID", TRUE_OR_FALSE),
      ...maybe(random, share / 4, "hostIPC", TRUE_OR_FALSE),
      ...maybe(random, 0.15, "hostUsers", TRUE_OR_FALSE),
      ...maybe(random, 0.15, "os", [{ name: "windows" }, { name: "linux" }]),
      ...(volumes.length > 0 ? { volumes } : {}),
      containers: random.next() < 0.5 ? list("a") : list("b", "a"),
      ...(random.next() < 0.3 ? { initContainers: list("i") } : {}),
      ...(random.next() < 0.2 ? { ephemeralContainers: list("e") } : {}),
      ...maybe(random, 0.8, "securityContext", [
        {
          ...securityOf(random, share),
          ...maybe(random, share / 3, "sysctls", [
            SYSCTLS.filter(() => random.next() < 0.4).map((name) => ({ name, value: "1" })),
          ]),
        },
      ]),
    },
  };
}
