/**
 * Records the requests of the programs of a run, and applies the perturbations of the plan to them.
 *
 * It is a filter of the server, so it works for programs of this process and for those at a port.
 *
 * @module
 */
import type { Actor, RequestEntry } from "../../explore/contract/trace.ts";
import type { Player } from "../../explore/player.ts";
import { ApiError } from "../../meta/status.ts";
import type { Filter, ServerRequest } from "../../server/index.ts";
import { type Clock, sleep } from "../../util/clock.ts";
import { FAULT_REASON } from "../fault.ts";
import { holdRequest } from "../filters.ts";
import { asWriter } from "../writers.ts";
import { Gates } from "./gates.ts";
import { type FindProgram, type ProgramLife, type StaleState, isOfCluster } from "./identity.ts";
import { type Passing, addBody, isElection, passingOf, pointOf, refusalOf, revisionOf } from "./passing.ts";
import type { TraceRecorder } from "./recorder.ts";
import { beginsWithState, listedRevision, readsOlder, sendState } from "./stale.ts";
import type { StoredObjects } from "./stored.ts";

/** The parts of a laboratory that an interposer needs. */
export interface InterposerParts {
  readonly player: Player;
  readonly trace: TraceRecorder;
  readonly clock: Clock;
  readonly find: FindProgram;
  readonly stored: () => StoredObjects;
  /** Kills a program, which starts again after a time; then it reads an older state, where the plan requires that. */
  readonly kill: (program: ProgramLife, downMillis: number, stale?: StaleState) => void;
  /** Lets another replica lead; resolves when it is at rest. */
  readonly leadChanges: (program: ProgramLife, index: number) => Promise<void>;
  /** A request is delayed for a time; the result is called at its end. */
  readonly delays: (millis: number) => () => void;
  /** Sends a request again whose program has died meanwhile. */
  readonly resend: (request: KeptRequest) => void;
  /** The write before which everything stops, counted from 1. */
  readonly beforeWrite: number | undefined;
  /** Called at that write, or when a program sends requests without end while the clock stands still. */
  readonly stop: (why: "write" | "endless", detail: string) => void;
}

/** A request that outlives its program. */
export interface KeptRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly program: ProgramLife;
  readonly index: number;
}

const READS: ReadonlySet<string> = new Set(["get", "list", "watch"]);
/** Requests of programs while the clock stands still; more are work without end. */
const MAX_AT_ONCE = 2000;
/** How long a program is down before a stale restart. */
const STALE_DOWN_MS = 10_000;

/** Records and perturbs the requests of programs. */
export class Interposer {
  readonly gates: Gates;
  readonly #parts: InterposerParts;
  readonly #passing = new WeakMap<ServerRequest, Passing>();
  readonly #closing = new AbortController();
  /** Requests that wait for the next one of their program. */
  readonly #overtaken: { readonly program: ProgramLife; readonly index: number; readonly go: () => void }[] = [];
  /** Requests of dead programs, and those whose program is at rest again. */
  #late: KeptRequest[] = [];
  #writes = 0;
  #instant = -1;
  #atOnce = 0;

  constructor(parts: InterposerParts) {
    this.#parts = parts;
    const { player, trace } = parts;
    this.gates = new Gates({
      meets: player.heedsDeliveries
        ? ({ program, ...arrival }) => player.delivery({ actor: program.actor, ...arrival })
        : undefined,
      arrived: ({ program: { actor, life }, object, uid, change, revision }) => {
        trace.add({ type: "delivery", actor, life, object, uid, change, revision });
      },
      told: (index, phase, detail) => trace.perturbation(index, phase, detail),
    });
  }

  readonly filter: Filter = {
    name: "explore",
    enter: (_server, request) => this.#enter(request),
    decoded: (_server, request) => this.#decoded(request),
    handled: (server, request) => this.#handled(request, server.registry.revision),
    leave: (_server, request) => this.#leave(request),
  };

  /** Requests of programs that change something, so far. */
  get writes(): number {
    return this.#writes;
  }

  /** Whether a delayed request may continue when everything else is at rest. */
  isDue(step: number, isRunning: (actor: Actor) => boolean): boolean {
    const isLate = this.#late.some(({ program }) => isRunning(program.actor));
    return isLate || this.#overtaken.length > 0 || this.gates.isDue(step);
  }

  /** When everything else is at rest: releases a delayed request; false where none waits. */
  release(step: number, isRunning: (actor: Actor) => boolean): boolean {
    const first = this.#overtaken.shift();
    if (first) {
      first.go();
      return true;
    }
    const late = this.#late.find(({ program }) => isRunning(program.actor));
    if (late) {
      this.#late = this.#late.filter((one) => one !== late);
      this.#parts.trace.perturbation(late.index, "ended", `the request that was on its way is handled`);
      this.#parts.resend(late);
      return true;
    }
    return this.gates.release(step);
  }

