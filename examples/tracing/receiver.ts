/**
 * A receiver of traces in one file: it takes spans over OTLP/gRPC and prints each trace as a tree. It is for trying things out; a
 * collector of OpenTelemetry or Jaeger keeps them.
 *
 *     node examples/tracing/receiver.ts [PORT]
 *
 * @module
 */
import { once } from "node:events";
import { type Http2Server, type ServerHttp2Stream, createServer } from "node:http2";

/** The value of an attribute. */
type Attribute = string | number | boolean;

/** A span as it came. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the first one of a trace. */
  readonly parentId: string;
  readonly state: string;
  readonly name: string;
  readonly kind: number;
  /** Milliseconds since the epoch. */
  readonly start: number;
  readonly end: number;
  readonly attributes: Readonly<Record<string, Attribute>>;
  readonly events: readonly string[];
  /** The spans that it names beside its parent. */
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  /** 2 for an error. */
  readonly status: number;
  /** The attributes of the program that sent it. */
  readonly resource: Readonly<Record<string, Attribute>>;
}

type Field = readonly [number: number, value: Buffer | bigint];

/** The fields of a protobuf message. */
function* fieldsOf(bytes: Buffer): Generator<Field> {
  let at = 0;
  const varint = (): bigint => {
    for (let value = 0n, shift = 0n; ; shift += 7n) {
      const byte = bytes[at++]!;
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  const take = (length: number): Buffer => bytes.subarray(at, (at += length));
  while (at < bytes.length) {
    const tag = Number(varint());
    const wire = tag & 7;
    if (wire === 0) yield [tag >> 3, varint()];
    else if (wire === 1) yield [tag >> 3, take(8).readBigUInt64LE()];
    else if (wire === 2) yield [tag >> 3, take(Number(varint()))];
    else if (wire === 5) yield [tag >> 3, BigInt(take(4).readUInt32LE())];
    else throw new Error(`expected a field of protobuf, got the wire type ${wire}`);
  }
}

const all = (fields: readonly Field[], number: number): Buffer[] =>
  fields.flatMap(([one, value]) => (one === number && typeof value !== "bigint" ? value : []));
const text = (fields: readonly Field[], number: number): string => all(fields, number)[0]?.toString() ?? "";
const id = (fields: readonly Field[], number: number): string => all(fields, number)[0]?.toString("hex") ?? "";
const integer = (fields: readonly Field[], number: number): bigint => {
  const found = fields.find(([one]) => one === number)?.[1];
  return typeof found === "bigint" ? found : 0n;
};
const millis = (fields: readonly Field[], number: number): number => Number(integer(fields, number) / 1000n) / 1000;

function attributesOf(fields: readonly Field[], number: number): Record<string, Attribute> {
  const attributes: Record<string, Attribute> = {};
  for (const bytes of all(fields, number)) {
    const pair = [...fieldsOf(bytes)];
    const [[form, value] = [1, Buffer.alloc(0)]] = fieldsOf(all(pair, 2)[0] ?? Buffer.alloc(0));
    attributes[text(pair, 1)] =
      typeof value !== "bigint" ? value.toString() : form === 2 ? value !== 0n : Number(value);
  }
  return attributes;
}

/** Reads the spans of an ExportTraceServiceRequest. */
export function readSpans(request: Buffer): ReceivedSpan[] {
  const inside = (bytes: Buffer): Field[] => [...fieldsOf(bytes)];
  return all(inside(request), 1).flatMap((ofResource) => {
    const fields = inside(ofResource);
    const resource = attributesOf(inside(all(fields, 1)[0] ?? Buffer.alloc(0)), 1);
    const scopes = all(fields, 2).map(inside);
    return scopes.flatMap((scope) => all(scope, 2).map((bytes) => spanOf(inside(bytes), resource)));
  });
}

function spanOf(fields: readonly Field[], resource: ReceivedSpan["resource"]): ReceivedSpan {
  const inside = (number: number): Field[][] => all(fields, number).map((bytes) => [...fieldsOf(bytes)]);
  return {
    traceId: id(fields, 1),
    spanId: id(fields, 2),
    state: text(fields, 3),
    parentId: id(fields, 4),
    name: text(fields, 5),
    kind: Number(integer(fields, 6)),
    start: millis(fields, 7),
    end: millis(fields, 8),
    attributes: attributesOf(fields, 9),
    events: inside(11).map((event) => text(event, 2)),
    links: inside(13).map((link) => ({ traceId: id(link, 1), spanId: id(link, 2) })),
    status: inside(15).map((status) => Number(integer(status, 3)))[0] ?? 0,
    resource,
  };
}

/** Reads the body of a call: a message of gRPC, with five bytes in front. */
export async function readCall(stream: ServerHttp2Stream): Promise<ReceivedSpan[]> {
  const pieces: Buffer[] = [];
  for await (const piece of stream) pieces.push(piece as Buffer);
  return readSpans(Buffer.concat(pieces).subarray(5));
}

/** Ends a call of gRPC: with a message for the status 0. */
export function endCall(stream: ServerHttp2Stream, status = 0, message = Buffer.alloc(0)): void {
  stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
  stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": String(status) }));
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  stream.end(status === 0 ? Buffer.concat([head, message]) : undefined);
}

/** Listens on a port of this machine, and takes spans. */
export async function openReceiver(port: number, take: (spans: ReceivedSpan[]) => void): Promise<Http2Server> {
  const server = createServer();
  server.on("stream", (stream) => {
    void readCall(stream).then((spans) => {
      take(spans);
      endCall(stream);
    });
  });
  await once(server.listen(port, "127.0.0.1"), "listening");
  return server;
}

/** The spans of each trace as a tree: names and milliseconds. */
export function treesOf(spans: readonly ReceivedSpan[]): string[] {
  const known = new Set(spans.map(({ spanId }) => spanId));
  const below = (parent: string, depth: number): string[] =>
    spans
      .filter(({ parentId }) => parentId === parent)
      .toSorted((a, b) => a.start - b.start)
      .flatMap((span) => [lineOf(span, depth), ...below(span.spanId, depth + 1)]);
  const first = spans.filter(({ parentId }) => parentId === "" || !known.has(parentId));
  return first.flatMap((span) => [`trace ${span.traceId}`, lineOf(span, 1), ...below(span.spanId, 2)]);
}

const lineOf = ({ name, start, end }: ReceivedSpan, depth: number): string =>
  `${"  ".repeat(depth)}${name} (${(end - start).toFixed(1)} ms)`;

if (import.meta.main) {
  const port = Number(process.argv[2] ?? 4317);
  await openReceiver(port, (spans) => console.log(treesOf(spans).join("\n")));
  console.log(`waiting for spans on 127.0.0.1:${port}`);
}
