/** One look at a Pod: the states of its containers are moved on, Events are noted, and the next look is found. */
import type { Pod } from "../../client/kinds/index.ts";
import { parseDuration } from "../../util/duration.ts";
import { controllerOf } from "../../workloads/common/ownership.ts";
import { EXIT_CODE_ANNOTATION, FLAPPING_ANNOTATION, READY_AFTER_ANNOTATION, RUN_FOR_ANNOTATION } from "../contract.ts";
import type {
  Container,
  ContainerStatus,
  Exit,
  LifeEvent,
  LifeFacts,
  ProbeKind,
  ScriptFacts,
  ScriptSignal,
} from "./contract.ts";
import { type Probe, probeOutcome, probeTimeAfter } from "./probes.ts";
import {
  endedStatus,
  hasStarted,
  isSidecar,
  lastEndOf,
  restarts,
  runningStatus,
  startedAtOf,
  waitingStatus,
  waits,
} from "./states.ts";
import { isInitDone } from "./summary.ts";
import { RESET_AFTER, SECOND, pullTryAt, restartWait, timeIn, wholeSecond } from "./times.ts";

/** On a Pod: the restarts of containers from which the backoff counts again, JSON such as `{"main":7}`. */
const RESETS_ANNOTATION = "simulation.keelson.dev/restarts-reset";

/** How long a container that cannot be created waits for the next try. */
const CONFIG_RETRY = 10 * SECOND;
/** The exit code of SIGKILL. */
const KILLED = 137;

/** The end of all containers of a Pod. */
export interface Stop {
  /** When SIGTERM is sent. */
  readonly at: number;
  /** When SIGKILL is sent. */
  readonly until: number;
}

/** Plans the life of a Pod. */
export class Life {
  readonly pod: Pod;
  readonly facts: LifeFacts;
  readonly now: number;
  readonly init = new Map<string, ContainerStatus>();
  readonly main = new Map<string, ContainerStatus>();
  readonly events: LifeEvent[] = [];
  readonly signals: ScriptSignal[] = [];
  againAt: number | undefined;
  /** Whether it shows something that observers must see before a container starts. */
  isRemarkable = false;
  /** The restarts from which the backoff counts again, by container; and whether this plan has changed them. */
  readonly #resets: Map<string, number>;
  #hasReset = false;
  /** The statuses before this look. */
  readonly #before: Readonly<Record<"init" | "main", ReadonlyMap<string, ContainerStatus>>>;

  constructor(pod: Pod, facts: LifeFacts, now: number) {
    this.pod = pod;
    this.facts = facts;
    this.now = now;
    this.#resets = resetsOf(pod);
    const { initContainerStatuses = [], containerStatuses = [] } = pod.status;
    const byName = (all: readonly ContainerStatus[]) => new Map(all.map((one) => [one.name, one]));
    this.#before = { init: byName(initContainerStatuses), main: byName(containerStatuses) };
    const known = new Map([...initContainerStatuses, ...containerStatuses].map((one) => [one.name, one]));
    const hasInit = (pod.spec.initContainers ?? []).length > 0;
    const first = hasInit ? "PodInitializing" : "ContainerCreating";
    for (const one of pod.spec.initContainers ?? []) {
      this.init.set(one.name, known.get(one.name) ?? waitingStatus(one, "PodInitializing"));
    }
    for (const one of pod.spec.containers ?? []) {
      this.main.set(one.name, known.get(one.name) ?? waitingStatus(one, first));
    }
  }

  /** When the kubelet admitted the Pod, in whole seconds. */
  get admittedAt(): number {
    const { status, metadata } = this.pod;
    const scheduled = status.conditions?.find(({ type, status: said }) => type === "PodScheduled" && said === "True");
    return (
      timeIn(status.startTime) ??
      timeIn(scheduled?.lastTransitionTime) ??
      timeIn(metadata.creationTimestamp) ??
      wholeSecond(this.now)
    );
  }

  /** The annotations that change. */
  get annotations(): Readonly<Record<string, string>> {
    return this.#hasReset ? { [RESETS_ANNOTATION]: JSON.stringify(Object.fromEntries(this.#resets)) } : {};
  }

  /** Plans the Pod again at a time. */
  requeueAt(at: number | undefined): void {
    if (at !== undefined && at > this.now && at < Infinity) this.againAt = Math.min(this.againAt ?? Infinity, at);
  }

