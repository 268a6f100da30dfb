/**
 * Containers as processes of this machine, for tests: the agent runs their commands with their variables and their mounts,
 * init containers in order, with the restart policy of the Pod. There are no images: the programs are those of the machine.
 *
 *     ROOT/pods/UID/logs/NAME.log            its log; `log-files.ts` has the other files
 *     ROOT/pods/UID/containers/NAME.json     its process
 *     ROOT/pods/UID/containers/NAME/root     its mounts
 *
 * @module
 */
import { assert } from "../../../util/assert.ts";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Client } from "../../../client/index.ts";
import type { Pod } from "../../../client/kinds/index.ts";
import { badRequest } from "../../../meta/status.ts";
import type { Clock } from "../../../util/clock.ts";
import type { MadeVolume, Mounter } from "../../contract.ts";
import { pathPart, podDirectory } from "../../paths.ts";
import { expandSubPath, mountSubPath, subPathTarget } from "../../subpath/index.ts";
import type { Container, ContainerStates, Containers } from "../contract.ts";
import type { LogQuery } from "../log-query.ts";
import { ContainerRun } from "./container-run.ts";
import { environmentOf, expandedWords } from "./environment.ts";
import { type ContainerMount, launchOf } from "./launch.ts";
import { keepPreviousLogs, logFiles } from "./log-files.ts";
import { openLog } from "./read-log.ts";
import { type Process, killLeftover, startProcess } from "./process.ts";
import { rotateLog } from "./rotate-log.ts";

/** Options of containers as processes. */
export interface ExecOptions {
  readonly root: string;
  readonly client: Client;
  readonly mounter: Mounter;
  readonly clock: Clock;
  readonly allocatable: () => Readonly<Record<string, string>>;
  /** Reconciles a Pod: the status of a container has changed. */
  readonly onChange: (podUid: string) => void;
}

/** A Pod with its containers. */
interface PodRun {
  pod: Pod;
  volumes: ReadonlyMap<string, MadeVolume>;
  readonly init: readonly ContainerRun[];
  readonly main: readonly ContainerRun[];
}

/** The mode `exec`. */
export class ExecContainers implements Containers {
  readonly #options: ExecOptions;
  readonly #runs = new Map<string, PodRun>();
  readonly #closing = new AbortController();

  constructor(options: ExecOptions) {
    this.#options = options;
  }

  async sync(pod: Pod, volumes: ReadonlyMap<string, MadeVolume> | undefined): Promise<ContainerStates> {
    const run = await this.#runOf(pod);
    if (volumes) {
      run.volumes = volumes;
      this.#advance(run);
    }
    return statesOf(run);
  }

  async stop(podUid: string, graceMillis: number): Promise<boolean> {
    const run = this.#runs.get(podUid);
    if (run) return [...run.main, ...run.init].map((one) => one.stop(graceMillis)).every((isOver) => isOver);
    await this.#killLeftovers(podUid);
    return true;
  }

  ended(pod: Pod): ContainerStates | undefined {
    const run = this.#runs.get(pod.metadata.uid);
    return run && [...run.init, ...run.main].some(({ hasBegun }) => hasBegun) ? statesOf(run) : undefined;
  }

  forget(podUid: string): void {
    this.#runs.delete(podUid);
  }

