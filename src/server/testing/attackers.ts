/**
 * Clients that open a connection and hold it: each kind in its own way, none with a credential.
 *
 * @module
 */
import net from "node:net";
import tls from "node:tls";
import { FLAG, PREFACE, SETTING, TYPE, frame, requestBlock, settings } from "../../http2/testing/frames.ts";

/** A connection that an attacker holds. */
export interface Attacker {
  readonly closed: boolean;
  end(): void;
}

/** Where to attack. */
export interface Attacked {
  readonly port: number;
  readonly ca: string;
}

const get = (path: string): Buffer => requestBlock("GET", path);

/** A client that never opens its window: no response can be sent to it. */
const noWindow = (): Buffer => Buffer.concat([PREFACE, settings([[SETTING.initialWindowSize, 0]])]);

const requests = (path: string, count: number): Buffer =>
  Buffer.concat(
    Array.from({ length: count }, (_, i) =>
      frame(TYPE.headers, FLAG.endStream | FLAG.endHeaders, 2 * i + 1, get(path)),
    ),
  );

/** The first bytes of a record that announces 512 more. */
const HALF_HELLO = Buffer.from([22, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3]);

type Kind = { readonly protocols?: readonly string[]; readonly tls: boolean; readonly bytes?: () => Buffer };

/** Ways to hold a connection. */
export const KINDS = {
  silent: { tls: false },
  "half a handshake": { tls: false, bytes: () => HALF_HELLO },
  "TLS and no request": { tls: true, protocols: [] },
  "TLS for HTTP/1.1 and no request": { tls: true, protocols: ["http/1.1"] },
  "headers that never end": {
    tls: true,
    protocols: ["http/1.1"],
    bytes: () => Buffer.from("GET /version HTTP/1.1\r\nhost: x\r\nx-slow: "),
  },
  "HTTP/2 without a preface": { tls: true, protocols: ["h2"] },
  "HTTP/2 HEADERS that never end": {
    tls: true,
    protocols: ["h2"],
    bytes: () => Buffer.concat([PREFACE, settings([]), frame(TYPE.headers, FLAG.endStream, 1, get("/"))]),
  },
  "answers that are never read": {
    tls: true,
    protocols: ["h2"],
    bytes: () => Buffer.concat([noWindow(), requests("/version", 8)]),
  },
  "many answers that are never read": {
    tls: true,
    protocols: ["h2"],
    bytes: () => Buffer.concat([noWindow(), requests("/version", 90)]),
  },
  "a refusal that is never read": {
    tls: true,
    protocols: ["h2"],
    bytes: () => Buffer.concat([noWindow(), requests("/api/v1/nodes", 1)]),
  },
} as const satisfies Readonly<Record<string, Kind>>;

/** Opens a connection and holds it; resolves when all has been sent. */
export function attack(name: keyof typeof KINDS, { port, ca }: Attacked): Promise<Attacker> {
  const kind: Kind = KINDS[name];
  const where = { host: "127.0.0.1", port };
  const socket = kind.tls
    ? tls.connect({ ...where, ca, ALPNProtocols: [...(kind.protocols ?? [])] })
    : net.connect({ ...where, allowHalfOpen: true });
  let closed = false;
  socket.on("error", () => {});
  socket.on("end", () => (closed = true));
  socket.on("close", () => (closed = true));
  socket.on("data", () => {});
  const attacker: Attacker = {
    get closed() {
      return closed;
    },
    end: () => socket.destroy(),
  };
  return new Promise((resolve) => {
    socket.on("close", () => resolve(attacker));
    socket.once(kind.tls ? "secureConnect" : "connect", () => {
      if (kind.bytes) socket.write(kind.bytes(), () => resolve(attacker));
      else resolve(attacker);
    });
  });
}
