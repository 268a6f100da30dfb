/**
 * Plays scripts of TLS: who speaks it rightly is answered, whatever the pieces in which its bytes come; any other connection ends.
 *
 * @module
 */
import { once } from "node:events";
import net from "node:net";
import { Duplex } from "node:stream";
import tls from "node:tls";
import type { Place } from "./line.ts";
import type { TlsScript, TlsStep } from "./tls-script.ts";

const REQUEST = "GET /livez HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
const PLAIN_ANSWER = "Client sent an HTTP request to an HTTPS server.";
const PATIENCE_MS = 20_000;
const ALERT = 21;
/** A server answers what is no TLS with nothing, or an alert, or tells HTTP that it has the wrong port. */
const isRightAnswer = (bytes: Buffer, isHttp: boolean): boolean =>
  isHttp ? bytes.includes(PLAIN_ANSWER) : bytes.length === 0 || bytes[0] === ALERT;

/** Plays a script; what was wrong. */
export async function playTls({ steps }: TlsScript, place: Place): Promise<string | undefined> {
  const plain = steps.find((step) => step.do === "plain");
  const bare = net.connect({ host: "127.0.0.1", port: place.port, allowHalfOpen: true });
  bare.on("error", () => {});
  try {
    if (plain) return await playPlain(bare, Buffer.from(plain.base64, "base64"), place);
    return await new TlsPlayer(bare, steps, place).play();
  } finally {
    bare.destroy();
  }
}

/** Whether something happens within a while. */
async function happens(promise: Promise<unknown>, { patience = PATIENCE_MS }: Place): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => (timer = setTimeout(() => resolve(false), patience)));
  const inTime = promise.then(
    () => true as const,
    () => true as const,
  );
  const result = await Promise.race([inTime, late]);
  clearTimeout(timer);
  return result;
}

/** Resolves when a server has ended its side, or broken off. */
const ended = (socket: net.Socket): Promise<unknown> =>
  socket.readableEnded || socket.closed
    ? Promise.resolve()
    : Promise.race([once(socket, "end"), once(socket, "close")]);

async function playPlain(bare: net.Socket, bytes: Buffer, place: Place): Promise<string | undefined> {
  const got: Buffer[] = [];
  bare.on("data", (piece: Buffer) => got.push(piece));
  bare.end(bytes);
  if (!(await happens(ended(bare), place))) return "the server does not end what is no TLS";
  const answer = Buffer.concat(got);
  const isHttp = /^[A-Z]{3,7} /.test(bytes.toString("latin1", 0, 8));
  return isRightAnswer(answer, isHttp) ? undefined : `an answer to no TLS: ${answer.toString("latin1", 0, 100)}`;
}

class TlsPlayer {
  readonly #bare: net.Socket;
  readonly #steps: readonly TlsStep[];
  readonly #place: Place;
  #got = "";
  #isSecure = false;

  constructor(bare: net.Socket, steps: readonly TlsStep[], place: Place) {
    this.#bare = bare;
    this.#steps = steps;
    this.#place = place;
  }

