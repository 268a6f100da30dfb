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
import { Outgoing, Witness, violationOf } from "./witness.ts";

/** Plays a script; what was wrong. */
export const playH1 = ({ steps }: H1Script, place: Place): Promise<string | undefined> =>
  violationOf(new H1Player(steps, place));

class H1Player {
  readonly #model = new H1Model();
  readonly #steps: readonly H1Step[];
  readonly #place: Place;
  readonly #witness = new Witness();
  readonly #outgoing = new Outgoing();
  #line!: Line;

  constructor(steps: readonly H1Step[], place: Place) {
    this.#steps = steps;
    this.#place = place;
  }

  async play(): Promise<void> {
    this.#line = await Line.open(this.#place, ["http/1.1"], {
      data: (bytes) => this.#witness.see(() => this.#model.server(bytes)),
      end: () => this.#witness.see(() => this.#model.ended()),
    });
    for (const step of this.#steps) {
      if (this.#line.hasEnded || this.#line.hasLeft) break;
      if (step.do === "answers") await this.#answers();
      else if (isSocketStep(step)) await this.#socket(step);
      else await this.#send(step);
      this.#witness.check();
    }
    await this.#settle();
    this.#witness.check();
  }

  end(): void {
    this.#line?.destroy();
  }

  async #socket(step: SocketStep): Promise<void> {
    if (step.do === "fin" || step.do === "rst") this.#model.hasLeft = true;
    await this.#line.do(step);
  }

  async #send(step: SendStep): Promise<void> {
    this.#model.sends(step);
    this.#outgoing.add(sentBy(step).bytes);
    if (!step.hold) this.#leave(step.keep);
    // Others have their turns, the server too.
    await new Promise((resolve) => void setImmediate(resolve));
  }

  #leave(keep = 0): void {
    const bytes = this.#outgoing.take(keep);
    this.#model.leaves(bytes.length);
    this.#line.write(bytes);
  }

  /** Waits until all is answered that will be. */
  async #answers(): Promise<void> {
    this.#leave();
    await this.#witness.until(this.#line, () => this.#model.waitedFor === undefined);
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
    this.#witness.check();
  }

  async #pongs(): Promise<void> {
    const { webSocket } = this.#model;
    if (!webSocket) return;
    await this.#witness.until(this.#line, () => webSocket.pings.length === 0);
    if (webSocket.pings.length > 0 && !this.#line.hasEnded)
      throw new Violation("a ping of a WebSocket that was not answered");
  }
}
