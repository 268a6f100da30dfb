/**
 * A client that watches: ends and begins again as a seed says, on this server or another, from where it was, from
 * earlier, from the present state, or from a revision that is not there yet.
 *
 * @module
 */
import { setTimeout as wait } from "node:timers/promises";
import type { Random } from "../../src/util/clock.ts";
import { type Address, Connection } from "./connection.ts";
import { type Frame, resourceOf } from "./history.ts";
import { COLOURS, SCOPES, type WireObject, pathOf, seenOf } from "./objects.ts";
import type { Recorder, Recording } from "./recorder.ts";

interface WireEvent {
  readonly type: Frame["type"];
  readonly object: WireObject & {
    readonly code?: number;
    readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
  };
}

/** What a watcher wants of its next watch. */
interface Plan {
  readonly server: number;
  readonly scope: string;
  readonly colour?: string;
  readonly from: number | "initial";
  /** The server is asked to end it after so many seconds; never when 0. */
  readonly seconds: number;
  /** The client leaves after so many ms. */
  readonly millis: number;
}

/** Ends of initial events are marked by an annotation with this end. */
const INITIAL_END = "/initial-events-end";

/** See the head of this file. */
export class Watcher {
  readonly #name: string;
  readonly #random: Random;
  readonly #recorder: Recorder;
  readonly #connections: readonly Connection[];
  /** Where it stays, for one that leaves nothing out. */
  readonly #fixed: { readonly server: number; readonly scope: string } | undefined;
  #scope: string;
  #colour: string | undefined;
  #reached: number | "initial";

  constructor(
    name: string,
    servers: readonly (() => Address | undefined)[],
    random: Random,
    recorder: Recorder,
    start: number,
    fixed?: { readonly server: number; readonly scope: string },
  ) {
    this.#name = name;
    this.#random = random;
    this.#recorder = recorder;
    this.#connections = servers.map((address) => new Connection(address));
    this.#fixed = fixed;
    this.#scope = fixed?.scope ?? SCOPES[0]!;
    this.#reached = start;
  }

  /** Runs until it is stopped, and then until it has seen everything up to `due`; rejects when that takes too long. */
  async run(signal: AbortSignal, due: () => { readonly revision: number; readonly until: number }): Promise<void> {
    while (!signal.aborted) {
      await this.#watch(this.#plan(), signal);
      await wait(this.#random.next() * 50);
    }
    for (let last: Recording | undefined; ;) {
      const { revision, until } = due();
      if (typeof this.#reached === "number" && this.#reached >= revision) break;
      if (this.#recorder.now() > until) {
        if (last) last.due = revision;
        break;
      }
      last = await this.#watch({ ...this.#same(), seconds: 1, millis: 10_000 });
      await wait(50);
    }
    for (const connection of this.#connections) connection.close();
  }

  #same(): Plan {
    const server = this.#fixed?.server ?? Math.floor(this.#random.next() * this.#connections.length);
    const colour = this.#colour === undefined ? {} : { colour: this.#colour };
    return { server, scope: this.#scope, ...colour, from: this.#reached, seconds: 0, millis: 60_000 };
  }

  #plan(): Plan {
    const random = this.#random;
    const seconds = random.next() < 0.3 ? 1 + Math.floor(random.next() * 4) : 0;
    const same = this.#same();
    // A server that is paused says nothing for longer than this, and then the watch must go on all the same.
    if (this.#fixed) return { ...same, seconds, millis: 20_000 };
    const millis = 300 + random.next() * 8000;
    const chance = random.next();
    const reached = this.#reached;
    if (chance < 0.5 || reached === "initial") return { ...same, seconds, millis };
    if (chance < 0.65)
      return { ...same, seconds, millis, from: Math.max(1, reached - Math.floor(random.next() * 400)) };
    if (chance < 0.7) return { ...same, seconds, millis, from: reached + Math.floor(random.next() * 20) };
    this.#scope = SCOPES[Math.floor(random.next() * SCOPES.length)]!;
    this.#colour = random.next() < 0.5 ? undefined : COLOURS[Math.floor(random.next() * COLOURS.length)]!;
    const from = chance < 0.85 ? reached : "initial";
    return { ...this.#same(), seconds, millis, from };
  }

  /** Watches once; the recording, or nothing when there was no connection. */
  async #watch(plan: Plan, signal?: AbortSignal): Promise<Recording | undefined> {
    const { server, scope, colour, from, seconds, millis } = plan;
    const query = [
      "watch=true&allowWatchBookmarks=true",
      from === "initial" ? "sendInitialEvents=true&resourceVersionMatch=NotOlderThan" : `resourceVersion=${from}`,
      ...(colour === undefined ? [] : [`labelSelector=colour%3D${colour}`]),
      ...(seconds === 0 ? [] : [`timeoutSeconds=${seconds}`]),
    ].join("&");
    const about = { client: this.#name, server, scope, ...(colour === undefined ? {} : { colour }), from };
    const recording = this.#recorder.stream({ ...about, call: this.#recorder.now() });
    let stream;
    try {
      stream = await this.#connections[server]!.open("GET", `${pathOf(scope)}?${query}`);
    } catch {
      recording.end = "broken";
      return undefined;
    }
    const leave = (): void => {
      recording.end = "broken";
      stream.destroy();
    };
    const timer = setTimeout(leave, millis);
    signal?.addEventListener("abort", leave);
    this.#reached = from;
    await this.#read(stream, recording);
    clearTimeout(timer);
    signal?.removeEventListener("abort", leave);
    // A connection on which nothing was heard may be one on which nothing ever will be.
    if (recording.frames.length === 0) this.#connections[server]!.close();
    return recording;
  }

  #read(stream: NodeJS.ReadableStream, recording: Recording): Promise<void> {
    let rest = "";
    let status = 200;
    stream.on("response", (headers: { ":status"?: number }) => (status = headers[":status"] ?? 0));
    stream.on("data", (chunk: Buffer) => {
      const lines = (rest + chunk.toString("latin1")).split("\n");
      rest = lines.pop()!;
      if (status !== 200) return;
      for (const line of lines) if (line !== "") this.#line(Buffer.from(line, "latin1").toString(), recording);
    });
    return new Promise((resolve) => {
      stream.on("end", () => {
        if (recording.end === "open") recording.end = "ended";
      });
      stream.on("close", () => {
        if (recording.end === "open") recording.end = "broken";
        if (status >= 400) this.#failed(status, recording);
        resolve();
      });
    });
  }

  #line(line: string, recording: Recording): void {
    const at = this.#recorder.now();
    const { type, object } = JSON.parse(line) as WireEvent;
    if (type === "ERROR") return this.#failed(object.code ?? 0, recording);
    const revision = Number(object.metadata.resourceVersion);
    if (type === "BOOKMARK") {
      const marks = Object.keys(object.metadata.annotations ?? {});
      const initialEnd = marks.some((name) => name.endsWith(INITIAL_END));
      recording.frames.push({ type, revision, initialEnd, at });
      if (initialEnd || this.#reached !== "initial") this.#reached = revision;
      return;
    }
    recording.frames.push({ type, object: seenOf(resourceOf(recording.scope), object), at });
    if (this.#reached !== "initial") this.#reached = revision;
  }

  #failed(code: number, recording: Recording): void {
    recording.frames.push({ type: "ERROR", code, at: this.#recorder.now() });
    if (code === 410) this.#reached = "initial";
  }
}
