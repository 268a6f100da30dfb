/**
 * One connection with a client, a handler, a socket and a loop that follow a list of steps, and a model that checks
 * every byte. An error is a {@link Violation}.
 *
 * @module
 */
import { inspect } from "node:util";
import { BufferPool } from "../../util/buffer-pool.ts";
import { ERROR, Http2Connection, type Http2Limits, type Http2Stream } from "../index.ts";
import { ClientBytes, bodyBytes } from "./client-bytes.ts";
import { Http2Model, Violation } from "./model.ts";
import { Served } from "./served.ts";
import type { ClientStep, HandlerStep, SocketStep, Step } from "./steps.ts";

/** What a rig is built from. */
export interface RigOptions {
  readonly limits: Http2Limits;
  /** The bytes of incomplete headers on all connections. */
  readonly headerMemory: number;
}

/** A failure that a step requests. */
class Planned extends Error {
  override readonly name = "Planned";
}

/** Bytes in one piece of a socket. */
const MOST_PIECE = 65_536;
/** How many bytes may wait for the socket: responses, acknowledgements and resets, and the current batch. */
const MOST_UNSENT = 327_680 + 2 * MOST_PIECE + 98_304;
/** The part of a window that is used before the server opens it again. */
const SLACK = 16;
const DEFAULT_WINDOW = 65_535;
const PAGE = 65_536 + 32_768;

/** See the head of this file. */
export class Rig {
  readonly model: Http2Model;
  readonly served = new Map<number, Served>();
  readonly connection: Http2Connection;
  readonly #options: RigOptions;
  readonly #client: ClientBytes;
  readonly #pages = new BufferPool(PAGE, 4);
  /** Steps of the handler for requests that have not arrived. */
  readonly #then = new Map<number, readonly HandlerStep[]>();
  /** Streams with an unusual body. */
  readonly #foreign = new Set<number>();
  #outgoing: Buffer[] = [];
  #arriving: Buffer[] = [];
  #writes: { readonly bytes: Uint8Array; readonly sent: () => void }[] = [];
  #later: (() => void)[] = [];
  #isPaused = false;
  #isEnding = false;
  #isDestroyed = false;
  #isTrusted = false;
  #memory: number;
  #waited = 0;
  #now = 0;
  #planned = 0;
  #faults: unknown[] = [];
  #endings = 0;

  constructor(options: RigOptions) {
    const { limits, headerMemory } = options;
    this.#options = options;
    this.#memory = headerMemory;
    const { streams, headerBytes, headerFields, resets } = limits;
    this.model = new Http2Model(
      { streams, headerBytes, headerFields, resets: resets.burst },
      {
        body: ({ id, sent }, bytes) => {
          if (!bytes.equals(bodyBytes(id, sent, bytes.length))) this.#foreign.add(id);
        },
        data: (stream, bytes) => {
          if (!bytes.equals(bodyBytes(stream.id, stream.responseBytes, bytes.length)))
            throw new Violation(`other bytes than those of the response, on stream ${stream.id}`);
        },
      },
    );
    this.#client = new ClientBytes(this.model);
    this.connection = new Http2Connection({
      transport: {
        write: (bytes, sent) => this.#write(bytes, sent),
        end: () => {
          this.#isEnding = true;
        },
        destroy: () => {
          this.#isDestroyed = true;
        },
        pause: () => {
          this.#isPaused = true;
        },
        resume: () => {
          this.#isPaused = false;
        },
      },
      limits,
      later: (work) => void this.#later.push(work),
      pages: this.#pages,
      now: () => this.#now,
      headerMemory: {
        take: (bytes) => this.#take(bytes),
        give: (bytes) => {
          this.#memory += bytes;
        },
      },
      onRequest: (stream) => this.#request(stream),
      onHeaders: (areWaitedFor) => {
        this.#waited += areWaitedFor ? 1 : -1;
      },
      onEnding: () => void this.#endings++,
      onFault: (error) => void this.#faults.push(error),
    });
  }

  /** Whether the run is over. */
  get isOver(): boolean {
    return this.#isDestroyed;
  }