  async log(pod: Pod, query: LogQuery, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    const { root, clock } = this.#options;
    const { uid, name } = pod.metadata;
    const container = query.container || (pod.spec.containers[0]?.name ?? "");
    const run = this.#runs.get(uid);
    const [known] = [...(run?.main ?? []), ...(run?.init ?? [])].filter((one) => one.container.name === container);
    const found = await openLog(logFiles(root, uid, container, query.previous), query, {
      clock,
      signal: AbortSignal.any([signal, this.#closing.signal]),
      hasEnded: () => query.previous || known?.isRunning !== true,
    });
    if (found) return found;
    if (query.previous) throw badRequest(`previous terminated container "${container}" in pod "${name}" not found`);
    const why = known?.status.state.waiting?.reason ?? "ContainerCreating";
    throw badRequest(`container "${container}" in pod "${name}" is waiting to start: ${why}`);
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error("the agent stops"));
    await Promise.all([...this.#runs.values()].flatMap(({ init, main }) => [...init, ...main].map((one) => one.end())));
  }

  async #runOf(pod: Pod): Promise<PodRun> {
    const { uid } = pod.metadata;
    const known = this.#runs.get(uid);
    if (known) {
      known.pod = pod;
      return known;
    }
    await this.#killLeftovers(uid);
    const { initContainers = [], containers } = pod.spec;
    const { initContainerStatuses = [], containerStatuses = [] } = pod.status;
    const statuses = [...initContainerStatuses, ...containerStatuses];
    const runOf = (container: Container): ContainerRun =>
      new ContainerRun({
        container,
        known: statuses.find(({ name }) => name === container.name),
        clock: this.#options.clock,
        start: () => this.#start(run, container),
        onChange: () => this.#options.onChange(uid),
      });
    const run: PodRun = { pod, volumes: new Map(), init: initContainers.map(runOf), main: containers.map(runOf) };
    this.#runs.set(uid, run);
    return run;
  }

  /** Starts what is due: one init container after the other, then all others. */
  #advance({ pod, init, main }: PodRun): void {
    if (this.#closing.signal.aborted) return;
    const policy = pod.spec.restartPolicy ?? "Always";
    for (const run of init) {
      const isSidecar = run.container.restartPolicy === "Always";
      if (!isSidecar && run.exitCode === 0) continue;
      if (isSidecar || run.exitCode === undefined || policy !== "Never") run.begin();
      if (!isSidecar || !run.isRunning) return;
    }
    for (const run of main) {
      const { exitCode } = run;
      if (exitCode === undefined || policy === "Always" || (policy === "OnFailure" && exitCode !== 0)) run.begin();
    }
  }

  async #start(run: PodRun, container: Container): Promise<Process> {
    const { root, client, mounter, clock, allocatable } = this.#options;
    const { pod } = run;
    const { uid } = pod.metadata;
    const { signal } = this.#closing;
    const variables = await environmentOf({ client, allocatable, signal }, pod, container);
    const command = expandedWords([...(container.command ?? []), ...(container.args ?? [])], variables);
    if (command.length === 0) throw new Error("expected a command: this node has no images with commands");
    const folder = join(podDirectory(root, uid), "containers");
    const directory = join(folder, pathPart(container.name));
    const mounts = await this.#mountsOf(run, container, variables);
    const { workingDir } = container;
    const started = await launchOf(
      { command, workingDir: workingDir || undefined, mounts, user: userOf(pod, container), directory, root },
      mounter,
    );
    await keepPreviousLogs(root, uid, container.name);
    const log = logFiles(root, uid, container.name);
    const files = { log: log.file, record: recordOf(folder, container) };
    const { PATH = "/usr/bin:/bin" } = process.env;
    const env = {
      PATH,
      HOSTNAME: pod.metadata.name,
      ...Object.fromEntries(variables),
      KEELSON_ROOT: started.shownRoot,
    };
    signal.throwIfAborted();
    const running = await startProcess(started, files, env);
    void rotateLog(log, running.ended, clock);
    return running;
  }

  async #mountsOf(
    { pod, volumes }: PodRun,
    { name, volumeMounts = [], volumeDevices = [] }: Container,
    variables: ReadonlyMap<string, string>,
  ): Promise<readonly ContainerMount[]> {
    const { root, mounter } = this.#options;
    const mounts: ContainerMount[] = [];
    for (const [number, mount] of volumeMounts.entries()) {
      const { mountPath: path, readOnly = false, subPath = "", subPathExpr = "" } = mount;
      const { source: volume } = madeIn(volumes, mount.name);
      const part = subPathExpr === "" ? subPath : expandSubPath(subPathExpr, variables);
      const target = subPathTarget(root, pod.metadata.uid, [mount.name, name, number]);
      const source = part === "" ? volume : await mountSubPath({ volume, subPath: part, target, readOnly }, mounter);
      mounts.push({ source, path, readOnly, isDirectory: (await stat(source)).isDirectory() });
    }
    for (const { name: device, devicePath: path } of volumeDevices) {
      mounts.push({ source: madeIn(volumes, device).source, path, readOnly: false, isDirectory: false });
    }
    // A mount inside of another one is made after it.
    return mounts.toSorted((a, b) => a.path.split("/").length - b.path.split("/").length);
  }

  /** Kills the containers of a Pod that an earlier agent has started. */
  async #killLeftovers(podUid: string): Promise<void> {
    const folder = join(podDirectory(this.#options.root, podUid), "containers");
    for (const name of await readdir(folder).catch((): string[] => [])) {
      if (name.endsWith(".json")) await killLeftover(join(folder, name));
    }
  }
}

const recordOf = (folder: string, { name }: Container): string => join(folder, `${name}.json`);

const statesOf = ({ init, main }: PodRun): ContainerStates => ({
  init: init.map(({ status, container }) =>
    container.restartPolicy === "Always" ? status : { ...status, ready: status.state.terminated?.exitCode === 0 },
  ),
  main: main.map(({ status }) => status),
});

/** The user and the groups of a process; undefined where the Pod names none. */
function userOf({ spec }: Pod, { securityContext }: Container) {
  const { runAsUser, runAsGroup, fsGroup, supplementalGroups = [] } = spec.securityContext ?? {};
  const uid = securityContext?.runAsUser ?? runAsUser;
  const gid = securityContext?.runAsGroup ?? runAsGroup;
  const groups = [...(fsGroup === undefined ? [] : [fsGroup]), ...supplementalGroups];
  if (uid === undefined && gid === undefined && groups.length === 0) return undefined;
  return { uid: uid ?? 0, gid: gid ?? 0, groups: groups.length === 0 ? [gid ?? 0] : groups };
}

function madeIn(volumes: PodRun["volumes"], name: string): MadeVolume {
  const made = volumes.get(name);
  assert(made, "containers start when their volumes are set up");
  return made;
}
