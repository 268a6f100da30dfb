/**
 * The messages of OTLP for traces, as protobuf (opentelemetry/proto/trace/v1/trace.proto, collector/trace/v1/trace_service.proto).
 *
 * The writer writes the last field first.
 *
 * @module
 */
import { cutText } from "../util/cut-text.ts";
import type { SpanAttributes, SpanValue } from "../util/span.ts";
import { FIXED32, FIXED64, WireReader } from "../wire/encoding/wire-reader.ts";
import { WireWriter } from "../wire/encoding/wire-writer.ts";
import type { FinishedSpan, SpanEvent } from "./tracer.ts";

/** Texts of attributes are cut. */
const MAX_TEXT_BYTES = 1024;
const MAX_NAME_BYTES = 256;
const SAMPLED = 1;
/** The flags of a link say that the other span is of another program. */
const HAS_IS_REMOTE = 0x100;
const IS_REMOTE = 0x200;
const STATUS_ERROR = 2;

/** Encodes a span with its tag in the list of spans. */
export function spanBytes(span: FinishedSpan): Buffer {
  const writer = new WireWriter(512);
  fixed32(writer, 16, SAMPLED);
  if (span.failure !== undefined) {
    message(writer, 15, () => {
      writer.integerField(3, STATUS_ERROR);
      if (span.failure) writer.textField(2, cutText(span.failure, MAX_TEXT_BYTES));
    });
  }
  const { link } = span;
  if (link) {
    message(writer, 13, () => {
      fixed32(writer, 6, (link.isSampled ? SAMPLED : 0) | HAS_IS_REMOTE | IS_REMOTE);
      if (link.state !== "") writer.textField(3, link.state);
      writer.bytesField(2, Buffer.from(link.spanId, "hex"));
      writer.bytesField(1, Buffer.from(link.traceId, "hex"));
    });
  }
  if (span.droppedEvents > 0) writer.integerField(12, span.droppedEvents);
  for (const event of span.events.toReversed()) writeEvent(writer, event);
  writeAttributes(writer, 9, span.attributes);
  time(writer, 8, span.end);
  time(writer, 7, span.start);
  writer.integerField(6, span.kind);
  writer.textField(5, cutText(span.name, MAX_NAME_BYTES));
  if (span.parentId !== "") writer.bytesField(4, Buffer.from(span.parentId, "hex"));
  if (span.state !== "") writer.textField(3, span.state);
  writer.bytesField(2, Buffer.from(span.spanId, "hex"));
  writer.bytesField(1, Buffer.from(span.traceId, "hex"));
  writer.endMessage(2, 0);
  return Buffer.from(writer.finish());
}

function writeEvent(writer: WireWriter, { name, at, attributes }: SpanEvent): void {
  message(writer, 11, () => {
    writeAttributes(writer, 3, attributes);
    writer.textField(2, cutText(name, MAX_NAME_BYTES));
    time(writer, 1, at);
  });
}

/** The scope of all spans, and the resource that they come from. */
export interface SpanOrigin {
  readonly scope: { readonly name: string; readonly version: string };
  readonly resource: SpanAttributes;
}

/** Writes a request of the method `Export` with spans of {@link spanBytes}. */
export function exportRequest({ scope, resource }: SpanOrigin, spans: readonly Buffer[]): WireWriter {
  const writer = new WireWriter(spans.reduce((sum, { length }) => sum + length, 1024));
  message(writer, 1, () => {
    message(writer, 2, () => {
      for (const one of spans.toReversed()) writer.raw(one);
      message(writer, 1, () => {
        writer.textField(2, scope.version);
        writer.textField(1, scope.name);
      });
    });
    message(writer, 1, () => writeAttributes(writer, 1, resource));
  });
  return writer;
}

/** Reads the response of `Export`: how many spans the collector has refused, and why. */
export function readExportResponse(bytes: Uint8Array): { readonly rejected: number; readonly message: string } {
  const found = { rejected: 0, message: "" };
  const reader = new WireReader(bytes);
  while (reader.more) {
    if (reader.field() !== 1) reader.skip();
    else {
      reader.message((partial) => {
        while (partial.more) {
          const field = partial.field();
          if (field === 1) found.rejected = partial.int64();
          else if (field === 2) found.message = partial.text();
          else partial.skip();
        }
      });
    }
  }
  return found;
}

function writeAttributes(writer: WireWriter, number: number, attributes: SpanAttributes): void {
  for (const [key, value] of Object.entries(attributes).toReversed()) {
    message(writer, number, () => {
      message(writer, 2, () => writeValue(writer, value));
      writer.textField(1, key);
    });
  }
}

function writeValue(writer: WireWriter, value: SpanValue): void {
  if (typeof value === "string") writer.textField(1, cutText(value, MAX_TEXT_BYTES).toWellFormed());
  else if (typeof value === "boolean") writer.integerField(2, value ? 1 : 0);
  else if (Number.isSafeInteger(value)) writer.integerField(3, value);
  else {
    writer.double(value);
    writer.tag(4, FIXED64);
  }
}

/** A field with a message, whose fields `write` writes. */
function message(writer: WireWriter, number: number, write: () => void): void {
  const before = writer.length;
  write();
  writer.endMessage(number, before);
}

const NANOS_OF_MICRO = 1000n;

/** A field with ns since the epoch, to the microsecond. */
function time(writer: WireWriter, number: number, millis: number): void {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(Math.max(0, Math.round(millis * 1000))) * NANOS_OF_MICRO);
  writer.raw(bytes);
  writer.tag(number, FIXED64);
}

function fixed32(writer: WireWriter, number: number, value: number): void {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  writer.raw(bytes);
  writer.tag(number, FIXED32);
}