  /** Whether the server has ended its side, or will do so after its last write. */
  get isEnding(): boolean {
    return this.#isEnding;
  }

  /** The pending writes of the socket. */
  get unsent(): number {
    return this.#writes.length;
  }

  /** Runs a step, and checks the invariants. */
  async do(step: Step): Promise<void> {
    if (!this.#isDestroyed) this.#perform(step);
    await Promise.resolve();
    this.#afterStep();
  }

  /** Runs until all is idle, ends the connection, and checks that nothing is left. */
  async finish(): Promise<void> {
    await this.#flush();
    if (!this.#isDestroyed && !this.model.isDead && !this.#isEnding && this.#isUnderstood) await this.#settle();
    await this.#flush();
    if (!this.#isDestroyed && (this.model.isDead || this.#isEnding) && !this.model.hasEnded)
      throw new Violation("the connection was to end, and has not");
    this.connection.closed();
    this.#isDestroyed = true;
    for (let i = 0; i < 5; i++) await Promise.resolve();
    this.#afterStep();
    this.#mustBeEmpty();
  }

  /** Whether the client can still send. */
  get #isUnderstood(): boolean {
    return (
      this.model.hasSettings && !this.model.isMidFrame && this.#outgoing.length === 0 && this.#arriving.length === 0
    );
  }

  // Steps.

  #perform(step: Step): void {
    if (isClientStep(step)) {
      this.#send(step);
    } else if (isSocketStep(step)) {
      this.#socket(step);
    } else if (step.do !== "throw") {
      this.model.isExact = false;
      this.#handler(step);
    }
  }

  #send(step: ClientStep): void {
    if (step.do === "headers" && step.then) this.#then.set(step.id, step.then);
    if (step.do === "flood" && step.then) {
      for (let i = 0; i < step.times; i++) this.#then.set(step.id + 2 * i, forStream(step.then, step.id + 2 * i));
    }
    this.#outgoing.push(this.#client.of(step));
    if (step.hold) return;
    const all = Buffer.concat(this.#outgoing);
    const length = Math.max(0, all.length - (step.keep ?? 0));
    this.#outgoing = length === all.length ? [] : [all.subarray(length)];
    for (let at = 0; at < length; at += MOST_PIECE)
      this.#arriving.push(all.subarray(at, Math.min(length, at + MOST_PIECE)));
    this.#receive();
  }

  #receive(): void {
    while (this.#arriving.length > 0 && !this.#isPaused && !this.#isDestroyed) {
      const piece = this.#arriving.shift()!;
      this.model.client(piece);
      // The server must not keep the received buffer.
      this.connection.receive(Buffer.from(piece));
    }
  }

