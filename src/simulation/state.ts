/** The state of the simulation of a cluster: images, running scripts, files of volumes. */
import type { Client } from "../client/client.ts";
import type { Node, Pod } from "../client/kinds/index.ts";
import { type Duration, millisOf } from "../util/duration.ts";
import { type Log, silentLog } from "../util/log.ts";
import type { ContainerLog, ImageScript, SimulationHost, SimulationSettings } from "./contract.ts";
import { matchOf } from "./images.ts";
import type { Container, ContainerStatus } from "./life/contract.ts";
import { startedAtOf } from "./life/states.ts";
import { environmentOf } from "./scripts/environment.ts";
import { FileStore } from "./scripts/files.ts";
import { ScriptRun } from "./scripts/run.ts";
import { mountsOf, readTexts } from "./scripts/volumes.ts";
import { StageBook } from "./stages/book.ts";

const MOMENT: Duration = "1s";
/** The number of images that are cached with their scripts, and the length of the longest one. */
const MAX_REMEMBERED_IMAGES = 10_000;
const MAX_REMEMBERED_IMAGE = 512;

/** The view of the controllers of a term on the cluster. */
export interface ClusterView {
  pod(namespace: string, name: string): Pod | undefined;
  pods(): readonly Pod[];
  node(name: string): Node | undefined;
  /** Reconciles a Pod again. */
  requeue(pod: Pod): void;
}

/** The state of the simulation of a cluster. */
export class SimulationState {
  readonly host: SimulationHost;
  readonly settings: SimulationSettings;
  readonly log: Log;
  readonly readyAfter: number;
  readonly completeAfter: number;
  readonly images: Map<string, ImageScript>;
  readonly files: FileStore;
  readonly stages: StageBook;
  /** The running scripts by `<uid of the Pod> <container>`. */
  readonly runs = new Map<string, ScriptRun>();
  /** The logs of the starts before by the same keys. */
  readonly previous = new Map<string, ContainerLog>();
  /** The last starts of containers since the controllers run, with their restarts, by the same keys; other scripts are replayed. */
  readonly fresh = new Map<string, number>();
  /** Until when the files show what scripts have done, in milliseconds since the epoch. */
  #knownUntil = -Infinity;
  /** The view of a term; undefined while the controllers do not run. */
  view: ClusterView | undefined;
  /** The client of the last look at a Pod, for commands in containers without a script. */
  client: Client | undefined;
  readonly #scripted = new Map<string, ImageScript | undefined>();

  constructor(host: SimulationHost, settings: SimulationSettings, from?: SimulationState) {
    this.host = host;
    this.settings = settings;
    this.log = settings.log ?? silentLog;
    this.readyAfter = millisOf(settings.readyAfter ?? MOMENT);
    this.completeAfter = millisOf(settings.completeAfter ?? MOMENT);
    this.images = new Map(from?.images);
    this.files = from?.files.fork() ?? new FileStore();
    this.stages = from?.stages.fork() ?? new StageBook(settings.seed ?? 1);
    if (from) this.#knownUntil = from.host.clock.now();
  }

