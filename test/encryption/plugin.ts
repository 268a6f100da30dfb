/**
 * A KMS plugin in a process of its own: `node plugin.ts SOCKET STATE`. STATE is a JSON file that says which key it uses and how it is, read
 * before each answer: `{"keyId": "one", "healthz": "ok"}`. A key is the SHA-256 of its id.
 *
 * @module
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { type ServerHttp2Stream, createServer } from "node:http2";
import { frameOf } from "../../src/grpc/messages.ts";
import { WireReader } from "../../src/wire/encoding/wire-reader.ts";
import { WireWriter } from "../../src/wire/encoding/wire-writer.ts";

interface State {
  readonly keyId: string;
  readonly healthz: string;
  readonly version?: string;
  /** Answers take so long, in ms. */
  readonly slow?: number;
}

const ANNOTATION = "made.by.test";
const [socket = "", file = ""] = process.argv.slice(2);
const state = (): State => JSON.parse(readFileSync(file, "utf8")) as State;
const keyOf = (id: string): Buffer => createHash("sha256").update(id).digest();

function seal(plain: Uint8Array, keyId: string): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", keyOf(keyId), nonce);
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

function open(sealed: Buffer, keyId: string): Buffer {
  const decipher = createDecipheriv("aes-256-gcm", keyOf(keyId), sealed.subarray(0, 12));
  decipher.setAuthTag(sealed.subarray(-16));
  return Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()]);
}

/** The fields of a request that are texts or bytes. */
function fieldsOf(message: Buffer): Map<number, Buffer> {
  const fields = new Map<number, Buffer>();
  const reader = new WireReader(message);
  while (reader.more) fields.set(reader.field(), reader.bytes());
  return fields;
}

function answer(method: string, request: Buffer): WireWriter {
  const { keyId, healthz, version = "v2" } = state();
  const writer = new WireWriter();
  if (method === "Status") {
    writer.textField(3, keyId);
    writer.textField(2, healthz);
    writer.textField(1, version);
    return writer;
  }
  const fields = fieldsOf(request);
  if (method === "Encrypt") {
    const before = writer.length;
    writer.bytesField(2, Buffer.from("yes"));
    writer.textField(1, ANNOTATION);
    writer.endMessage(3, before);
    writer.textField(2, keyId);
    writer.bytesField(1, seal(fields.get(1)!, keyId));
    return writer;
  }
  if (!fields.get(4)?.includes(ANNOTATION)) throw new Error("expected the annotation that was given");
  writer.bytesField(1, open(fields.get(1)!, String(fields.get(3))));
  return writer;
}

function serve(stream: ServerHttp2Stream, path: string): void {
  const chunks: Buffer[] = [];
  stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  stream.on("end", () => {
    setTimeout(() => {
      if (stream.destroyed) return;
      let frame: Buffer | undefined;
      let failure = "";
      try {
        frame = frameOf(answer(path.slice(path.lastIndexOf("/") + 1), Buffer.concat(chunks).subarray(5)));
      } catch (error) {
        failure = String(error);
      }
      stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
      stream.on("wantTrailers", () =>
        stream.sendTrailers({ "grpc-status": frame ? "0" : "2", "grpc-message": failure }),
      );
      stream.end(frame ?? Buffer.alloc(0));
    }, state().slow ?? 0);
  });
}

rmSync(socket, { force: true });
const server = createServer();
server.on("stream", (stream, headers) => {
  stream.on("error", () => {});
  serve(stream, String(headers[":path"]));
});
server.on("session", (session) => session.on("error", () => {}));
server.listen(socket, () => console.log("ready"));
