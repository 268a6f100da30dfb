/** Checks of the machine: Node.js, memory, processors, open files. */
import { type Check, fail, ok, sizeText, warn } from "./check.ts";

const MIB = 1024 ** 2;
/** A server that stores little takes some 150 MiB. */
const LEAST_MEMORY = 256 * MIB;
const GOOD_MEMORY = 512 * MIB;
/** Each connection is an open file. */
const GOOD_FILES = 4096;

/** The platforms on which the tests run. */
const TESTED = ["linux x64"];

/** Checks Node.js and the platform. */
export function nodeCheck(version: string, platform: string, arch: string): Check {
  const found = `${version} on ${platform} ${arch}`;
  if (TESTED.includes(`${platform} ${arch}`)) return ok("Node.js", found);
  const advice = "our tests run on linux x64; docs/reference/platforms.md describes the others";
  return platform === "win32" || platform === "darwin" ? warn("Node.js", found, advice) : ok("Node.js", found, advice);
}

/**
 * Checks the memory.
 *
 * @param total of the machine, in bytes
 * @param limit of the container, if there is one
 */
export function memoryCheck(total: number, limit: number | undefined): Check {
  const bytes = Math.min(total, limit ?? total);
  const found = limit !== undefined && limit < total ? `${sizeText(bytes)} (container)` : sizeText(bytes);
  const advice = `use ${sizeText(GOOD_MEMORY)} or more`;
  if (bytes < LEAST_MEMORY) return fail("memory", found, advice);
  return bytes < GOOD_MEMORY ? warn("memory", found, advice) : ok("memory", found);
}

/** Checks the processors: `quota` is what the container may use of them. */
export function processorCheck(count: number, quota: number | undefined): Check {
  const usable = Math.min(count, quota ?? count);
  const found = quota !== undefined && quota < count ? `${usable} of ${count} (container)` : String(count);
  return usable < 1
    ? warn("processors", found, "use at least one whole core: one core responds to all requests")
    : ok("processors", found);
}

/** Checks how many files the process may open. */
export function filesCheck(limit: number | undefined): Check {
  if (limit === undefined) return ok("open files", "unknown on this platform");
  const found = limit === Infinity ? "unlimited" : String(limit);
  if (limit >= GOOD_FILES) return ok("open files", found);
  return warn("open files", found, `each connection is one: ulimit -n ${GOOD_FILES}, or LimitNOFILE= of systemd`);
}

/** Parses `memory.max` of cgroup v2 or `memory.limit_in_bytes` of v1; undefined for no limit. */
export function memoryLimitOf(text: string | undefined): number | undefined {
  const bytes = Number(text?.trim());
  // Version 1 writes "no limit" as the largest number of pages.
  return Number.isSafeInteger(bytes) && bytes > 0 ? bytes : undefined;
}

/** Parses `cpu.max` of cgroup v2, such as `50000 100000`; undefined for no limit. */
export function processorQuotaOf(text: string | undefined): number | undefined {
  const [quota, period] = (text ?? "").trim().split(" ").map(Number);
  return quota && period && Number.isFinite(quota / period) ? quota / period : undefined;
}

/** Parses the soft limit of open files of `/proc/self/limits`. */
export function openFilesOf(text: string | undefined): number | undefined {
  const [, limit] = /^Max open files +(\S+)/m.exec(text ?? "") ?? [];
  return limit === undefined ? undefined : limit === "unlimited" ? Infinity : Number(limit);
}
