/**
 * Plays scripts of HTTP/2 against a server: a model looks at each byte, and every request that is right gets its answer.
 *
 * @module
 */
import { ClientBytes } from "../../src/http2/testing/client-bytes.ts";
import { Http2Model, type ModelStream, Violation } from "../../src/http2/testing/model.ts";
import type { ClientStep } from "../../src/http2/testing/steps.ts";
import { type Asked, SECRET, asked } from "./catalog.ts";
import { type H2Script, type H2Step, OPTIONS, isBody, windowBytes } from "./h2-script.ts";
import { Line, type Place, isSocketStep } from "./line.ts";
import { Outgoing, Witness, violationOf } from "./witness.ts";

/** The number of requests without a credential from which on the connection may be closed. */
const MOST_UNTAKEN = 8;
/** How long a window is waited for. */
const WINDOW_MS = 500;
/** The end of a connection without a credential, or with too many requests. */
const NO_ERROR = 0;

/** Plays a script; what was wrong. */
export const playH2 = ({ steps }: H2Script, place: Place): Promise<string | undefined> =>
  violationOf(new H2Player(steps, place));

class H2Player {
  readonly #model: Http2Model;
  readonly #bytes: ClientBytes;
  readonly #asked = new Map<number, Asked>();
  /** Streams on which headers were sent: others on them are trailers. */
  readonly #begun = new Set<number>();
  readonly #steps: readonly H2Step[];
  readonly #place: Place;
  readonly #witness = new Witness();
  readonly #outgoing = new Outgoing();
  #line!: Line;
  /** Whether a good credential was shown before anything else was asked. */
  #isTrusted = false;
  #count = 0;

