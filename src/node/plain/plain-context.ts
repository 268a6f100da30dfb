/**
 * What the plain volume plugins share: sources of volumes, programs, mount points and groups.
 *
 * @module
 */
import { assert } from "../../util/assert.ts";
import { mkdir, rmdir } from "node:fs/promises";
import { dirname } from "node:path";
import type { PersistentVolume } from "../../client/kinds/index.ts";
import type { PodVolume } from "../../volumes/contract.ts";
import { type NeededVolume, type PluginContext, VolumeError } from "../contract.ts";
import { ignoreMissing } from "../mounts/held-directory.ts";
import { type Ended, findProgram, runProgram } from "../mounts/run-program.ts";
import { applyGroup } from "../ownership/apply-group.ts";
import { codeOf } from "../../util/error.ts";

/** Programs of the machine. */
export interface Programs {
  /** Runs one to its end, with any exit code. */
  run(program: string, args: readonly string[], signal?: AbortSignal): Promise<Ended>;
  /** Its path; undefined where it is not installed. */
  find(program: string): Promise<string | undefined>;
}

/** Settings of plain volumes, and replacements of the machine for tests. */
export interface PlainOptions {
  /** The directory with images as directories (NODE-63); without it image volumes fail. */
  readonly imageDirectory?: string | undefined;
  readonly programs?: Programs;
  /** The directory of devices: `/dev`. */
  readonly devices?: string;
  /** The directory of the kernel: `/sys`. */
  readonly system?: string;
}

/** The context of the plain volume plugins. */
export interface PlainContext extends PluginContext {
  readonly programs: Programs;
  readonly devices: string;
  readonly system: string;
}

/** The context of the plain volume plugins, with this machine by default. */
export const plainContext = (context: PluginContext, options: PlainOptions = {}): PlainContext => ({
  ...context,
  programs: options.programs ?? {
    run: (program, args, signal) => runProgram(program, args, { clock: context.clock, signal }),
    find: findProgram,
  },
  devices: options.devices ?? "/dev",
  system: options.system ?? "/sys",
});

type Sources = Omit<PodVolume, "name"> & PersistentVolume["spec"];

/** A source of a volume by the name of its member, of its PersistentVolume or in the Pod's spec. */
export const sourceOf = <M extends keyof Sources>(needed: Pick<NeededVolume, "persistent" | "volume">, member: M) =>
  ((needed.persistent ? needed.persistent.volume.spec : needed.volume) as Sources)[member];

/** The source of a volume of a plugin. @throws where it has another one, which is a fault of the program */
export function ownSource<M extends keyof Sources>(
  needed: Pick<NeededVolume, "persistent" | "volume">,
  member: M,
): NonNullable<Sources[M]> {
  const source = sourceOf(needed, member);
  assert(source, "a plugin gets volumes that it makes");
  return source;
}

/** The namespace of objects that a volume refers to: that of the claim, which is that of the Pod. */
export const namespaceOf = ({ pod }: NeededVolume): string => pod.metadata.namespace ?? "";

/** The mount options of the PersistentVolume; a Pod has none. */
export const mountOptionsOf = ({ persistent }: NeededVolume): readonly string[] =>
  persistent?.volume.spec.mountOptions ?? [];

/** Refuses a block volume. */
export function requireFileSystem({ mode }: NeededVolume, kind: string): void {
  if (mode === "Block") throw new VolumeError(`${kind} volumes are directories, expected no volumeDevices`);
}

/** Refuses a volume that needs a mount where this process may not mount. */
export function requireMounts({ mounter }: PluginContext, kind: string): void {
  if (mounter.canMount) return;
  throw new VolumeError(`${kind} volumes need the right to mount, which this agent does not have: run it as root`);
}

/** Refuses a volume that needs a missing program. */
export async function requireProgram(
  { programs }: PlainContext,
  kind: string,
  program: string,
  hint: string,
): Promise<void> {
  if (await programs.find(program)) return;
  throw new VolumeError(`${kind} volumes need the program ${program}, which is not installed: install ${hint}`);
}

/** Creates an empty directory for a mount. */
export async function makeDirectory(path: string, mode = 0o750): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o750 });
  await mkdir(path, { mode }).catch((error: unknown) => {
    if (codeOf(error) !== "EEXIST") throw error;
  });
}

/** Unmounts a path and removes the directory; one with content stays (NODE-9). */
export async function removeMount({ mounter }: PluginContext, path: string): Promise<void> {
  await mounter.unmount(path);
  await rmdir(path).catch(ignoreMissing);
}

/** Applies the groups of Pods to volumes (NODE-39, NODE-40, NODE-42). */
export class Groups {
  readonly #context: PluginContext;
  /** The groups that this process has applied, by path: they are not applied at every reconcile. */
  readonly #applied = new Map<string, number>();

  constructor(context: PluginContext) {
    this.#context = context;
  }

  async apply({ pod, path, readOnly }: NeededVolume, signal: AbortSignal): Promise<void> {
    const { fsGroup, fsGroupChangePolicy } = pod.spec.securityContext ?? {};
    if (fsGroup === undefined || this.#applied.get(path) === fsGroup || !mayApplyGroup(this.#context, fsGroup)) return;
    await applyGroup(`${path}/.`, { gid: fsGroup, readOnly, changePolicy: fsGroupChangePolicy }, { signal });
    this.#applied.set(path, fsGroup);
  }

  forget(path: string): void {
    this.#applied.delete(path);
  }
}

/** Whether this process may change the group of files; logs a warning where not. */
export function mayApplyGroup({ log }: PluginContext, group: number): boolean {
  if (process.geteuid?.() === 0 || process.getgroups?.().includes(group)) return true;
  log.warn("This agent is not root: the groups of Pods are not applied to volumes", { group });
  return false;
}
