import { endingWith } from "../../client/bodies.ts";
import type { ResponseBody, Transport, TransportResponse } from "../../client/transport.ts";
import { pauseCount } from "../../util/activity.ts";
import type { Clock } from "../../util/clock.ts";

/**
 * Pauses a program like a suspended process: its requests, their responses and its timers wait. All continue, in order, when it is resumed.
 */
export class Pause {
  #resumed: PromiseWithResolvers<void> | undefined;
  /** Timers that became due during the pause. */
  #due: (() => void)[] | undefined;

  pause(): void {
    this.#resumed ??= Promise.withResolvers();
    this.#due ??= [];
  }

  /** Responses and requests continue; timers still wait. */
  resumeRequests(): void {
    this.#resumed?.resolve();
    this.#resumed = undefined;
  }

  resumeTimers(): void {
    const due = this.#due ?? [];
    this.#due = undefined;
    for (const work of due) work();
  }

  /** Wraps a transport. */
  readonly transport =
    (transport: Transport): Transport =>
    async (request) => {
      await this.#open();
      try {
        const response = await transport(request);
        // Its head has no meaning without its body, which must be read at once: an unread response counts as running work.
        return { ...response, body: this.#body(response.body) } satisfies TransportResponse;
      } catch (error) {
        await this.#open();
        throw error;
      }
    };

  /** Wraps a clock. */
  clock(clock: Clock): Clock {
    return {
      loop: clock.loop,
      now: () => clock.now(),
      steady: () => clock.steady(),
      after: (millis, work, ...more) => {
        let isCancelled = false;
        const run = (): void => void (isCancelled || work());
        const timer = clock.after(millis, () => (this.#due ? void this.#due.push(run) : run()), ...more);
        return {
          cancel: () => {
            isCancelled = true;
            timer.cancel();
          },
        };
      },
    };
  }

  /** Waits without counting as running work. */
  async #open(): Promise<void> {
    if (!this.#resumed) return;
    using _waiting = pauseCount();
    await this.#resumed.promise;
  }

  #body(body: ResponseBody): ResponseBody {
    const { text } = body;
    return {
      ...(text && {
        text: async () => {
          const whole = await text();
          await this.#open();
          return whole;
        },
      }),
      [Symbol.asyncIterator]: () => {
        const pieces = body[Symbol.asyncIterator]();
        const held = { next: this.#reader(pieces), return: () => pieces.return?.() ?? ended };
        return endingWith(held, () => {});
      },
    };
  }

  /** Reads pieces even during the pause, so that no other part waits for it to read. */
  #reader(pieces: AsyncIterator<Uint8Array>): () => Promise<IteratorResult<Uint8Array>> {
    const kept: IteratorResult<Uint8Array>[] = [];
    let reading: Promise<IteratorResult<Uint8Array>> | undefined;
    return async () => {
      if (kept.length > 0) return kept.shift()!;
      for (;;) {
        const piece = await (reading ??= pieces.next());
        reading = undefined;
        if (!this.#resumed) return piece;
        kept.push(piece);
        while (this.#resumed && !piece.done) {
          const resumed = this.#resumed.promise.then(() => undefined);
          const next = await Promise.race([(reading ??= pieces.next()), resumed]);
          if (!next) break;
          reading = undefined;
          kept.push(next);
          if (next.done) break;
        }
        if (this.#resumed) await this.#resumed.promise;
        return kept.shift()!;
      }
    };
  }
}

const ended = Promise.resolve({ done: true as const, value: undefined });
