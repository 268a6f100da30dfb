/**
 * The programs behind Pods of simulated nodes: their logs, and commands in their containers.
 *
 * @module
 */
import type { Node, Pod } from "../client/kinds/index.ts";
import { badRequest, notFound, unavailable } from "../meta/status.ts";
import { isoTime } from "../meta/iso-time.ts";
import { type LogQuery, logQueryOf } from "../node/containers/log-query.ts";
import type { Lookup } from "../schema/lookup.ts";
import type { Session, SessionStreams } from "../schema/session.ts";
import type { Programs } from "../server/index.ts";
import type { ContainerLog, ContainerTarget, LogLine, Simulation, NoResponse } from "../simulation/index.ts";
import type { Clock, Timer } from "../util/clock.ts";
import { limited } from "../util/limited.ts";

/** The most bytes of standard input that a command may be given. */
const MAX_STDIN_BYTES = 1 << 20;
const FIRST_STDIN_BYTES = 1024;
/** Lines in one piece. */
const LINES = 256;
/** The interval of checks whether a container whose log is followed still runs. */
const LOOK_MILLIS = 1000;
const END_OF_INPUT = 4;
const INTERRUPT = 3;
const INTERRUPTED = 130;

/** The parts for connecting to programs of simulated nodes. */
export interface ProgramParts {
  readonly lookup: Lookup;
  readonly clock: Clock;
  readonly simulation: () => Simulation | undefined;
  /** Programs on other nodes. */
  readonly others: Programs | undefined;
}

/** Connects to the containers of simulated nodes, and to other programs through {@link ProgramParts.others}. */
export const simulatedPrograms =
  ({ lookup, clock, simulation, others }: ProgramParts): Programs =>
  (way, object, parameter, signal) => {
    const simulated = simulation();
    const pod = object as unknown as Pod;
    const node = simulated && pod.spec.nodeName ? lookup.get("nodes", "", pod.spec.nodeName) : undefined;
    if (!simulated || !node || !simulated.isSimulated(node as unknown as Node)) {
      return others?.(way, object, parameter, signal);
    }
    const target = targetOf(pod, parameter("container"));
    const running = { clock, isRunning: () => isRunningNow(lookup, pod, target) };
    if (way === "log")
      return readLog(simulated, pod, target, logQueryOf(parameter, clock.now()), { ...running, signal });
    if (way === "exec") return openCommand(simulated, pod, target, parameter.all("command"));
    if (way === "attach") return openOutput(simulated, pod, target, running);
    throw unavailable(
      `pod ${target.pod} is on a simulated node, which forwards no ports: only logs, exec and attach are supported`,
    );
  };

const targetOf = ({ metadata: { namespace = "", name }, spec }: Pod, container = ""): ContainerTarget => ({
  namespace,
  pod: name,
  container: container === "" ? spec.containers[0]?.name : container,
});

/** The error of a container that cannot be connected to. */
function refusalOf(why: NoResponse, { spec: { nodeName = "" } }: Pod, { pod, container = "" }: ContainerTarget): Error {
  if (why === "Elsewhere") {
    return unavailable(
      `pod ${pod} is simulated by the server that leads: ask that one; holderIdentity of the Lease keelson-controllers says which it is`,
    );
  }
  if (why === "NoPod") return notFound({ group: "", plural: "pods", kind: "Pod" }, pod);
  if (why === "NodeLost") return unavailable(`node ${nodeName} does not respond`);
  if (why === "NotSimulated") return unavailable(`pod ${pod} is on no simulated node`);
  return badRequest(`container not found (${JSON.stringify(container)}) in pod ${pod}: it does not run`);
}

/** Reads the log of a container, as far as it is kept. */
async function readLog(
  simulation: Simulation,
  pod: Pod,
  target: ContainerTarget,
  query: LogQuery,
  reading: Reading,
): Promise<AsyncIterable<Uint8Array>> {
  const { container = "" } = target;
  const log = simulation.logs({ ...target, previous: query.previous });
  if (log === "Elsewhere" || log === "NodeLost" || log === "NoPod" || log === "NotSimulated")
    throw refusalOf(log, pod, target);
  if (typeof log === "string") {
    throw badRequest(
      query.previous
        ? `previous terminated container ${JSON.stringify(container)} in pod ${JSON.stringify(target.pod)} not found`
        : `container ${JSON.stringify(container)} in pod ${JSON.stringify(target.pod)} is waiting to start: ${waitingFor(pod, container)}`,
    );
  }
  return limited(linesOf(log, query, reading), query.limitBytes);
}

/** The condition that a container waits for. */
function waitingFor({ status }: Pod, container: string): string {
  const all = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  return all.find(({ name }) => name === container)?.state?.waiting?.reason ?? "ContainerCreating";
}

/** The reader of a log, and its bounds. */
interface Reading {
  readonly clock: Clock;
  /** Whether the container still runs, in the same start. */
  readonly isRunning: () => boolean;
  readonly signal: AbortSignal;
}

async function* linesOf(log: ContainerLog, query: LogQuery, reading: Reading): AsyncGenerator<Uint8Array> {
  const { signal } = reading;
  const { since = -Infinity, tailLines, timestamps, follow } = query;
  const bytesOf = (lines: readonly LogLine[]): Uint8Array =>
    Buffer.from(
      lines.map(({ at, text }) => `${timestamps ? `${isoTime(at).slice(0, -1)}000000Z ` : ""}${text}\n`).join(""),
    );
  const inPieces = function* (lines: readonly LogLine[]): Generator<Uint8Array> {
    for (let at = 0; at < lines.length && !signal.aborted; at += LINES) yield bytesOf(lines.slice(at, at + LINES));
  };
  // Lines that are written while the first are read are followed.
  using followed = follow && !log.ended && reading.isRunning() ? new FollowedLines(log, reading) : undefined;
  const first = tailLines === undefined ? 0 : Math.max(0, log.lines.length - tailLines);
  const kept = log.lines.slice(first).filter(({ at }) => at >= since);
  yield* inPieces(kept);
  if (!followed) return;
  for (let lines = await followed.next(); lines; lines = await followed.next()) yield* inPieces(lines);
}