  /** The script of an image. */
  scriptOf(image: string): ImageScript | undefined {
    if (this.images.size === 0) return undefined;
    if (this.#scripted.has(image)) return this.#scripted.get(image);
    const script = matchOf(this.images, image);
    // A client may name an image of a megabyte, which is not cached.
    if (image.length > MAX_REMEMBERED_IMAGE) return script;
    if (this.#scripted.size > MAX_REMEMBERED_IMAGES) this.#scripted.clear();
    this.#scripted.set(image, script);
    return script;
  }

  readonly isScripted = (image: string): boolean => this.scriptOf(image) !== undefined;

  /** Sets a script and looks at the Pods that it concerns. */
  setImage(pattern: string, script: ImageScript): void {
    this.images.set(pattern, script);
    this.#scripted.clear();
    for (const pod of this.view?.pods() ?? []) {
      if (pod.spec.containers?.some(({ image = "" }) => this.isScripted(image))) this.view?.requeue(pod);
    }
  }

  runOf(pod: Pod, container: string): ScriptRun | undefined {
    return this.runs.get(`${pod.metadata.uid} ${container}`);
  }

  /** Starts the script of a container that runs, unless it runs already; resolves when it has caught up with the clock. */
  async ensureRun(
    pod: Pod,
    container: Container,
    status: ContainerStatus,
    { client, addresses, terminateAt }: RunFacts,
  ): Promise<void> {
    const key = `${pod.metadata.uid} ${container.name}`;
    const startedAt = startedAtOf(status) ?? this.host.clock.now();
    const known = this.runs.get(key);
    if (known && known.attempt === status.restartCount) return;
    const script = this.scriptOf(container.image ?? "");
    if (!script) return;
    if (known) this.#retire(key, known);
    const { namespace = "" } = pod.metadata;
    const environment = await environmentOf(pod, container, addresses, readTexts(client, namespace));
    const isReplay = this.fresh.get(key) !== status.restartCount;
    this.fresh.delete(key);
    const started: { run?: ScriptRun } = {};
    const isKnown = (): boolean => isReplay && started.run?.isReplaying(this.#knownUntil) === true;
    const mounts = await mountsOf(pod, container, { client, store: this.files, addresses, isKnown });
    if (!this.isThere(pod)) return;
    const where = `${container.image ?? ""} in ${namespace}/${pod.metadata.name}`;
    const run = new ScriptRun({
      ...this.host,
      pod,
      container,
      script,
      startedAt,
      attempt: status.restartCount,
      seed: this.settings.seed ?? 1,
      env: "env" in environment ? environment.env : {},
      mounts,
      changed: () => this.view?.requeue(pod),
      failed: (error) => this.report(error, `the script of ${where}`),
    });
    started.run = run;
    this.runs.set(key, run);
    run.start(terminateAt);
    await run.caughtUp();
  }

  /** Whether a Pod exists after a wait. Resources that were made during the wait for a deleted one are dropped. */
  isThere(pod: Pod): boolean {
    const { namespace = "", name, uid } = pod.metadata;
    if (!this.view) return false;
    const isThere = this.view.pod(namespace, name)?.metadata.uid === uid;
    if (!isThere) this.files.forget(`pod ${uid}`);
    return isThere;
  }

  /** Ends the scripts of a Pod in a final phase, whichever client wrote that; their logs are kept. */
  endScripts(pod: Pod): void {
    if (this.runs.size === 0) return;
    for (const { name } of [...(pod.spec.containers ?? []), ...(pod.spec.initContainers ?? [])]) {
      this.runOf(pod, name)?.kill();
    }
  }

  /** Drops the state of a deleted Pod. */
  forget(pod: Pod): void {
    const { uid } = pod.metadata;
    this.endScripts(pod);
    for (const { name } of [...(pod.spec.containers ?? []), ...(pod.spec.initContainers ?? [])]) {
      const key = `${uid} ${name}`;
      this.runs.delete(key);
      this.previous.delete(key);
      this.fresh.delete(key);
    }
    this.files.forget(`pod ${uid}`);
    this.stages.forget(uid);
  }

  /** Ends all scripts; a later term starts them again. */
  endRuns(): void {
    for (const run of this.runs.values()) run.kill();
    this.runs.clear();
    this.fresh.clear();
    this.#knownUntil = this.host.clock.now();
  }

  /** Records the starts of containers from a write of a status. */
  noteStarts(pod: Pod, status: Pod["status"]): void {
    if (this.images.size === 0) return;
    const { containerStatuses = [], initContainerStatuses = [] } = pod.status;
    const before = new Map([...containerStatuses, ...initContainerStatuses].map((one) => [one.name, one]));
    for (const one of [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? [])]) {
      const was = before.get(one.name);
      if (!one.state.running || (was?.state.running && was.restartCount === one.restartCount)) continue;
      if (this.isScripted(one.image)) this.fresh.set(`${pod.metadata.uid} ${one.name}`, one.restartCount);
    }
  }

  /** Reports an error of a script or a stage. */
  report(error: unknown, where: string): void {
    if (this.settings.onError) this.settings.onError(error, where);
    else this.log.warn(`an error in ${where}`, { error: String(error) });
  }

  #retire(key: string, run: ScriptRun): void {
    run.kill();
    this.previous.set(key, run.log);
    this.runs.delete(key);
  }
}

/** The input of a script at its start, besides its container. */
export interface RunFacts {
  readonly client: Client;
  readonly addresses: { readonly hostIP: string; readonly podIP: string };
  /** When SIGTERM was sent, for a script that is replayed. */
  readonly terminateAt?: number | undefined;
}
