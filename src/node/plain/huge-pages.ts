/**
 * The page size of an emptyDir in huge pages (NODE-55).
 *
 * @module
 */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Pod } from "../../client/kinds/index.ts";
import { wholeNumber } from "../../meta/quantity.ts";
import { VolumeError } from "../contract.ts";
import { ignoreMissing } from "../mounts/held-directory.ts";
import type { PlainContext } from "./plain-context.ts";

const RESOURCE = "hugepages-";

/**
 * The mount option for the page size. @throws VolumeError where it is not known, or the machine does not have such pages
 */
export async function hugePagesOption({ system }: PlainContext, pod: Pod, medium: string): Promise<string> {
  const size = medium.startsWith("HugePages-") ? medium.slice("HugePages-".length) : onlySize(pod);
  const bytes = wholeNumber(size);
  if (bytes === undefined || bytes <= 0n) {
    throw new VolumeError(`emptyDir of medium ${medium}: expected a page size, got ${size}`);
  }
  const sizes = (await readdir(join(system, "kernel/mm/hugepages")).catch(ignoreMissing)) ?? [];
  if (!sizes.includes(`hugepages-${bytes / 1024n}kB`)) {
    const has = sizes.length === 0 ? "none" : sizes.map((name) => name.slice("hugepages-".length)).join(", ");
    throw new VolumeError(`emptyDir of medium ${medium}: this machine has no huge pages of ${size}; it has ${has}`);
  }
  return `pagesize=${bytes}`;
}

/** The only page size that the containers of a Pod request. */
function onlySize({ spec }: Pod): string {
  const sizes = new Set(
    [...(spec.initContainers ?? []), ...spec.containers].flatMap(({ resources }) =>
      [...Object.keys(resources?.requests ?? {}), ...Object.keys(resources?.limits ?? {})]
        .filter((name) => name.startsWith(RESOURCE))
        .map((name) => name.slice(RESOURCE.length)),
    ),
  );
  const [size, ...more] = sizes;
  if (size !== undefined && more.length === 0) return size;
  const requested = sizes.size === 0 ? "the containers request no huge pages" : `got ${[...sizes].join(" and ")}`;
  throw new VolumeError(`emptyDir of medium HugePages: expected one page size, ${requested}; or use HugePages-2Mi`);
}
