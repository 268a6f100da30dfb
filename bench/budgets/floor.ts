/**
 * The floor: a program that does what no server can leave out. It takes an object over TLS and HTTP/2, reads its JSON, writes
 * it anew and sends it back. What one such request costs in CPU is the unit of the budgets: it is dearer where TLS, the kernel,
 * V8 or the processor is slower, as the verbs are.
 *
 * bench/budgets.ts starts it, with the folder of a certificate, and reads where it listens as it does for the executable.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import { createSecureServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

const [folder] = process.argv.slice(2);
const part = (name: string): Buffer => readFileSync(join(folder!, name));
const server = createSecureServer({ cert: part("server.crt"), key: part("server.key") });
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
  console.log(`listening on https://127.0.0.1:${port}\nready in ${Math.round(performance.now())} ms`);
});