  async play(): Promise<string | undefined> {
    const protocols = this.#steps.findLast((step) => step.do === "offer")?.protocols ?? [];
    const version = this.#steps.findLast((step) => step.do === "version")?.version;
    const socket = tls.connect({
      socket: new Wounded(this.#bare, this.#steps),
      servername: "localhost",
      ca: this.#place.ca,
      ...(protocols.length > 0 ? { ALPNProtocols: [...protocols] } : {}),
      ...(version ? { minVersion: version, maxVersion: version } : {}),
    });
    socket.on("error", () => {});
    socket.on("data", (piece: Buffer) => {
      // What HTTP/2 begins with is no answer.
      if (socket.alpnProtocol !== "h2") this.#got += piece.toString("latin1");
    });
    socket.on("secureConnect", () => {
      this.#isSecure = true;
      if (socket.alpnProtocol === "h2") this.#bare.end();
      else socket.write(REQUEST);
    });
    const isOver = await happens(Promise.race([once(socket, "close"), ended(this.#bare)]), this.#place);
    socket.destroy();
    const wrong = this.#judge(protocols, version, isOver);
    if (wrong !== undefined) return wrong;
    if (!this.#bare.destroyed) this.#bare.end();
    return (await happens(ended(this.#bare), this.#place)) ? undefined : "the server does not end";
  }

  #judge(protocols: readonly string[], version: string | undefined, isOver: boolean): string | undefined {
    const isHarmed = this.#steps.some(({ do: what }) => what === "flip" || what === "insert" || what === "stop");
    const isKnown = protocols.length === 0 || protocols.includes("h2") || protocols.includes("http/1.1");
    if (this.#got !== "" && !/^HTTP\/1\.1 (?:200|400) /.test(this.#got)) return `an answer: ${this.#got.slice(0, 100)}`;
    // Bytes may be missing for which the server waits.
    if (isHarmed) return undefined;
    if (!isOver) return "a connection of TLS that does not end";
    if (!isKnown || version === "TLSv1.1") return this.#isSecure ? "a handshake that should have failed" : undefined;
    if (!this.#isSecure) return "a handshake that has failed";
    return protocols.includes("h2") || /^HTTP\/1\.1 200 .*ok$/s.test(this.#got)
      ? undefined
      : `no answer: ${this.#got.slice(0, 100)}`;
  }
}

/** A socket on which bytes are changed on their way to the server. */
class Wounded extends Duplex {
  readonly #bare: net.Socket;
  readonly #steps: readonly TlsStep[];
  readonly #sizes: readonly number[];
  #sent = 0;
  #cuts = 0;
  #hasStopped = false;

  constructor(bare: net.Socket, steps: readonly TlsStep[]) {
    super({ allowHalfOpen: true });
    this.#bare = bare;
    this.#steps = steps;
    this.#sizes = steps.findLast((step) => step.do === "cut")?.sizes ?? [];
    bare.setNoDelay(true);
    bare.on("data", (piece: Buffer) => this.push(piece));
    bare.on("end", () => this.push(null));
    bare.on("close", () => this.destroy());
  }

  override _read(): void {}

  override _write(piece: Buffer, _encoding: string, done: () => void): void {
    void this.#send(this.#wounded(piece)).then(() => done());
  }

  override _final(done: () => void): void {
    this.#bare.end();
    done();
  }

  #wounded(piece: Buffer): Buffer {
    const from = this.#sent;
    const to = from + piece.length;
    this.#sent = to;
    let bytes: Buffer = Buffer.from(piece);
    for (const step of this.#steps) {
      if (!("at" in step) || step.at < from || step.at >= to) continue;
      const at = step.at - from;
      if (step.do === "flip" && at < bytes.length) bytes[at]! ^= step.bits;
      else if (step.do === "insert")
        bytes = Buffer.concat([bytes.subarray(0, at), Buffer.from(step.base64, "base64"), bytes.subarray(at)]);
    }
    return bytes;
  }

  async #send(bytes: Buffer): Promise<void> {
    const from = this.#sent - bytes.length;
    for (let at = 0; at < bytes.length;) {
      const size = this.#sizes.length === 0 ? bytes.length : this.#sizes[this.#cuts++ % this.#sizes.length]!;
      this.#leave(bytes.subarray(at, at + size), from + at);
      at += size;
      if (this.#sizes.length > 0) await new Promise((resolve) => void setImmediate(resolve));
    }
  }

  #leave(piece: Buffer, from: number): void {
    if (this.#hasStopped || this.#bare.destroyed || !this.#bare.writable) return;
    const stop = this.#steps.find((step) => step.do === "stop" && step.at < from + piece.length);
    if (stop?.do !== "stop") {
      this.#bare.write(piece);
      return;
    }
    this.#hasStopped = true;
    const rest = piece.subarray(0, Math.max(0, stop.at - from));
    if (stop.by === "fin") this.#bare.end(rest);
    else this.#bare.resetAndDestroy();
  }
}
