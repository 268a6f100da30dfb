/**
 * What this machine is, as its Node says it.
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
  /** The address that others reach it by. */
  readonly address: string;
  readonly os: string;
  readonly architecture: string;
  readonly nodeInfo: Node["status"]["nodeInfo"];
}

/** Whether this machine labels files for SELinux (NODE-43): its file system is mounted where it always is. */
export const hasSELinux = (): boolean => existsSync("/sys/fs/selinux/enforce");

/** How many Pods a node takes that does not say. */
const MOST_PODS = 110;

/**
 * Looks at this machine.
 *
 * @param root a directory on the disk whose size is that of ephemeral storage
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
      pods: String(MOST_PODS),
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

/** The first address of another interface than loopback; IPv4 before IPv6. */
function addressOf(): string {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const outer = all.filter(({ internal, scopeid = 0 }) => !internal && scopeid === 0);
  const found = outer.find(({ family }) => family === "IPv4") ?? outer[0];
  return found?.address ?? "127.0.0.1";
}

/** A file with one line or a few; empty where it cannot be read. */
function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8").trim();
  } catch {
    return "";
  }
}
