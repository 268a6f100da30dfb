/**
 * A TCP proxy whose connections can be cut, silenced and refused: the network of a test.
 *
 * @module
 */
import { once } from "node:events";
import { type Server, type Socket, connect, createServer } from "node:net";
import { Transform } from "node:stream";

/** See the head of this file. */
export class Proxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #target: number;
  #refusing = false;
  /** How long a piece is held back. */
  #millisFor: (bytes: number) => number = () => 0;
  /** Connections so far. */
  connections = 0;

  private constructor(server: Server, target: number) {
    this.#server = server;
    this.#target = target;
  }

  /** Listens on a free port and hands everything on to the port of `url`. */
  static async to(url: string): Promise<Proxy> {
    const server = createServer();
    const proxy = new Proxy(server, Number(new URL(url).port));
    server.on("connection", (socket) => proxy.#connected(socket));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return proxy;
  }

  /** For a server with TLS, whose bytes it does not touch. */
  get secureUrl(): string {
    return this.url.replace("http:", "https:");
  }

  /** Holds everything back for a time, and lets so many bytes pass in a second; 0 for no limit. */
  slow({ latencyMillis = 0, bytesPerSecond = 0 }): void {
    this.#millisFor = (bytes) => latencyMillis + (bytesPerSecond > 0 ? (1000 * bytes) / bytesPerSecond : 0);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as { port: number }).port}`;
  }

  /** Ends every connection with a reset. */
  cut(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  /** Lets every connection that exists hang: nothing passes and nothing is closed. */
  silence(): void {
    for (const socket of this.#sockets) socket.unpipe().pause();
  }

  /** Whether new connections are turned away. */
  refuse(refusing: boolean): void {
    this.#refusing = refusing;
  }

  /** Hands new connections on to another server. */
  retarget(url: string): void {
    this.#target = Number(new URL(url).port);
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }

  #delay(): Transform {
    return new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        const millis = this.#millisFor(chunk.length);
        if (millis > 0) setTimeout(() => done(null, chunk), millis);
        else done(null, chunk);
      },
    });
  }

  #connected(outer: Socket): void {
    if (this.#refusing) {
      outer.resetAndDestroy();
      return;
    }
    this.connections++;
    const inner = connect(this.#target, "127.0.0.1");
    for (const [socket, other] of [
      [outer, inner],
      [inner, outer],
    ] as const) {
      this.#sockets.add(socket);
      socket.pipe(this.#delay()).pipe(other);
      socket.on("error", () => {});
      socket.on("close", () => {
        this.#sockets.delete(socket);
        // What is held back still passes after a regular end.
        if (!socket.readableEnded) other.destroy();
      });
    }
  }
}