  constructor(steps: readonly H2Step[], place: Place) {
    this.#steps = steps;
    this.#place = place;
    const { streams, headerBytes, headerFields, resets } = OPTIONS.limits;
    const limits = { streams, headerBytes, headerFields, resets: resets.burst };
    this.#model = new Http2Model(limits, {
      response: (stream) => this.#judge(stream),
      data: ({ id }, bytes) => {
        if (bytes.includes(SECRET) && !this.#asked.get(id)?.hasToken)
          throw new Violation(`a secret without a credential, on stream ${id}`);
      },
    });
    this.#bytes = new ClientBytes(this.#model);
  }

  async play(): Promise<void> {
    this.#line = await Line.open(this.#place, ["h2"], {
      data: (bytes) => this.#witness.see(() => this.#model.server(bytes)),
      end: () => this.#witness.see(() => this.#ended()),
    });
    for (const step of this.#steps) {
      if (this.#line.hasEnded || this.#line.hasLeft) break;
      if (isSocketStep(step)) await this.#line.do(step);
      else await this.#send(step);
      this.#witness.check();
    }
    await this.#settle();
    this.#witness.check();
  }

  end(): void {
    this.#line?.destroy();
  }

  // What the client does.

  async #send(step: H2Step & ClientStep): Promise<void> {
    if (step.within && !(await this.#hasRoom(step))) return;
    if (step.do === "headers") this.#ask(step.id, step.asked && asked(step.asked));
    if (step.do === "flood") this.#model.told.add(NO_ERROR);
    this.#outgoing.add(this.#bytes.of(step));
    if (!step.hold) this.#leave(step.keep);
    // Others have their turns, the server too.
    await new Promise((resolve) => void setImmediate(resolve));
  }

  #ask(id: number, what: Asked | undefined): void {
    if (this.#count++ === 0) this.#isTrusted = what?.hasToken ?? false;
    if (what && !this.#begun.has(id)) this.#asked.set(id, what);
    this.#begun.add(id);
    // A client without a credential gets a response and a GOAWAY.
    if (!this.#isTrusted || !what) this.#model.told.add(NO_ERROR);
  }

  #leave(keep = 0): void {
    const bytes = this.#outgoing.take(keep);
    this.#witness.see(() => this.#model.client(bytes));
    this.#line.write(bytes);
  }

  /** Waits until windows permit the bytes; false where they would be on a stream that is not read any more. */
  async #hasRoom(step: ClientStep): Promise<boolean> {
    if (!isBody(step)) return true;
    const model = this.#model;
    const needs = windowBytes(step);
    // What was held back may be what it waits for.
    if (!model.streams.has(step.id)) this.#leave();
    const stream = model.streams.get(step.id);
    const isLeft = (): boolean => !stream?.isOpen || model.isDead;
    const fits = (): boolean => model.hasSettings && Math.min(stream!.window, model.window) >= needs;
    if (!isLeft() && !fits()) this.#leave();
    // The bodies that have taken the whole window may never be read: then this one is not sent.
    await this.#line.until(() => isLeft() || fits(), WINDOW_MS);
    return !isLeft() && fits();
  }

  // What the server does.

  #judge({ id, status, verdict, isTooLarge }: ModelStream): void {
    const what = this.#asked.get(id);
    const isRight = what?.codes.includes(status) ?? (status >= 200 && status < 500);
    // A body that is shorter or longer than announced gets an error.
    const isOdd = verdict !== "right" || isTooLarge || !this.#isMeant(id);
    if (!isRight && !(isOdd && status >= 200 && status < 500))
      throw new Violation(`${status} to ${what?.name ?? "something"}, on stream ${id}`);
  }

  /** Whether a request was sent as it was meant. */
  #isMeant(id: number): boolean {
    const stream = this.#model.streams.get(id)!;
    const what = this.#asked.get(id);
    return what !== undefined && !stream.isBroken && stream.endedAt > 0 && stream.sent === what.body.length;
  }

  #ended(): void {
    const mayBreakOff = !this.#isTrusted && this.#count > MOST_UNTAKEN;
    if (mayBreakOff || this.#line.hasLeft) this.#model.isDead = true;
    else this.#model.ended();
  }

  // The end.

  async #settle(): Promise<void> {
    const model = this.#model;
    if (!this.#line.hasLeft && !this.#line.hasEnded) this.#leave();
    if (model.isBroken && !model.isMidFrame) await this.#line.until(() => model.isDead);
    if (this.#line.hasLeft || model.isMidFrame || !model.hasSettings) {
      if (!this.#line.hasLeft) await this.#line.do({ do: "fin" });
      await this.#mustEnd();
      return;
    }
    for (const stream of model.streams.values())
      if (stream.isOpen && stream.endedAt === 0) this.#say({ do: "cancel", id: stream.id, code: 8 });
    await this.#mustAnswer();
    if (!model.isDead && !this.#line.hasEnded) this.#say({ do: "goAway", code: 0 });
    await this.#mustEnd();
  }

  async #mustAnswer(): Promise<void> {
    const model = this.#model;
    // Only then it is known how wide they are.
    await this.#witness.until(this.#line, () => model.isDead || model.pendingSettings === 0);
    this.#say({ do: "openWindows" });
    const waiting = (): ModelStream[] => [...model.streams.values()].filter((stream) => this.#isWaitedFor(stream));
    await this.#witness.until(this.#line, () => model.isDead || waiting().length === 0);
    const [first] = waiting();
    if (first && !model.isDead && !this.#mayBeLost)
      throw new Violation(`no answer to ${this.#asked.get(first.id)?.name ?? "something"}, on stream ${first.id}`);
    for (const { id, isClosed } of model.streams.values()) if (!isClosed) this.#say({ do: "cancel", id, code: 8 });
    this.#say({ do: "ping" });
    await this.#witness.until(this.#line, () => model.isDead || model.pendingPings === 0);
    if (model.pendingPings > 0 && !model.isDead && !this.#line.hasEnded)
      throw new Violation("a ping that was not answered");
  }

  get #mayBeLost(): boolean {
    return this.#line.hasEnded && !this.#isTrusted;
  }

  #isWaitedFor(stream: ModelStream): boolean {
    if (stream.isClosed || stream.hasResponded) return false;
    // It is invalid, or incomplete: that is not known.
    if (stream.verdict !== "right" || stream.isBroken || stream.endedAt === 0) return false;
    return this.#asked.get(stream.id)?.isEndless ? stream.status === 0 : true;
  }

  #say(step: ClientStep): void {
    if (this.#line.hasEnded) return;
    this.#outgoing.add(this.#bytes.of(step));
    this.#leave();
  }

  async #mustEnd(): Promise<void> {
    if (!(await this.#line.ends())) throw new Violation("the server does not end");
    this.#witness.check();
  }
}
