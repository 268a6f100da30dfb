/**
 * The context of plain volume plugins in tests: nothing of the machine except a directory, unless a test adds it.
 *
 * @module
 */
import { join } from "node:path";
import type { Client } from "../../../client/index.ts";
import type { PersistentVolume, Pod } from "../../../client/kinds/index.ts";
import { kubernetes } from "../../../meta/dialect.ts";
import { ManualClock, seededRandom } from "../../../util/clock.ts";
import { silentLog } from "../../../util/log.ts";
import type { PodVolume } from "../../../volumes/contract.ts";
import type { FoundVolume, NeededVolume, PluginContext, VolumePlugin } from "../../contract.ts";
import { ManualMounter } from "../../mounts/testing/manual-mounter.ts";
import { volumePath } from "../../paths.ts";
import { type PlainContext, type PlainOptions, type Programs, plainContext } from "../plain-context.ts";

/** What a test adds to the context. */
export interface TestContext extends Partial<PluginContext>, PlainOptions {
  readonly root: string;
  /** Objects of the server, by `Kind namespace/name`. */
  readonly objects?: Readonly<Record<string, object>>;
}

/** See the head of this file. */
export function testContext({
  objects = {},
  programs = noPrograms,
  devices,
  system,
  ...more
}: TestContext): PlainContext {
  const find = ({ kind }: { kind: string }) => ({
    find: ({ name, namespace }: { name: string; namespace?: string }) =>
      Promise.resolve(objects[`${kind} ${namespace}/${name}`]),
  });
  const context: PluginContext = {
    node: "node-1",
    dialect: kubernetes,
    client: { resource: find } as unknown as Client,
    clock: new ManualClock(),
    random: seededRandom(1),
    log: silentLog,
    activity: undefined,
    mounter: new ManualMounter(),
    informer: () => {
      throw new Error("plain volumes use no informers");
    },
    pods: () => [],
    lookAt: () => {},
    event: () => {},
    allocatable: () => ({}),
    ...more,
  };
  return plainContext(context, {
    programs,
    devices: devices ?? join(more.root, "no-devices"),
    system: system ?? join(more.root, "no-system"),
  });
}

/** A machine without programs. */
export const noPrograms: Programs = {
  run: (program) => Promise.reject(new Error(`a test did not expect ${program}`)),
  find: () => Promise.resolve(undefined),
};

/** A machine with some programs. */
export const somePrograms = (...programs: string[]): Programs => ({
  run: (program, args) => noPrograms.run(program, args),
  find: (program) => Promise.resolve(programs.includes(program) ? `/sbin/${program}` : undefined),
});

/** A volume in the spec of a Pod, or of a PersistentVolume. */
export function needed(
  root: string,
  kind: string,
  what: {
    readonly volume?: Partial<PodVolume>;
    readonly persistent?: Partial<PersistentVolume["spec"]>;
    readonly pod?: Partial<Pod["spec"]>;
    readonly readOnly?: boolean;
    readonly mode?: NeededVolume["mode"];
  },
): NeededVolume {
  const { persistent, readOnly = false, mode = "Filesystem" } = what;
  const pod = {
    metadata: { name: "pod", namespace: "space", uid: "uid" },
    spec: { containers: [], ...what.pod },
  } as unknown as Pod;
  const volume: PodVolume = { name: "volume", ...what.volume };
  const own = { pod, volume, path: volumePath(root, "uid", kind, persistent ? "pv" : "volume"), mode, readOnly };
  if (!persistent) return own;
  const claim = { metadata: { name: "claim", namespace: "space" }, spec: {}, status: {} };
  return { ...own, persistent: { claim, volume: { metadata: { name: "pv" }, spec: persistent } } as never };
}

/** The volume as it is found on disk. */
export const found = ({ path, mode, persistent }: NeededVolume, { kind }: VolumePlugin): FoundVolume => ({
  podUid: "uid",
  name: persistent ? "pv" : "volume",
  kind,
  path,
  mode,
});

/** A signal that is never aborted. */
export const going: AbortSignal = new AbortController().signal;