/** The lines of a log from now on, as far as the log keeps them until they are read. */
class FollowedLines implements Disposable {
  readonly #following: Disposable;
  readonly #log: ContainerLog;
  readonly #reading: Reading;
  /** The number of lines of the log that were read or dropped before. */
  #seen: number;
  #isOver = false;
  #wake: (() => void) | undefined;
  #timer: Timer;

  constructor(log: ContainerLog, reading: Reading) {
    this.#log = log;
    this.#reading = reading;
    this.#seen = log.dropped + log.lines.length;
    this.#following = log.follow((line) => this.#changed(line === undefined));
    this.#timer = this.#later();
    reading.signal.addEventListener("abort", this.#stop, { once: true });
  }

  /** The next lines; undefined at the end of the log or of the reader. */
  async next(): Promise<readonly LogLine[] | undefined> {
    while (!this.#reading.signal.aborted) {
      const { lines, dropped } = this.#log;
      const more = lines.slice(Math.max(0, this.#seen - dropped));
      this.#seen = dropped + lines.length;
      if (more.length > 0) return more;
      if (this.#isOver) return undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return undefined;
  }

  [Symbol.dispose](): void {
    this.#timer.cancel();
    this.#reading.signal.removeEventListener("abort", this.#stop);
    this.#following[Symbol.dispose]();
  }

  readonly #stop = (): void => this.#wake?.();

  /** A container without a script does not report its end. */
  #later(): Timer {
    const look = (): void => {
      if (this.#reading.isRunning()) this.#timer = this.#later();
      else this.#changed(true);
    };
    return this.#reading.clock.after(LOOK_MILLIS, look, { owner: "reader of a log", upkeep: true });
  }

  #changed(isOver: boolean): void {
    this.#isOver ||= isOver;
    this.#wake?.();
  }
}

/** A command in a running container. */
async function openCommand(
  simulation: Simulation,
  pod: Pod,
  target: ContainerTarget,
  command: readonly string[],
): Promise<Session> {
  if (command.length === 0) throw badRequest("you must specify at least 1 command for the container");
  if (!isRunning(pod, target)) throw refusalOf("NotRunning", pod, target);
  return {
    async run(streams) {
      const input = streams.stdin && (await readInput(streams));
      if (input === INTERRUPT) return INTERRUPTED;
      if (streams.signal.aborted) return 1;
      const result = await simulation.exec(target, { command, ...(input === undefined ? {} : { stdin: input }) });
      if (typeof result === "string") throw refusalOf(result, pod, target);
      if (result.stdout) await streams.write("stdout", Buffer.from(result.stdout));
      if (result.stderr) await streams.write("stderr", Buffer.from(result.stderr));
      return result.code ?? 0;
    },
  };
}

const statusOf = ({ status }: Pod, { container }: ContainerTarget) =>
  [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])].find(
    ({ name }) => name === container,
  );

const isRunning = (pod: Pod, target: ContainerTarget): boolean => statusOf(pod, target)?.state?.running !== undefined;

/** Whether a container still runs, in the same start. */
function isRunningNow(lookup: Lookup, pod: Pod, target: ContainerTarget): boolean {
  const now = lookup.get("pods", target.namespace, target.pod) as unknown as Pod | undefined;
  if (now?.metadata.uid !== pod.metadata.uid) return false;
  return isRunning(now, target) && statusOf(now, target)?.restartCount === statusOf(pod, target)?.restartCount;
}

/** All of standard input, which a terminal ends with Ctrl-D; a Ctrl-C interrupts. */
async function readInput({ stdin, size }: SessionStreams): Promise<string | typeof INTERRUPT> {
  // Copied into one buffer that doubles: a message of one byte would keep a hundred bytes alive.
  let bytes = Buffer.alloc(FIRST_STDIN_BYTES);
  let length = 0;
  for await (const piece of stdin ?? []) {
    const end = size ? piece.findIndex((byte) => byte === END_OF_INPUT || byte === INTERRUPT) : -1;
    if (end >= 0 && piece[end] === INTERRUPT) return INTERRUPT;
    const more = end < 0 ? piece : piece.subarray(0, end);
    const sum = length + more.length;
    if (sum > MAX_STDIN_BYTES) throw new Error(`expected at most ${MAX_STDIN_BYTES} bytes of standard input`);
    if (sum > bytes.length) {
      const larger = Buffer.alloc(Math.max(sum, 2 * bytes.length));
      bytes.copy(larger, 0, 0, length);
      bytes = larger;
    }
    bytes.set(more, length);
    length = sum;
    if (end >= 0) break;
  }
  return bytes.toString("utf8", 0, length);
}

/** The output of a container from now on, until it ends. It reads no input. */
async function openOutput(
  simulation: Simulation,
  pod: Pod,
  target: ContainerTarget,
  running: Omit<Reading, "signal">,
): Promise<Session> {
  const log = simulation.logs(target);
  if (typeof log === "string") throw refusalOf(log, pod, target);
  return {
    async run({ signal, write }) {
      const query = { container: "", previous: false, timestamps: false, since: undefined, limitBytes: undefined };
      for await (const piece of linesOf(log, { ...query, follow: true, tailLines: 0 }, { ...running, signal })) {
        await write("stdout", piece);
      }
      return 0;
    },
  };
}
