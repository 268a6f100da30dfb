/**
 * Sessions over messages, in the sub-protocols `v5.channel.k8s.io` and `v4.channel.k8s.io`: the first byte of a message names its
 * channel, the rest is data.
 *
 *     0 stdin   1 stdout   2 stderr   3 the result, a Status   4 the size of the terminal   255 the client closes a channel (v5)
 *
 * @module
 */
import type { Session, SessionStreams } from "../../schema/session.ts";
import { decodePlainJson } from "../../value/json.ts";
import { isObject } from "../../value/value.ts";
import type { Clock } from "../../util/clock.ts";
import { cutText } from "../../util/cut-text.ts";
import { messageOf } from "../../util/error.ts";
import type { ServerContext } from "../request/context.ts";
import type { Messages } from "../request/exchange.ts";
import type { HttpResponse } from "../request/response.ts";
import type { OngoingResponse } from "../shared/ongoing.ts";

const V5 = "v5.channel.k8s.io";
/** The sub-protocols of sessions. */
export const SESSION_PROTOCOLS: readonly string[] = [V5, "v4.channel.k8s.io"];

const CHANNEL = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 };
/** Bytes of stdin that may wait for the program; above this the server stops reading from the client. */
const STDIN_BYTES = 64 * 1024;
/** The memory of a message besides its bytes: 64 KiB may contain many messages of one byte. */
const MESSAGE_BYTES = 256;
/** Bytes of a message to the client. */
const PIECE_BYTES = 32 * 1024;
/** A session without a byte in either direction ends, as that of a kubelet does. */
const IDLE_MILLIS = 4 * 3_600_000;
/** A client that reads nothing for this long is disconnected. */
const STALLED_MILLIS = 60_000;
const MAX_MESSAGE_BYTES = 4096;
const UPKEEP = { owner: "idle sessions", upkeep: true };

/** The streams that the client requests. */
export interface SessionWishes {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  /** Whether the program has a terminal: what it writes is one stream. */
  readonly tty: boolean;
}

/** Connects the client of an upgraded request to the program, until the program has ended or the client has left; never rejects. */
export async function respondWithSession(
  { clock, ongoing }: Pick<ServerContext, "clock" | "ongoing">,
  response: HttpResponse,
  owner: OngoingResponse["owner"],
  messages: Messages,
  session: Session,
  wishes: SessionWishes,
): Promise<void> {
  response.longRunning = true;
  const channels = new Channels(messages, wishes, clock, response);
  const one = { owner, connection: response.incoming.sent.connection, revoke: () => messages.destroy() };
  ongoing.add(one);
  try {
    // The client waits for the first message, which says that the streams are there.
    await channels.open();
    const code = await channels.untilOver(session.run(channels.streams));
    await channels.end(typeof code === "number" ? statusOf(code) : failureOf(code));
  } finally {
    ongoing.delete(one);
    channels.close();
  }
}

/** The Status of a program that has ended. */
const statusOf = (code: number): object =>
  code === 0
    ? { metadata: {}, status: "Success" }
    : {
        metadata: {},
        status: "Failure",
        message: `command terminated with non-zero exit code: exit status ${code}`,
        reason: "NonZeroExitCode",
        details: { causes: [{ reason: "ExitCode", message: String(code) }] },
      };

/** The Status of a program that could not be run. */
const failureOf = (error: unknown): object => ({
  metadata: {},
  status: "Failure",
  message: cutText(`error executing command in container: ${messageOf(error)}`, MAX_MESSAGE_BYTES),
  reason: "InternalError",
  code: 500,
});

/** The channels of one session. */
class Channels {
  readonly streams: SessionStreams;
  readonly #messages: Messages;
  readonly #wishes: SessionWishes;
  readonly #clock: Clock;
  readonly #response: HttpResponse;
  readonly #over = new AbortController();
  readonly #idle: { cancel(): void };
  readonly #stdin: Uint8Array[] = [];
  #stdinBytes = 0;
  #isStdinClosed = false;
  #size: SessionStreams["size"];
  #moved: number;
  #wake: (() => void) | undefined;