  /** Ends what waits. */
  close(): void {
    this.#closing.abort();
  }

  #enter(request: ServerRequest): void {
    const { info, response } = request;
    if (!info.isResource || !request.resource || isOfCluster(request)) return;
    const program = this.#parts.find(request);
    const passing = passingOf(request, program);
    this.#passing.set(request, passing);
    if (program && info.verb === "watch") this.#enterWatch(request, program, passing);
    else if (request.handle && !READS.has(passing.verb)) this.#enterWrite(request, passing);
    if (info.verb === "watch") return;
    const { responder } = response;
    response.responder = {
      get responded() {
        return responder.responded;
      },
      respond(code, headers, body) {
        passing.head = body instanceof Uint8Array ? body : body?.[0];
        responder.respond(code, headers, body);
      },
      stream: (code, headers) => responder.stream(code, headers),
      destroy: () => responder.destroy(),
      onOver: (listener) => responder.onOver(listener),
      closeAfterResponse: () => responder.closeAfterResponse(),
      trust: (owner) => responder.trust(owner),
      ...(responder.upgrade && { upgrade: responder.upgrade.bind(responder) }),
    };
  }

  #enterWatch(request: ServerRequest, program: ProgramLife, passing: Passing): void {
    const { response, incoming } = request;
    const { object } = passing;
    const outer = response.wrapWatch;
    const facts = {
      program,
      kind: { group: object.group, kind: object.kind },
      resource: request.resource!,
      allowsBookmarks: incoming.query.flag("allowWatchBookmarks"),
      isStale: program.stale !== undefined && incoming.query.text("resourceVersion") === String(program.stale.revision),
    };
    response.wrapWatch = (output) => {
      const gated = this.gates.watch(output, facts);
      if (facts.isStale && beginsWithState(incoming.query)) {
        passing.begun = () => void sendState(gated, request).catch(() => gated.destroy());
      }
      return outer ? outer(gated) : gated;
    };
  }

  #enterWrite(request: ServerRequest, passing: Passing): void {
    const handle = request.handle!;
    const note = (writes: Parameters<StoredObjects["writing"]>[1]) =>
      this.#parts.stored().writing(passing.actor, writes);
    request.handle = () => asWriter(note, handle);
  }

  #decoded(request: ServerRequest): void | Promise<void> {
    const passing = this.#passing.get(request);
    if (!passing) return undefined;
    addBody(passing, request);
    const { program } = passing;
    if (!program) return undefined;
    this.#count(program);
    const isWrite = !READS.has(passing.verb);
    if (!isWrite && readsOlder(request)) this.#parts.player.readsOlder(program.actor);
    if (isWrite && ++this.#writes === this.#parts.beforeWrite) {
      this.#parts.stop("write", `before ${passing.verb} of ${passing.object.kind}`);
      return this.#hold(request, () => new Promise(() => {}));
    }
    // A request of a dead program is no part of the run that continues.
    if (program.isOver) return undefined;
    passing.met = this.#parts.player.request(pointOf(passing, request));
    // It is handled after this one; a watch has no end that it could wait for.
    const waiting = passing.verb === "watch" ? -1 : this.#overtaken.findIndex((one) => one.program === program);
    if (waiting >= 0) for (const { go } of this.#overtaken.splice(waiting, 1)) request.response.responder.onOver(go);
    return passing.met.length === 0 ? undefined : this.#before(request, passing, program);
  }

  async #before(request: ServerRequest, passing: Passing, program: ProgramLife): Promise<void> {
    for (const { index, perturbation } of passing.met) {
      switch (perturbation.type) {
        case "slow-webhooks":
          // With slow renewals no replica leads, and the run would show nothing about the program.
          if (!isElection(passing)) await this.#wait(request, perturbation.byMillis);
          break;
        case "crash":
          if (perturbation.when === "after") break;
          if (perturbation.when === "late") this.#keep(request, program, index);
          this.#parts.kill(program, perturbation.downMillis);
          request.response.responder.destroy();
          return;
        case "refused":
          if (perturbation.with !== "timeout" && perturbation.with !== "deadline-exceeded") {
            throw refusalOf(perturbation.with, request);
          }
          break;
        case "overtaken":
          await this.#hold(request, () => {
            const { promise, resolve } = Promise.withResolvers<void>();
            this.#overtaken.push({ program, index, go: resolve });
            return promise;
          });
          break;
        case "lead-changes":
          await this.#hold(request, () => this.#parts.leadChanges(program, index));
          break;
        default:
          break;
      }
    }
  }

  #handled(request: ServerRequest, revision: number): void | Promise<void> {
    const passing = this.#passing.get(request);
    if (!passing) return undefined;
    if (passing.verb === "list") passing.listed = listedRevision(request, revision);
    return passing.met.length > 0 && passing.program ? this.#after(request, passing, passing.program) : undefined;
  }

  async #after(request: ServerRequest, passing: Passing, program: ProgramLife): Promise<void> {
    for (const { index, perturbation } of passing.met) {
      switch (perturbation.type) {
        case "crash":
          if (perturbation.when !== "after") break;
          this.#parts.kill(program, perturbation.downMillis);
          request.response.responder.destroy();
          return;
        case "stale-restart":
          this.#parts.kill(program, STALE_DOWN_MS, { index, revision: this.#parts.player.staleRevision(index)! });
          request.response.responder.destroy();
          return;
        case "answer-lost":
          request.response.responder.destroy();
          return;
        case "slow":
          await this.#wait(request, perturbation.byMillis);
          break;
        case "refused":
          if (perturbation.with === "timeout" || perturbation.with === "deadline-exceeded") {
            throw new ApiError(
              "Timeout",
              `Timeout: request did not complete within the allotted time: ${FAULT_REASON}`,
            );
          }
          break;
        default:
          break;
      }
    }
  }

  #leave(request: ServerRequest): void {
    const passing = this.#passing.get(request);
    if (!passing) return;
    const { response, info, incoming } = request;
    const { actor, program, verb, object, generateName, sent, met } = passing;
    if (response.longRunning) passing.begun?.();
    const isLost = response.code === 0 || program?.isOver === true;
    const revision = isLost || response.code >= 300 ? undefined : revisionOf(passing);
    const fieldManager = incoming.query.text("fieldManager");
    this.#parts.trace.add({
      type: "request",
      actor,
      life: program?.life ?? 0,
      protocol: "api",
      verb,
      object,
      ...(info.subresource !== "" && { subresource: info.subresource }),
      ...(fieldManager !== "" && { fieldManager }),
      ...(generateName !== undefined && { generateName }),
      ...(sent !== undefined && { sent }),
      ...(!isLost && { code: response.code }),
      ...(!isLost && response.reason !== undefined && { reason: response.reason }),
      ...(!isLost && response.status?.message && { message: response.status.message }),
      changed: response.changed,
      ...(revision !== undefined && { revision }),
      ...(met[0] && { perturbation: met[0].index }),
    } satisfies Omit<RequestEntry, "seq" | "at">);
  }

  /** Finds work without end. */
  #count({ actor }: ProgramLife): void {
    const now = this.#parts.clock.steady();
    this.#atOnce = now === this.#instant ? this.#atOnce + 1 : 1;
    this.#instant = now;
    // The work of a program that does not see an event ends when it sees it.
    if (this.#atOnce === MAX_AT_ONCE && this.gates.releaseAll()) this.#atOnce = 0;
    if (this.#atOnce === MAX_AT_ONCE) {
      this.#parts.stop("endless", `${actor} sent ${MAX_AT_ONCE} requests while the clock stood still`);
    }
  }

  #keep(request: ServerRequest, program: ProgramLife, index: number): void {
    const { sent } = request.incoming;
    const headers = Object.fromEntries(
      ["accept", "user-agent"].map((name) => [name, sent.header(name)]).filter(([, value]) => value !== ""),
    ) as Record<string, string>;
    const type = sent.header("content-type");
    // The body was decoded, whatever form it had; a patch has the form of its type.
    if (type !== "") headers["content-type"] = sent.method === "PATCH" ? type : "application/json";
    const body = sent.ownJson ?? (request.body === undefined ? undefined : JSON.stringify(request.body));
    this.#late.push({ method: sent.method, url: sent.url, headers, body, program, index });
    this.#parts.trace.perturbation(index, "begun", `a request of ${program.actor} is on its way while it dies`);
  }

  async #wait(request: ServerRequest, millis: number): Promise<void> {
    const { sent, rawPath } = request.incoming;
    const owner = `slow ${sent.method} ${rawPath}`;
    const over = this.#parts.delays(millis);
    try {
      await this.#held(request, (signal) => sleep(this.#parts.clock, millis, signal, { owner }));
    } finally {
      over();
    }
  }

  #hold(request: ServerRequest, until: () => Promise<void>): Promise<void> {
    return this.#held(request, (signal) => {
      const aborted = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
      return Promise.race([until(), aborted]);
    });
  }

  async #held(request: ServerRequest, until: (signal: AbortSignal) => Promise<void>): Promise<void> {
    await holdRequest(request, this.#closing.signal, until);
  }
}
