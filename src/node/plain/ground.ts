/**
 * What plugins of plain volumes share: their sources, programs of the machine, places of mounts, groups.
 *
 * @module
 */
import { mkdir, rmdir } from "node:fs/promises";
import { dirname } from "node:path";
import type { PersistentVolume } from "../../client/kinds/index.ts";
import type { PodVolume } from "../../volumes/contract.ts";
import { type NeededVolume, type NodeGround, VolumeError } from "../contract.ts";
import { codeOf, ignoreMissing } from "../mounts/held-directory.ts";
import { type Ended, findProgram, runProgram } from "../mounts/run-program.ts";
import { applyGroup } from "../ownership/apply-group.ts";

/** Programs of the machine. */
export interface Programs {
  /** Runs one to its end, whatever its exit code. */
  run(program: string, args: readonly string[], signal?: AbortSignal): Promise<Ended>;
  /** Where it is; undefined where it is not on this machine. */
  find(program: string): Promise<string | undefined>;
}

/** What operators say of plain volumes, and what tests put in place of the machine. */
export interface PlainOptions {
  /** In which images lie as directories (NODE-63); without it image volumes fail. */
  readonly imageDirectory?: string | undefined;
  readonly programs?: Programs;
  /** Where the system lists its devices: `/dev`. */
  readonly devices?: string;
  /** Where the system shows itself: `/sys`. */
  readonly system?: string;
}

/** What a plugin of plain volumes is made of. */
export interface PlainGround extends NodeGround {
  readonly programs: Programs;
  readonly devices: string;
  readonly system: string;
}

/** A plugin's ground, with the machine where nothing stands for it. */
export const plainGround = (ground: NodeGround, options: PlainOptions = {}): PlainGround => ({
  ...ground,
  programs: options.programs ?? {
    run: (program, args, signal) => runProgram(program, args, { clock: ground.clock, signal }),
    find: findProgram,
  },
  devices: options.devices ?? "/dev",
  system: options.system ?? "/sys",
});

type Sources = Omit<PodVolume, "name"> & PersistentVolume["spec"];

/** The source of a volume by the name of its member: of its PersistentVolume, or as its Pod describes it. */
export const sourceOf = <M extends keyof Sources>(needed: Pick<NeededVolume, "persistent" | "volume">, member: M) =>
  ((needed.persistent ? needed.persistent.volume.spec : needed.volume) as Sources)[member];

/** The namespace in which what a volume refers to lies, where it does not say: the claim's, which is the Pod's. */
export const namespaceOf = ({ pod }: NeededVolume): string => pod.metadata.namespace ?? "";

/** Options of a mount that the PersistentVolume asks for; a Pod cannot. */
export const mountOptionsOf = ({ persistent }: NeededVolume): readonly string[] =>
  persistent?.volume.spec.mountOptions ?? [];

/** Refuses a volume that asks for a device where there are only files. */
export function demandFileSystem({ mode }: NeededVolume, kind: string): void {
  if (mode === "Block") throw new VolumeError(`${kind} volumes are directories: none can be given as a block device`);
}

/** Refuses what only a mount can make on a machine where none can be made. */
export function demandMounts({ mounter }: NodeGround, kind: string): void {
  if (mounter.canMount) return;
  throw new VolumeError(`${kind} volumes need the right to mount, which this agent has not: run it as root`);
}

/** Refuses a volume whose program is not here. */
export async function demandProgram(
  { programs }: PlainGround,
  kind: string,
  program: string,
  from: string,
): Promise<void> {
  if (await programs.find(program)) return;
  throw new VolumeError(`${kind} volumes need the program ${program}, which is not on this machine: install ${from}`);
}

/** An empty directory at which something will be mounted. */
export async function makeDirectory(path: string, mode = 0o750): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o750 });
  await mkdir(path, { mode }).catch((error: unknown) => {
    if (codeOf(error) !== "EEXIST") throw error;
  });
}

/** Takes a mount away, and then its place, but nothing that is in it: what is not empty stays (NODE-9). */
export async function removeMount({ mounter }: NodeGround, path: string): Promise<void> {
  await mounter.unmount(path);
  await rmdir(path).catch(ignoreMissing);
}

/** Gives a volume to the group of its Pod (NODE-39, NODE-40, NODE-42). */
export class Groups {
  readonly #ground: NodeGround;
  /** To which group the volume at a path was given by this process: it is not given at every look. */
  readonly #given = new Map<string, number>();

  constructor(ground: NodeGround) {
    this.#ground = ground;
  }

  async give({ pod, path, readOnly }: NeededVolume, signal: AbortSignal): Promise<void> {
    const { fsGroup, fsGroupChangePolicy } = pod.spec.securityContext ?? {};
    if (fsGroup === undefined || this.#given.get(path) === fsGroup || !mayGive(this.#ground, fsGroup)) return;
    await applyGroup(`${path}/.`, { gid: fsGroup, readOnly, changePolicy: fsGroupChangePolicy }, { signal });
    this.#given.set(path, fsGroup);
  }

  forget(path: string): void {
    this.#given.delete(path);
  }
}

/** Whether this process may give files to a group; that it may not is told. */
export function mayGive({ log }: NodeGround, group: number): boolean {
  if (process.geteuid?.() === 0 || process.getgroups?.().includes(group)) return true;
  log.warn("This agent is not root: volumes are not given to the groups of their Pods", { group });
  return false;
}
