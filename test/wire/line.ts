/**
 * A connection of which every byte is the test's, and when it leaves.
 *
 * @module
 */
import { once } from "node:events";
import net from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import tls from "node:tls";

/** Where a server listens, and how. */
export interface Place {
  readonly port: number;
  /** The authority of its certificate; none for plain HTTP. */
  readonly ca?: string;
  /** How long something may take, in ms; that of a machine that has much else to do by default. */
  readonly patience?: number;
}

const PATIENCE_MS = 20_000;

/** What the socket of a client does. */
export type SocketStep =
  | { readonly do: "wait"; readonly millis: number }
  /** Reads nothing for so long. */
  | { readonly do: "deaf"; readonly millis: number }
  /** Ends its side, and reads on. */
  | { readonly do: "fin" }
  /** Breaks off. */
  | { readonly do: "rst" };

const STEPS: ReadonlySet<string> = new Set(["wait", "deaf", "fin", "rst"] satisfies SocketStep["do"][]);

/** Whether a step is one of the socket. */
export const isSocketStep = (step: { readonly do: string }): step is SocketStep => STEPS.has(step.do);

/** Who hears of a connection. */
export interface LineListener {
  data(bytes: Buffer): void;
  /** The server has ended its side in order. */
  end(): void;
}

/** See the head of this file. */
export class Line {
  readonly socket: net.Socket;
  /** Whether the server has ended, or the connection is gone. */
  hasEnded = false;
  isClosed = false;
  /** Whether the client has ended its side, or broken off. */
  hasLeft = false;

  /** Below the encryption. */
  readonly #bare: net.Socket;

  readonly #patience: number;

  private constructor(bare: net.Socket, socket: net.Socket, patience: number, listener: LineListener) {
    this.#bare = bare;
    this.#patience = patience;
    this.socket = socket;
    bare.on("error", () => {});
    socket.setNoDelay(true);
    socket.on("error", () => {});
    socket.on("data", (bytes: Buffer) => listener.data(bytes));
    socket.on("end", () => {
      this.hasEnded = true;
      listener.end();
    });
    socket.on("close", () => {
      this.hasEnded = true;
      this.isClosed = true;
    });
  }

  /** Connects; where there is a handshake it is done, or the connection is gone. */
  static async open(
    { port, ca, patience = PATIENCE_MS }: Place,
    protocols: readonly string[],
    listener: LineListener,
  ): Promise<Line> {
    const bare = net.connect({ host: "127.0.0.1", port, allowHalfOpen: true });
    const secured = { socket: bare, servername: "localhost", ca, ALPNProtocols: [...protocols], allowHalfOpen: true };
    const socket = ca === undefined ? bare : tls.connect(secured);
    const line = new Line(bare, socket, patience, listener);
    await Promise.race([once(socket, ca === undefined ? "connect" : "secureConnect"), once(socket, "close")]).catch(
      () => {},
    );
    return line;
  }

  write(bytes: Uint8Array): void {
    if (bytes.length > 0 && !this.socket.destroyed && this.socket.writable) this.socket.write(bytes);
  }

  async do(step: SocketStep): Promise<void> {
    switch (step.do) {
      case "wait":
        await sleep(step.millis);
        return;
      case "deaf":
        this.socket.pause();
        setTimeout(() => this.socket.resume(), step.millis);
        return;
      case "fin":
        this.hasLeft = true;
        this.socket.end();
        return;
      case "rst":
        this.hasLeft = true;
        this.#bare.resetAndDestroy();
    }
  }

  /** Waits until something is so, or the server has ended; whether it is so. */
  async until(holds: () => boolean, millis = this.#patience): Promise<boolean> {
    for (const end = performance.now() + millis; !holds() && !this.hasEnded && performance.now() < end;) await sleep(2);
    return holds();
  }

  /** Whether the server ends within a while. */
  async ends(): Promise<boolean> {
    for (const end = performance.now() + this.#patience; !this.hasEnded && performance.now() < end;) await sleep(5);
    return this.hasEnded;
  }

  destroy(): void {
    this.socket.destroy();
  }
}