  constructor(messages: Messages, wishes: SessionWishes, clock: Clock, response: HttpResponse) {
    this.#messages = messages;
    this.#wishes = wishes;
    this.#clock = clock;
    this.#response = response;
    this.#moved = clock.steady();
    messages.onMessage = (message) => this.#take(message);
    messages.onClose = () => this.close();
    const idle = { timer: clock.after(IDLE_MILLIS, () => check(), UPKEEP) };
    const check = (): void => {
      const left = this.#moved + IDLE_MILLIS - clock.steady();
      if (left <= 0) messages.destroy();
      else idle.timer = clock.after(left, check, UPKEEP);
    };
    this.#idle = { cancel: () => idle.timer.cancel() };
    const size = (): SessionStreams["size"] => this.#size;
    this.streams = {
      stdin: wishes.stdin ? this.#read() : undefined,
      get size() {
        return size();
      },
      signal: this.#over.signal,
      write: (stream, bytes) => this.#write(stream, bytes),
    };
  }

  async open(): Promise<void> {
    const { stdout, stderr } = this.#wishes;
    await this.#send(stdout ? CHANNEL.stdout : stderr ? CHANNEL.stderr : CHANNEL.error, new Uint8Array(0));
  }

  /** The result of a program, its exit code or its error; the server does not wait for it when the client has left. */
  untilOver(running: Promise<number>): Promise<unknown> {
    const { signal } = this.#over;
    return new Promise((resolve) => {
      if (signal.aborted) resolve(signal.reason);
      signal.addEventListener("abort", () => resolve(signal.reason), { once: true });
      running.then(resolve, resolve);
    });
  }

  async end(status: object): Promise<void> {
    await this.#send(CHANNEL.error, Buffer.from(JSON.stringify(status)));
    this.#messages.end();
  }

  /** Stops reading and writing; may be called twice. */
  close(): void {
    this.#idle.cancel();
    this.#stdin.length = 0;
    this.#isStdinClosed = true;
    this.#over.abort();
    this.#wake?.();
  }

  #take(message: Uint8Array): void {
    this.#moved = this.#clock.steady();
    const [channel] = message;
    const data = message.subarray(1);
    if (channel === CHANNEL.stdin && this.#wishes.stdin && !this.#isStdinClosed) this.#takeInput(data);
    else if (channel === CHANNEL.resize) this.#size = sizeIn(data) ?? this.#size;
    else if (channel === CHANNEL.close && this.#messages.protocol === V5 && data[0] === CHANNEL.stdin) {
      this.#isStdinClosed = true;
      this.#wake?.();
    }
  }

  #takeInput(data: Uint8Array): void {
    if (data.length === 0) return;
    // A copy: the message is a part of up to 64 KiB that were read at once.
    this.#stdin.push(new Uint8Array(data));
    this.#stdinBytes += data.length + MESSAGE_BYTES;
    if (this.#stdinBytes >= STDIN_BYTES) this.#messages.pause();
    this.#wake?.();
  }

  async *#read(): AsyncGenerator<Uint8Array, void, undefined> {
    while (true) {
      const piece = this.#stdin.shift();
      if (piece) {
        this.#stdinBytes -= piece.length + MESSAGE_BYTES;
        if (this.#stdinBytes < STDIN_BYTES) this.#messages.resume();
        yield piece;
      } else if (this.#isStdinClosed) return;
      else await this.#arrival();
    }
  }

  #arrival(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = () => {
        this.#wake = undefined;
        resolve();
      };
    });
  }

  async #write(stream: "stdout" | "stderr", bytes: Uint8Array): Promise<void> {
    const to = stream === "stderr" && this.#wishes.tty ? "stdout" : stream;
    if (!this.#wishes[to]) return;
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      await this.#send(CHANNEL[to], bytes.subarray(at, at + PIECE_BYTES));
      if (this.#messages.closed) return;
    }
  }

  async #send(channel: number, data: Uint8Array): Promise<void> {
    this.#moved = this.#clock.steady();
    const message = new Uint8Array(data.length + 1);
    message[0] = channel;
    message.set(data, 1);
    this.#response.bytesOut += data.length;
    const stalled = this.#clock.after(STALLED_MILLIS, () => this.#messages.destroy(), UPKEEP);
    await this.#messages.send(message);
    stalled.cancel();
  }
}

/** The size of a terminal in a message; undefined for anything else. */
function sizeIn(data: Uint8Array): SessionStreams["size"] {
  try {
    const value = decodePlainJson(data);
    if (!isObject(value)) return undefined;
    const [width, height] = [Number(value["Width"]), Number(value["Height"])];
    return Number.isInteger(width) && Number.isInteger(height) ? { width, height } : undefined;
  } catch {
    return undefined;
  }
}
