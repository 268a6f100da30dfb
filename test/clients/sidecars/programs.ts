/**
 * The sidecars of Kubernetes: how they are built, and how each is run beside a server and a driver.
 *
 * @module
 */
import { type ChildProcess, spawnSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import type { Beside, Found } from "../beside.ts";
import type { Source } from "../built.ts";

const SNAPSHOTTER = "github.com/kubernetes-csi/external-snapshotter/client/v8";

const PACKAGES = [
  "external-attacher/v4/cmd/csi-attacher",
  "external-resizer/v2/cmd/csi-resizer",
  "external-snapshotter/v8/cmd/csi-snapshotter",
  "external-snapshotter/v8/cmd/snapshot-controller",
].map((path) => `github.com/kubernetes-csi/${path}`);

/** What is built: a driver, the sidecars, and the definitions of snapshots as their module has them. */
export const SIDECARS_SOURCE: Source = {
  name: "csi-sidecars",
  folder: import.meta.dirname,
  commands: (output) => [
    ["go", "build", "-o", `${output}/`, ".", ...PACKAGES],
    // It needs other versions of what they have in common.
    ["go", "build", "-C", "provisioner", "-o", `${output}/`, "tool"],
    ["sh", "-c", `cp "$(go list -m -f '{{.Dir}}' ${SNAPSHOTTER})"/config/crd/snapshot.*.yaml "$0"`, output],
  ],
};

const FAST = ["--kube-api-qps=200", "--kube-api-burst=200"];
const RETRIES = ["--retry-interval-start=100ms", "--retry-interval-max=500ms"];
const CALLS = ["--timeout=10s"];
const CAPACITY = ["--enable-capacity", "--capacity-ownerref-level=-1", "--capacity-poll-interval=1s"];

/** The sidecars by name, with their options in addition to the common ones. */
const SIDECARS = {
  provisioner: ["csi-provisioner", ...CAPACITY, "--kube-api-capacity-qps=50", "--extra-create-metadata", ...CALLS],
  attacher: ["csi-attacher", "--reconcile-sync=2s", ...CALLS],
  resizer: ["csi-resizer", ...CALLS],
  snapshotter: ["csi-snapshotter", "--extra-create-metadata", ...CALLS],
  // It ends if it cannot list its kinds within this time, and spends all of it waiting for those of groups of snapshots.
  "snapshot-controller": ["snapshot-controller", "--retry-crd-interval-max=8s"],
} as const;

/** One of them. */
export type Sidecar = keyof typeof SIDECARS;

const ELECTION = [
  "--leader-election",
  "--leader-election-namespace=default",
  "--leader-election-lease-duration=3s",
  "--leader-election-renew-deadline=2s",
  "--leader-election-retry-period=500ms",
];

/** A command line that runs a program with another host name, by which elections distinguish sidecars. */
const onHost = (host: string, program: string): readonly string[] => {
  const script = 'hostname "$0" && exec "$@"';
  return ["unshare", "--user", "--map-root-user", "--uts", "sh", "-c", script, host, program];
};

/** Whether programs can be run as on other machines here. */
export const canBeElsewhere: boolean = (() => {
  const [file, ...args] = onHost("elsewhere", "hostname");
  return spawnSync(file!, args, { encoding: "utf8" }).stdout?.trim() === "elsewhere";
})();

/** How a sidecar is run. */
export interface SidecarOptions {
  /** The folder with the programs. */
  readonly bin: string;
  /** The socket of its driver. */
  readonly socket: string;
  /** The server that it uses; that beside it by default. */
  readonly kubeconfig?: string;
  /** The host where it is one of several that elect a leader. */
  readonly electsOn?: string | undefined;
}

/** Starts a sidecar beside a server. */
export function startSidecar(world: Beside, name: Sidecar, options: SidecarOptions): ChildProcess {
  const { bin, socket, kubeconfig = world.kubeconfig, electsOn } = options;
  const [file, ...args] = SIDECARS[name];
  const driver = name === "snapshot-controller" ? [] : [`--csi-address=${socket}`];
  const all = [...args, ...RETRIES, ...FAST, ...driver, `--kubeconfig=${kubeconfig}`];
  const program = join(bin, file);
  const command = electsOn === undefined ? [program, ...all] : [...onHost(electsOn, program), ...all, ...ELECTION];
  return world.run(command, { NAMESPACE: "default", POD_NAME: file }, file);
}

/** Makes the kinds of snapshots, as the module of their sidecars defines them. @param bin the folder with the programs */
export async function defineSnapshots(world: Beside, bin: string): Promise<void> {
  const files = readdirSync(bin).filter((file) => file.endsWith(".yaml"));
  const definitions = files.map((file) => parse(readFileSync(join(bin, file), "utf8")) as Found);
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const isServed = ({ status }: Found): boolean =>
    status?.conditions?.some(({ type, status: is }: Found) => type === "Established" && is === "True") === true;
  await Promise.all(definitions.map((definition) => world.create(path, definition)));
  await Promise.all(definitions.map(({ metadata }) => world.once(`${path}/${metadata.name}`, isServed)));
}