  /** Moves all containers on. */
  live(): void {
    if (this.#areOver) return this.#endSidecars();
    let begin = this.admittedAt;
    const haveBegun = [...this.main.values()].some(hasStarted);
    for (const container of this.pod.spec.initContainers ?? []) {
      const known = this.init.get(container.name)!;
      const isPast = !isSidecar(container) && known.state.terminated?.exitCode === 0;
      const status = isPast ? known : this.#advance(container, known, begin, true);
      this.init.set(container.name, status);
      // A sidecar that starts again later delays nothing.
      if (!isInitDone(container, status) && !haveBegun) return;
      begin = Math.max(begin, timeIn(status.state.terminated?.finishedAt) ?? startedAtOf(status) ?? begin);
    }
    for (const container of this.pod.spec.containers ?? []) {
      const known = this.main.get(container.name)!;
      this.main.set(container.name, this.#advance(container, known, begin, false));
    }
    this.#endSidecars();
  }

  /** Ends all containers: the sidecars after the others. */
  stop(stop: Stop): void {
    for (const container of this.pod.spec.containers ?? []) {
      this.main.set(container.name, this.#stopped(container, this.main.get(container.name)!, stop, false));
    }
    const runs = this.#runs;
    for (const container of this.pod.spec.initContainers ?? []) {
      if (isSidecar(container) && runs) continue;
      this.init.set(container.name, this.#stopped(container, this.init.get(container.name)!, stop, true));
    }
  }

  /** Whether a container runs. */
  get isRunning(): boolean {
    return [...this.init.values(), ...this.main.values()].some(({ state }) => state.running);
  }

  get #runs(): boolean {
    return [...this.main.values()].some(({ state }) => state.running);
  }

  /** Whether all containers have ended for good. */
  get #areOver(): boolean {
    return (this.pod.spec.containers ?? []).every((container) => {
      const ended = this.main.get(container.name)!.state.terminated;
      return ended && !restarts(this.pod, container, ended.exitCode);
    });
  }

  /** Sidecars end when all other containers have ended for good. */
  #endSidecars(): void {
    const sidecars = (this.pod.spec.initContainers ?? []).filter(isSidecar);
    if (sidecars.length === 0) return;
    if (!this.#areOver) return;
    let at = 0;
    for (const { state } of this.main.values()) at = Math.max(at, timeIn(state.terminated?.finishedAt) ?? 0);
    const grace = (this.pod.spec.terminationGracePeriodSeconds ?? 30) * SECOND;
    for (const container of sidecars) {
      const status = this.init.get(container.name)!;
      this.init.set(container.name, this.#stopped(container, status, { at, until: at + grace }, true));
    }
  }

  #advance(container: Container, known: ContainerStatus, begin: number, isInit: boolean): ContainerStatus {
    if (known.state.running) return this.#run(container, known, isInit);
    const ended = lastEndOf(known);
    if (ended) return this.#startAgain(container, known, ended, isInit);
    return this.#start(container, known, begin, isInit);
  }

  /** A container that was never started: its image is pulled first. */
  #start(container: Container, known: ContainerStatus, begin: number, isInit: boolean): ContainerStatus {
    const image = container.image ?? "";
    const before = known.state.waiting?.reason ?? "";
    const isBackingOff = before === "ImagePullBackOff" || before === "ErrImagePull";
    const { delay, isMissing } = this.facts.pull(image);
    if (this.facts.mountProblem !== undefined) return known;
    if (isMissing || isBackingOff) {
      const tried = pullTryAt(begin, this.now);
      const isNow = this.now - tried.last < SECOND;
      if (isMissing || !isNow || before === "ErrImagePull") return this.#missing(container, known, tried, isInit);
    }
    const due = begin + delay;
    if (due > this.now) {
      this.requeueAt(due);
      if (delay > SECOND) this.isRemarkable = true;
      if (this.isRemarkable && this.#isNew(known)) this.#pulling(container, isInit);
      return known;
    }
    const problem = this.facts.configProblem(container.name);
    if (problem !== undefined) {
      this.requeueAt(this.now + CONFIG_RETRY);
      this.isRemarkable = true;
      this.#record("Warning", "Failed", `Error: ${problem}`, container, isInit, false);
      return waits(known, "CreateContainerConfigError", problem);
    }
    if (this.#isNew(known) || isInit || this.init.size > 0) this.#pulling(container, isInit);
    const took = `${Math.max(0, due - begin) / SECOND}s`;
    this.#record(
      "Normal",
      "Pulled",
      `Successfully pulled image "${image}" in ${took} (${took} including waiting). Image size: 0 bytes.`,
      container,
      isInit,
    );
    return this.#started(container, known, isInit);
  }

  /** Whether nothing was written about a container yet. */
  #isNew(known: ContainerStatus): boolean {
    return this.pod.status.startTime === undefined || known.state.waiting === undefined;
  }

  #pulling(container: Container, isInit: boolean): void {
    this.#record("Normal", "Pulling", `Pulling image "${container.image ?? ""}"`, container, isInit);
  }

