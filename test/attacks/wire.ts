/**
 * Bare connections to a server: bytes out, bytes in.
 *
 * @module
 */
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import tls from "node:tls";
import { FLAG, PREFACE, TYPE, frame, requestBlock, settings } from "../../src/http2/testing/frames.ts";
import { becomes } from "./rows.ts";
import type { Target } from "./target.ts";

/** A connection of which every byte is ours. */
export class Wire {
  closed = false;
  /** What has come, unless nothing is read. */
  got = "";
  readonly #socket: tls.TLSSocket;

  private constructor(socket: tls.TLSSocket) {
    this.#socket = socket;
    socket.on("error", () => {});
    socket.on("close", () => (this.closed = true));
    socket.on("data", (piece: Buffer) => (this.got += piece.toString("latin1")));
  }

  static async open({ port, ca }: Target, protocol: "h2" | "http/1.1"): Promise<Wire> {
    const socket = tls.connect({ host: "127.0.0.1", port, ca, ALPNProtocols: [protocol] });
    const wire = new Wire(socket);
    await once(socket, "secureConnect");
    return wire;
  }

  /** A connection of HTTP/2 that has begun. */
  static async begin(target: Target, values: Parameters<typeof settings>[0] = []): Promise<Wire> {
    const wire = await Wire.open(target, "h2");
    wire.send(PREFACE, settings(values));
    return wire;
  }

  /** Reads nothing from now on. */
  deaf(): void {
    this.#socket.pause();
  }

  send(...pieces: readonly (string | Uint8Array)[]): void {
    for (const piece of pieces) if (!this.#socket.destroyed) this.#socket.write(piece);
  }

  /** Sends the same again and again, until the server ends the connection or takes no more of it for a second. */
  async flood(piece: Uint8Array, times: number): Promise<void> {
    for (let i = 0; i < times && !this.closed; i++) {
      if (this.#socket.write(piece)) continue;
      const full = this.#socket.writableLength;
      for (let wait = 0; wait < 100 && this.#socket.writableLength >= full && !this.closed; wait++) await sleep(10);
      if (this.#socket.writableLength >= full) return;
    }
  }

  /** Whether the server ends it within ten seconds. */
  async ends(): Promise<boolean> {
    return becomes(() => this.closed);
  }

  /** The codes of the answers of HTTP/1.1 so far. */
  get codes(): number[] {
    return [...this.got.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, code]) => Number(code));
  }

  destroy(): void {
    this.#socket.destroy();
  }
}

/** A whole request without a body. */
export const request = (stream: number, path: string, headers: readonly (readonly [string, string])[] = []): Buffer =>
  headersOf(stream, requestBlock("GET", path, headers));

/** Headers in as many frames as they need; `flags` of the first one say whether a body follows. */
export function headersOf(stream: number, block: Buffer, flags: number = FLAG.endStream): Buffer {
  const MOST = 16_384;
  const frames: Buffer[] = [];
  for (let at = 0; at === 0 || at < block.length; at += MOST) {
    const isLast = at + MOST >= block.length;
    const own = (at === 0 ? flags : 0) | (isLast ? FLAG.endHeaders : 0);
    frames.push(frame(at === 0 ? TYPE.headers : TYPE.continuation, own, stream, block.subarray(at, at + MOST)));
  }
  return Buffer.concat(frames);
}