  #socket(step: SocketStep): void {
    switch (step.do) {
      case "sent":
        this.#sent(step.writes ?? Infinity);
        return;
      case "later":
        this.#runLater();
        return;
      case "flush":
        this.#flushOnce();
        return;
      case "closed":
        this.connection.closed();
        this.#isDestroyed = true;
        return;
      case "time":
        this.#now += step.millis;
    }
  }

  #runLater(): void {
    for (const work of this.#later.splice(0)) work();
  }

  #sent(writes: number): void {
    for (const { bytes, sent } of this.#writes.splice(0, writes)) {
      this.model.server(bytes);
      // The buffer is reused for new bytes.
      bytes.fill(0xee);
      sent();
    }
  }

  async #flush(): Promise<void> {
    for (let i = 0; i < 3; i++) {
      if (!this.#isDestroyed) this.#flushOnce();
      await Promise.resolve();
    }
  }

  #flushOnce(): void {
    for (
      let rounds = 0;
      this.#later.length + this.#writes.length + this.#readable > 0 && !this.#isDestroyed;
      rounds++
    ) {
      if (rounds > 10_000) throw new Violation("there is no end to what is written");
      this.#runLater();
      this.#sent(Infinity);
      this.#receive();
    }
    if (this.#isDestroyed) return;
    if (this.#isPaused && !this.#isEnding) throw new Violation("nothing waits, and the socket is not read");
    if (this.#isEnding) {
      if (!this.model.hasEnded) this.model.ended();
    }
    this.model.sync();
    this.#checkWindows();
  }

  get #readable(): number {
    return this.#isPaused ? 0 : this.#arriving.length;
  }

  // The server.

  #request(stream: Http2Stream): void {
    const { id, head } = stream;
    const asked = this.model.streams.get(id);
    if (!asked || asked.isVoid) throw new Violation(`a request that was not made, ${id}`);
    if (this.served.has(id)) throw new Violation(`a request a second time, ${id}`);
    const served = new Served(stream, asked, {
      isDead: () => this.model.isDead,
      isForeign: () => this.#foreign.has(id),
    });
    this.served.set(id, served);
    stream.onOver(() => void served.overs++);
    if (head.refusal) {
      const { status } = head.refusal;
      const isRight = asked.isTooLarge ? status === 431 || status === 400 : asked.verdict !== "right" && status === 400;
      if (!isRight) throw new Violation(`a request refused with ${status}, ${id}`);
      served.respond(status, 10);
      return;
    }
    if (asked.isTooLarge || asked.verdict === "wrong") throw new Violation(`a request that is none, ${id}`);
    const fields = asked.fields.flat();
    if (fields.length !== head.fields.length || fields.some((text, i) => text !== head.fields[i]))
      throw new Violation(`other headers than were sent, ${id}`);
    const then = this.#then.get(id);
    this.#then.delete(id);
    this.#all(served, then)();
  }

  #handler(step: HandlerStep): void {
    switch (step.do) {
      case "trust":
        this.#isTrusted = true;
        this.connection.trust();
        return;
      case "close":
        this.model.told.add(ERROR.none);
        this.connection.close();
        return;
      case "pingPeer":
        this.model.pings++;
        this.connection.ping();
        return;
      case "fail":
        this.model.told.add(step.code);
        this.connection.fail(step.code, "as a step says");
        return;
      case "destroy":
        this.connection.destroy();
        return;
      case "throw":
        this.#planned++;
        throw new Planned("as a step says");
      default: {
        const served = this.served.get(step.id);
        if (served) this.#stream(served, step);
      }
    }
  }

  #stream(served: Served, step: Extract<HandlerStep, { readonly id: number }>): void {
    switch (step.do) {
      case "respond":
        served.respond(step.status, step.bytes, step);
        return;
      case "begin":
        served.begin(step.status);
        return;
      case "write":
        served.write(step.bytes, this.#all(served, step.taken));
        return;
      case "end":
        served.end();
        return;
      case "interim":
        served.stream.interim(100);
        return;
      case "open":
        served.open({
          data: this.#all(served, step.data),
          whole: this.#all(served, step.whole),
          broken: this.#all(served, step.broken),
        });
        return;
      case "start":
        served.start();
        return;
      case "allow":
        served.allow(step.bytes);
        return;
      case "resetStream":
        served.reset(step.code);
        return;
      case "onOver":
        served.stream.onOver(this.#all(served, step.over));
    }
  }

  /** Runs steps in a callback; a failure there resets the stream, or is only reported. */
  #all(served: Served, steps: readonly HandlerStep[] | undefined): () => void {
    let isLeft = true;
    return () => {
      if (!steps || !isLeft) return;
      isLeft = false;
      for (const step of steps) {
        if (step.do === "throw") served.asked.told.add(ERROR.internal);
        this.#handler(step);
      }
    };
  }

  #write(bytes: Uint8Array, sent: () => void): void {
    if (this.#isEnding) throw new Violation("something was written behind the end");
    this.#writes.push({ bytes, sent });
  }

  #take(bytes: number): boolean {
    if (bytes <= this.#memory) {
      this.#memory -= bytes;
      return true;
    }
    this.model.told.add(ERROR.enhanceYourCalm);
    return false;
  }

  // Invariants.

  #afterStep(): void {
    if (this.#isDestroyed) {
      this.connection.closed();
      for (const { sent } of this.#writes.splice(0)) sent();
      this.#runLater();
    }
    const foreign = this.#faults.find((error) => !(error instanceof Planned));
    if (foreign instanceof Violation) throw foreign;
    if (foreign !== undefined) throw new Violation(`a fault: ${inspect(foreign)}`);
    const { limits } = this.#options;
    if (this.connection.openStreams > limits.streams) throw new Violation("more streams than there may be");
    const unsent = this.#writes.reduce((sum, { bytes }) => sum + bytes.length, 0);
    if (unsent > MOST_UNSENT) throw new Violation(`${unsent} bytes wait for the socket`);
    if (this.#waited < 0 || this.#waited > 1) throw new Violation("headers that are waited for twice, or not at all");
    for (const served of this.served.values()) served.check();
  }

  /** Windows have their announced sizes. */
  #checkWindows(): void {
    const { model } = this;
    if (model.isDead || this.#isEnding || this.connection.isEnding) return;
    const { streams, streamWindow } = this.#options.limits;
    const whole = this.#isTrusted ? streams * streamWindow : DEFAULT_WINDOW;
    let unread = 0;
    for (const served of this.served.values()) {
      unread += this.#isTrusted ? 0 : served.unread;
      served.checkWindow(streamWindow);
    }
    if (model.window < whole - whole / SLACK - unread)
      throw new Violation(`the window of the connection stays at ${model.window}, ${unread} bytes are not read`);
    if (model.window > Math.max(whole, DEFAULT_WINDOW) - unread && !this.#isTrusted)
      throw new Violation(`the window of the connection is ${model.window}, ${unread} bytes are not read`);
  }

  /** Every request gets its response. */
  async #settle(): Promise<void> {
    for (const served of this.served.values()) {
      if (!served.isResponding) served.respond(200, 10);
      else served.end();
    }
    await this.do({ do: "openWindows" });
    await this.#flush();
    await this.do({ do: "openWindows" });
    await this.#flush();
    if (this.model.isDead || this.#isDestroyed) return;
    for (const stream of this.model.streams.values()) {
      const served = this.served.get(stream.id);
      if (served) served.mustHaveResponse();
      else if (!stream.isClosed) throw new Violation(`stream ${stream.id} was not served, and not ended`);
    }
    if (this.connection.openStreams > 0) throw new Violation("streams that are open, and have their responses");
    await this.do({ do: "ping" });
    await this.do({ do: "goAway", code: 0 });
    await this.#flush();
    if (!this.#isEnding && !this.#isDestroyed) throw new Violation("no end behind the GOAWAY of the client");
  }

  /** A closed connection keeps no memory. */
  #mustBeEmpty(): void {
    if (this.#memory !== this.#options.headerMemory) throw new Violation("memory of headers that was not given back");
    if (this.#waited !== 0) throw new Violation("headers that are waited for, on a connection that is closed");
    if (this.connection.openStreams > 0) throw new Violation("streams on a connection that is closed");
    if (this.#faults.length !== this.#planned)
      throw new Violation(`${this.#faults.length} faults, ${this.#planned} were planned`);
    for (const served of this.served.values()) served.mustBeOver();
  }
}

/** Steps of a handler for another stream. */
export const forStream = (steps: readonly HandlerStep[], id: number): HandlerStep[] =>
  steps.map((step) => reactions("id" in step ? { ...step, id } : step, id));

function reactions(step: HandlerStep, id: number): HandlerStep {
  const entries = Object.entries(step).map(([name, value]) => [
    name,
    Array.isArray(value) ? forStream(value as HandlerStep[], id) : (value as unknown),
  ]);
  return Object.fromEntries(entries) as HandlerStep;
}

const CLIENT_STEPS: ReadonlySet<string> = new Set([
  "preface",
  "bytes",
  "frame",
  "headers",
  "data",
  "text",
  "settings",
  "settingsAck",
  "ping",
  "window",
  "cancel",
  "goAway",
  "priority",
  "flood",
  "openWindows",
] satisfies ClientStep["do"][]);
const SOCKET_STEPS: ReadonlySet<string> = new Set([
  "sent",
  "later",
  "flush",
  "closed",
  "time",
] satisfies SocketStep["do"][]);

const isClientStep = (step: Step): step is ClientStep => CLIENT_STEPS.has(step.do);
const isSocketStep = (step: Step): step is SocketStep => SOCKET_STEPS.has(step.do);