  /** An image that cannot be pulled. */
  #missing(
    container: Container,
    known: ContainerStatus,
    { last, wait }: ReturnType<typeof pullTryAt>,
    isInit: boolean,
  ): ContainerStatus {
    const image = container.image ?? "";
    const before = known.state.waiting?.reason;
    this.isRemarkable = true;
    const text = `failed to pull and unpack image "${image}": failed to resolve reference "${image}": ${image}: not found`;
    const isTry = this.now - last < SECOND;
    this.requeueAt(isTry ? last + SECOND : last + wait);
    if (isTry) {
      if (before !== "ErrImagePull") {
        this.#pulling(container, isInit);
        this.#record("Warning", "Failed", `Failed to pull image "${image}": ${text}`, container, isInit, false);
        this.#record("Warning", "Failed", "Error: ErrImagePull", container, isInit, false);
      }
      return waits(known, "ErrImagePull", text);
    }
    if (before !== "ImagePullBackOff") {
      this.#record("Normal", "BackOff", `Back-off pulling image "${image}"`, container, isInit, false);
      this.#record("Warning", "Failed", "Error: ImagePullBackOff", container, isInit, false);
    }
    return waits(known, "ImagePullBackOff", `Back-off pulling image "${image}": ErrImagePull: ${text}`);
  }

  /** A container that has ended: it starts again after its wait, or never. */
  #startAgain(
    container: Container,
    known: ContainerStatus,
    ended: NonNullable<ContainerStatus["state"]["terminated"]>,
    isInit: boolean,
  ): ContainerStatus {
    const mayStart = isInit
      ? isSidecar(container) || (ended.exitCode !== 0 && (this.pod.spec.restartPolicy ?? "Always") !== "Never")
      : restarts(this.pod, container, ended.exitCode);
    if (!mayStart) return known;
    const endedAt = timeIn(ended.finishedAt) ?? this.now;
    const ran = endedAt - (timeIn(ended.startedAt) ?? endedAt);
    let counted = known.restartCount - (this.#resets.get(container.name) ?? 0);
    if (ran > RESET_AFTER && counted > 0) {
      this.#resets.set(container.name, known.restartCount);
      this.#hasReset = true;
      counted = 0;
    }
    const wait = restartWait(counted);
    if (endedAt + wait <= this.now) {
      this.#record(
        "Normal",
        "Pulled",
        `Container image "${container.image ?? ""}" already present on machine`,
        container,
        isInit,
      );
      return this.#started(container, known, isInit);
    }
    this.requeueAt(endedAt + wait);
    if (known.state.waiting?.reason === "CrashLoopBackOff") return known;
    const { name, namespace, uid } = this.pod.metadata;
    const full = `${name}_${namespace ?? ""}(${uid})`;
    this.#record(
      "Warning",
      "BackOff",
      `Back-off restarting failed container ${container.name} in pod ${full}`,
      container,
      isInit,
      false,
    );
    return waits(
      known,
      "CrashLoopBackOff",
      `back-off ${textOfWait(wait)} restarting failed container=${container.name} pod=${full}`,
    );
  }

  #started(container: Container, known: ContainerStatus, isInit: boolean): ContainerStatus {
    this.#record("Normal", "Created", `Created container: ${container.name}`, container, isInit);
    this.#record("Normal", "Started", `Started container ${container.name}`, container, isInit);
    this.isRemarkable = true;
    const status = runningStatus(this.pod, container, known, wholeSecond(this.now));
    return this.#run(container, status, isInit);
  }

  /** A container that runs: it may end, and probes may change their mind. */
  #run(container: Container, status: ContainerStatus, isInit: boolean): ContainerStatus {
    const startedAt = startedAtOf(status) ?? this.now;
    const isScripted = this.facts.isScripted(container.image ?? "");
    const script = isScripted ? this.#scriptOf(container, status, isInit) : undefined;
    const exit = isScripted ? script?.exit : this.#usualExit(container, startedAt, isInit);
    if (exit && exit.at <= this.now) return this.#ended(container, status, exit, isInit);
    if (exit) this.requeueAt(exit.at);
    if (isScripted && !script) return { ...status, started: container.startupProbe === undefined };
    const said = script
      ? { value: script.ready, since: script.readySince }
      : { value: true, since: startedAt + this.#readyAfter(isInit) };
    const failure = this.#failed(container, script, isInit, status);
    if (failure) return this.#ended(container, status, failure, isInit);
    const started =
      status.started === true || this.#passes("startup", container.startupProbe, startedAt, said, script, false);
    if (!started) return { ...status, started, ready: false };
    const isProbed = container.readinessProbe !== undefined;
    const flapping = this.#flapping(startedAt);
    let ready =
      isProbed || !isScripted || !isInit
        ? this.#passes("readiness", container.readinessProbe, startedAt, said, script, status.ready)
        : true;
    if (isInit && !isSidecar(container)) ready = false;
    if (flapping !== undefined) ready &&= flapping;
    if (status.ready && !ready && isProbed && !isInit) {
      const message = script?.probes?.readiness?.message ?? "the script says that it is not ready";
      this.#record("Warning", "Unhealthy", `Readiness probe failed: ${message}`, container, isInit, false);
    }
    return { ...status, started, ready };
  }

  /** The report of the script of a container that ran before this plan. */
  #scriptOf({ name }: Container, { restartCount }: ContainerStatus, isInit: boolean): ScriptFacts | undefined {
    const before = (isInit ? this.#before.init : this.#before.main).get(name);
    if (!before?.state.running || before.restartCount !== restartCount) return undefined;
    return this.facts.script(name);
  }

  /** Whether probes of a kind succeed; without a probe the report of the container counts. */
  #passes(
    kind: ProbeKind,
    probe: Probe | undefined,
    startedAt: number,
    said: { readonly value: boolean; readonly since: number },
    script: ScriptFacts | undefined,
    before: boolean,
  ): boolean {
    if (!probe) {
      if (kind === "startup") return true;
      if (said.since > this.now) {
        this.requeueAt(said.since);
        return false;
      }
      return said.value;
    }
    const result = script?.probes?.[kind];
    if (result) return result.outcome ?? before;
    if (said.since > this.now && said.value) {
      this.requeueAt(probeTimeAfter(probe, startedAt, said.since));
      return before;
    }
    const { value, changesAt } = probeOutcome(probe, startedAt, said, before, this.now);
    this.requeueAt(changesAt);
    return value;
  }

  /** The end of a container whose liveness or startup probe has failed. */
  #failed(
    container: Container,
    script: ScriptFacts | undefined,
    isInit: boolean,
    status: ContainerStatus,
  ): Exit | undefined {
    if (!script) return undefined;
    const kind = status.started ? "liveness" : "startup";
    const result = script.probes?.[kind];
    if (result?.outcome !== false) return undefined;
    const name = kind === "liveness" ? "Liveness" : "Startup";
    const probe = kind === "liveness" ? container.livenessProbe : container.startupProbe;
    const seconds = probe?.terminationGracePeriodSeconds ?? this.pod.spec.terminationGracePeriodSeconds ?? 30;
    const { terminatedAt } = script;
    if (terminatedAt === undefined) {
      this.#record("Warning", "Unhealthy", `${name} probe failed: ${result.message ?? ""}`, container, isInit, false);
      const note = `Container ${container.name} failed ${kind} probe, will be restarted`;
      this.#record("Normal", "Killing", note, container, isInit, false);
      this.signals.push({ container: container.name, signal: "TERM", at: this.now });
      return undefined;
    }
    const until = terminatedAt + seconds * SECOND;
    this.requeueAt(until);
    if (until > this.now) return undefined;
    this.signals.push({ container: container.name, signal: "KILL", at: until });
    return { at: until, code: KILLED };
  }

  #ended(container: Container, status: ContainerStatus, exit: Exit, isInit: boolean): ContainerStatus {
    const { warning } = exit;
    if (warning) this.#record("Warning", warning.reason, warning.note, container, isInit, false);
    const message = exit.message ?? this.#lastWords(container, exit);
    const ended = endedStatus(status, { ...exit, message });
    const terminated = ended.state.terminated!;
    if (isInit && !isSidecar(container) && terminated.exitCode === 0) return { ...ended, ready: true };
    return this.#startAgain(container, ended, terminated, isInit);
  }

  #lastWords(container: Container, { code }: Exit): string | undefined {
    if (code === 0 || container.terminationMessagePolicy !== "FallbackToLogsOnError") return undefined;
    return this.facts.script(container.name)?.tail;
  }

  /** The end of a container without a script: those of Jobs end, others run on unless the Pod sets an end. */
  #usualExit(container: Container, startedAt: number, isInit: boolean): Exit | undefined {
    if (isInit && isSidecar(container)) return undefined;
    const { annotations } = this.pod.metadata;
    const runFor = isInit ? undefined : millisIn(annotations?.[RUN_FOR_ANNOTATION]);
    const code = isInit ? 0 : Number.parseInt(annotations?.[EXIT_CODE_ANNOTATION] ?? "0", 10) || 0;
    if (runFor !== undefined) return { at: startedAt + runFor, code };
    if (!isInit && !endsByItself(this.pod)) return undefined;
    return { at: startedAt + this.facts.completeAfter, code };
  }

  #readyAfter(isInit: boolean): number {
    return isInit ? 0 : (millisIn(this.pod.metadata.annotations?.[READY_AFTER_ANNOTATION]) ?? 0);
  }

  /** Whether a flapping Pod is ready; undefined for others. */
  #flapping(startedAt: number): boolean | undefined {
    const period = millisIn(this.pod.metadata.annotations?.[FLAPPING_ANNOTATION]);
    if (period === undefined || period < SECOND) return undefined;
    const turns = Math.floor(Math.max(0, this.now - startedAt) / period);
    this.requeueAt(startedAt + (turns + 1) * period);
    return turns % 2 === 0;
  }

  /** A container that is to end. */
  #stopped(container: Container, status: ContainerStatus, { at, until }: Stop, isInit: boolean): ContainerStatus {
    if (!status.state.running) {
      // It does not start again.
      const last = status.lastState.terminated;
      return status.state.waiting && last ? { ...status, state: { terminated: last }, lastState: {} } : status;
    }
    const pause = (container.lifecycle?.preStop?.sleep?.seconds ?? 0) * SECOND;
    const term = Math.min(at + pause, until);
    const script = this.facts.isScripted(container.image ?? "") ? this.facts.script(container.name) : undefined;
    if (term > this.now) {
      this.requeueAt(term);
      if (script?.exit && script.exit.at <= this.now) return endedStatus(status, script.exit);
      return status;
    }
    const isTold = script?.terminatedAt !== undefined || script?.exit !== undefined;
    if (!isTold) this.#record("Normal", "Killing", `Stopping container ${container.name}`, container, isInit);
    if (!script) return endedStatus(status, { at: Math.max(term, startedAtOf(status) ?? term), code: 0 });
    if (script.exit && script.exit.at <= this.now) {
      return endedStatus(status, {
        ...script.exit,
        message: script.exit.message ?? this.#lastWords(container, script.exit),
      });
    }
    if (until <= this.now) {
      this.signals.push({ container: container.name, signal: "KILL", at: until });
      return endedStatus(status, { at: until, code: KILLED });
    }
    if (script.terminatedAt === undefined) this.signals.push({ container: container.name, signal: "TERM", at: term });
    this.requeueAt(until);
    return status;
  }

  #record(
    type: LifeEvent["type"],
    reason: string,
    note: string,
    container: Container,
    isInit: boolean,
    isUsual = true,
  ): void {
    const fieldPath = `spec.${isInit ? "initContainers" : "containers"}{${container.name}}`;
    this.events.push({ type, reason, note, fieldPath, isUsual });
  }
}

/** Whether the containers of a Pod without a script come to an end: those of Jobs, and hooks of charts. */
export const endsByItself = (pod: Pod): boolean =>
  controllerOf(pod)?.kind === "Job" ||
  (pod.metadata.annotations?.["helm.sh/hook"] !== undefined && (pod.spec.restartPolicy ?? "Always") !== "Always");

/** Milliseconds of an annotation; undefined for one that is no duration. */
const millisIn = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : parseDuration(text);

/** The restarts from which the backoff counts again, by container. */
function resetsOf({ metadata }: Pod): Map<string, number> {
  const text = metadata.annotations?.[RESETS_ANNOTATION];
  if (text === undefined) return new Map();
  try {
    const read: unknown = JSON.parse(text);
    if (typeof read !== "object" || read === null) return new Map();
    return new Map(Object.entries(read).filter(([, count]) => Number.isSafeInteger(count)));
  } catch {
    return new Map();
  }
}

/** A wait as Go prints it: `10s`, `1m20s`, `5m0s`. */
function textOfWait(millis: number): string {
  const seconds = millis / SECOND;
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}
