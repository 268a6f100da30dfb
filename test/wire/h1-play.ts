/**
 * Plays scripts of HTTP/1.1 against a server: a model looks at each byte, and every request that is right gets its answer.
 *
 * @module
 */
import { Violation } from "../../src/http2/testing/model.ts";
import type { H1Script } from "./h1-draw.ts";
import { H1Model } from "./h1-model.ts";
import { type H1Step, type SendStep, sentBy } from "./h1-steps.ts";
import { Line, type Place, type SocketStep, isSocketStep } from "./line.ts";

/** Plays a script; what was wrong. */
export async function playH1({ steps }: H1Script, place: Place): Promise<string | undefined> {
  const player = new H1Player();
  try {
    await player.play(steps, place);
    return undefined;
  } catch (error) {
    if (error instanceof Violation) return error.message;
    throw error;
  } finally {
    player.end();
  }
}

class H1Player {
  readonly #model = new H1Model();
  #line!: Line;
  #wrong: Error | undefined;
  #outgoing: Buffer[] = [];

  async play(steps: readonly H1Step[], place: Place): Promise<void> {
    this.#line = await Line.open(place, ["http/1.1"], {
      data: (bytes) => this.#watch(() => this.#model.server(bytes)),
      end: () => this.#watch(() => this.#model.ended()),
    });
    for (const step of steps) {
      if (this.#line.hasEnded || this.#line.hasLeft) break;
      if (step.do === "answers") await this.#answers();
      else if (isSocketStep(step)) await this.#socket(step);
      else await this.#send(step);
      this.#check();
    }
    await this.#settle();
    this.#check();
  }

  end(): void {
    this.#line?.destroy();
  }

  /** Whoever hears of bytes has nobody to throw at. */
  #watch(look: () => void): void {
    try {
      look();
    } catch (error) {
      this.#wrong ??= error instanceof Error ? error : new Error(String(error));
    }
  }

  #check(): void {
    if (this.#wrong) throw this.#wrong;
  }

  async #socket(step: SocketStep): Promise<void> {
    if (step.do === "fin" || step.do === "rst") this.#model.hasLeft = true;
    await this.#line.do(step);
  }

  async #send(step: SendStep): Promise<void> {
    this.#model.sends(step);
    this.#outgoing.push(sentBy(step).bytes);
    if (!step.hold) this.#leave(step.keep);
    // Others have their turns, the server too.
    await new Promise((resolve) => void setImmediate(resolve));
  }

  #leave(keep = 0): void {
    const all = Buffer.concat(this.#outgoing);
    const length = Math.max(0, all.length - keep);
    this.#outgoing = length === all.length ? [] : [all.subarray(length)];
    this.#model.leaves(length);
    this.#line.write(all.subarray(0, length));
  }

  /** Waits until all is answered that will be. */
  async #answers(): Promise<void> {
    this.#leave();
    await this.#line.until(() => this.#wrong !== undefined || this.#model.waitedFor === undefined);
    this.#check();
    if (this.#model.waitedFor !== undefined && !this.#line.hasEnded)
      throw new Violation(`no answer to ${this.#model.waitedFor}`);
  }

  async #settle(): Promise<void> {
    if (!this.#line.hasLeft && !this.#line.hasEnded) await this.#answers();
    if (!this.#line.hasLeft && !this.#model.isBroken) {
      await this.#pongs();
      await this.#socket({ do: "fin" });
    }
    // It does not see that its client has left.
    if (this.#model.isHeldUp) return;
    if (!(await this.#line.ends())) throw new Violation("the server does not end");
    this.#check();
  }

  async #pongs(): Promise<void> {
    const { webSocket } = this.#model;
    if (!webSocket) return;
    await this.#line.until(() => this.#wrong !== undefined || webSocket.pings.length === 0);
    this.#check();
    if (webSocket.pings.length > 0 && !this.#line.hasEnded)
      throw new Violation("a ping of a WebSocket that was not answered");
  }
}
