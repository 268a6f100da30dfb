/**
 * The floor: a program that does what no server can leave out. It takes an object over TLS and HTTP/2, reads its JSON, writes
 * it anew and sends it back. What one such request costs in CPU is the unit of the budgets: it is dearer where TLS, the kernel,
 * V8 or the processor is slower, as the verbs are.
 *
 * It runs as a child of bench/budgets.ts, and tells where it listens.
 *
 * @module
 */
import { createSecureServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { testAuthority } from "../../src/server/testing/certificates.ts";

/** What the floor says first. */
export interface FloorAddress {
  readonly url: string;
  /** The authority of its certificate. */
  readonly ca: string;
}

const authority = testAuthority();
const server = createSecureServer(authority.server());
server.on("stream", (stream) => {
  const pieces: Buffer[] = [];
  stream.on("data", (piece: Buffer) => pieces.push(piece));
  stream.on("end", () => {
    const object: unknown = JSON.parse(Buffer.concat(pieces).toString());
    const body = Buffer.from(JSON.stringify(object));
    stream.respond({ ":status": 200, "content-type": "application/json", "content-length": body.length });
    stream.end(body);
  });
});
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  const address: FloorAddress = { url: `https://127.0.0.1:${port}`, ca: authority.cert };
  process.send!(address);
});
process.on("disconnect", () => process.exit());
