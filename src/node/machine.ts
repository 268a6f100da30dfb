/**
 * The properties of this machine for its Node.
 *
 * @module
 */
import { existsSync, readFileSync, statfsSync } from "node:fs";
import { arch, availableParallelism, hostname, networkInterfaces, platform, release, totalmem } from "node:os";
import type { Node } from "../client/kinds/index.ts";

/** Facts about a machine. */
export interface Machine {
  /** By resource, as quantities. */
  readonly capacity: Readonly<Record<string, string>>;
  readonly hostname: string;
  /** The address that other machines can connect to. */
  readonly address: string;
  readonly os: string;
  readonly architecture: string;
  readonly nodeInfo: Node["status"]["nodeInfo"];
}

/** Whether this machine labels files for SELinux (NODE-43): its file system is mounted at the default path. */
export const hasSELinux = (): boolean => existsSync("/sys/fs/selinux/enforce");

/** The default of a kubelet. */
const MAX_PODS = 110;

/**
 * Reads the properties of this machine.
 *
 * @param root a directory on the disk for ephemeral storage
 * @param version of the agent
 */
export function thisMachine(root: string, version: string): Machine {
  const os = platform() === "win32" ? "windows" : platform();
  const architecture = ARCHITECTURES[arch()] ?? arch();
  const { bsize, blocks } = statfsSync(root);
  return {
    capacity: {
      cpu: String(availableParallelism()),
      memory: `${Math.floor(totalmem() / 1024)}Ki`,
      "ephemeral-storage": `${Math.floor((bsize * blocks) / 1024)}Ki`,
      pods: String(MAX_PODS),
    },
    hostname: hostname(),
    address: addressOf(),
    os,
    architecture,
    nodeInfo: {
      machineID: textOf("/etc/machine-id"),
      systemUUID: textOf("/sys/class/dmi/id/product_uuid"),
      bootID: textOf("/proc/sys/kernel/random/boot_id"),
      kernelVersion: release(),
      osImage: /^PRETTY_NAME="?([^"\n]*)/m.exec(textOf("/etc/os-release"))?.[1] ?? os,
      containerRuntimeVersion: `keelson://${version}`,
      kubeletVersion: `v${version}`,
      kubeProxyVersion: "",
      operatingSystem: os,
      architecture,
    },
  };
}

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: "amd64", ia32: "386" };

/** The first address of an interface other than loopback; IPv4 before IPv6. */
function addressOf(): string {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const outer = all.filter(({ internal, scopeid = 0 }) => !internal && scopeid === 0);
  const found = outer.find(({ family }) => family === "IPv4") ?? outer[0];
  return found?.address ?? "127.0.0.1";
}

/** The text of a file; empty where it cannot be read. */
function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8").trim();
  } catch {
    return "";
  }
}
