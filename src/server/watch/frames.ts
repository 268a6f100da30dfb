/**
 * Events as bytes: one JSON text per line (DEC-28) or one message of protobuf behind its length, encoded once for all
 * watchers that get the same batch in the same form.
 *
 * @module
 */
import type { ApiObject } from "../../schema/definition.ts";
import { PROTOBUF, STATUS, encodeResponse, encodeEvent } from "../../wire/protobuf/index.ts";
import { apiVersionOf } from "../../meta/versions.ts";
import type { Status } from "../../meta/status.ts";
import type { Steps } from "../../util/steps.ts";
import type { Resource } from "../../registry/contract.ts";
import type { WatchBatch, WatchEvent } from "../../registry/index.ts";
import { decodeOwnJson } from "../../value/json.ts";
import { partialBytes } from "../response/metadata-bytes.ts";
import type { Format } from "../response/negotiate.ts";
import { writeParts } from "../response/pieces.ts";
import { type IncludeObject, type RowStyle, rowBytes, tableHeader, tableOfRow } from "../response/table.ts";
import type { OutStream } from "../request/exchange.ts";

/** The form of the events for a watcher. Watchers with the same form share one style object. */
export interface FrameStyle {
  readonly resource: Resource;
  readonly format: Format;
  readonly include: IncludeObject;
  /** The domain of the annotation that ends the initial events. */
  readonly domain: string;
}

const OPENINGS = {
  ADDED: Buffer.from('{"type":"ADDED","object":'),
  MODIFIED: Buffer.from('{"type":"MODIFIED","object":'),
  DELETED: Buffer.from('{"type":"DELETED","object":'),
  BOOKMARK: Buffer.from('{"type":"BOOKMARK","object":'),
} as const;
const CLOSING = Buffer.from("}\n");

const styles = new WeakMap<Resource, Map<string, FrameStyle>>();

/** The one style object for this form, so that it can be a key. */
export function frameStyle(resource: Resource, format: Format, include: IncludeObject, domain: string): FrameStyle {
  let known = styles.get(resource);
  if (!known) styles.set(resource, (known = new Map()));
  const id = `${format.media}/${format.shape}/${format.version}/${include}/${domain}`;
  let style = known.get(id);
  if (!style) known.set(id, (style = { resource, format, include, domain }));
  return style;
}

/**
 * Writes a batch. A batch for several watchers is encoded once; the encoding of a batch for one watcher is not kept.
 *
 * @param first whether these are the first events of the watcher: a table has its columns once
 */
export function writeBatch(out: OutStream, style: FrameStyle, batch: WatchBatch, first: boolean, around: Around): void {
  const withColumns = first && style.format.shape === "Table";
  const { memo } = batch;
  if (!memo || withColumns) {
    const parts = partsOf(style, batch.events, withColumns, around);
    if (parts.length <= FEW_PARTS) out.write(Buffer.concat(parts));
    else writeParts(out, parts);
    return;
  }
  let bytes = memo.get(style) as Uint8Array | undefined;
  if (!bytes) memo.set(style, (bytes = Buffer.concat(partsOf(style, batch.events, false, around))));
  out.write(bytes);
}

/** A batch with more is written in steps: bytes of objects, and the other costs of an event. */
const MOST_AT_ONCE = 131_072;
/** The cost of a row of a table besides its bytes: its cells are searched in the whole object. */
const ROW_COST = 16_384;

/** Whether a batch can be written in one slice. */
export function isShort({ resource, format }: FrameStyle, { events }: WatchBatch): boolean {
  let cost = 0;
  for (const { entry } of events) {
    cost += resource.view(entry).length + (format.shape === "Table" ? ROW_COST : 0);
    if (cost > MOST_AT_ONCE) return false;
  }
  return true;
}

/** Writes a batch as {@link writeBatch} does, in steps. */
export function* writeInSteps(
  out: OutStream,
  style: FrameStyle,
  batch: WatchBatch,
  first: boolean,
  around: Around,
): Steps<void> {
  const withColumns = first && style.format.shape === "Table";
  const shared = withColumns ? undefined : batch.memo;
  let frames = shared?.get(style) as Buffer[] | undefined;
  if (!frames) shared?.set(style, (frames = []));
  let waiting: Uint8Array[] = [];
  let bytes = 0;
  for (const [i, event] of batch.events.entries()) {
    const columns = withColumns && i === 0;
    const frame = frames?.[i] ?? Buffer.concat(partsOf(style, [event], columns, around));
    if (frames) frames[i] = frame;
    waiting.push(frame);
    bytes += frame.length;
    if (bytes > MOST_AT_ONCE) {
      writeParts(out, waiting);
      waiting = [];
      bytes = 0;
    }
    yield;
  }
  writeParts(out, waiting);
}

/** A shorter batch is not worth a buffer of its own. */
const FEW_PARTS = 30;

/** The cells of a row depend on the current time. */
type Around = Pick<RowStyle, "now" | "log">;

function partsOf(
  style: FrameStyle,
  events: readonly WatchEvent[],
  withColumns: boolean,
  around: Around,
): readonly Uint8Array[] {
  const parts: Uint8Array[] = [];
  let columns = withColumns;
  for (const { type, entry } of events) {
    const bytes = style.resource.view(entry);
    const object = (): ApiObject => style.resource.object(entry);
    pushFrame(parts, style, type, shaped(style, bytes, object, String(entry.revision), columns, around));
    columns = false;
  }
  return parts;
}

/** Adds one event; `object` is JSON, in the shape of the response. */
function pushFrame(parts: Uint8Array[], { format }: FrameStyle, type: keyof typeof OPENINGS, object: Uint8Array): void {
  if (format.media === "protobuf") parts.push(encodeEvent(type, protobufOf(object, format)));
  else parts.push(OPENINGS[type], object, CLOSING);
}

const protobufOf = (json: Uint8Array, format: Format): Buffer =>
  encodeResponse(decodeOwnJson(json) as object, format.kind ?? STATUS);

/** The Content-Type of a stream of events. */
export const streamType = ({ format }: FrameStyle): string =>
  format.media === "protobuf" ? `${PROTOBUF};stream=watch` : "application/json";

function shaped(
  style: FrameStyle,
  bytes: Uint8Array,
  object: () => ApiObject,
  revision: string,
  withColumns: boolean,
  around: Around,
): Uint8Array {
  const { resource, format, include } = style;
  if (format.shape === "") return bytes;
  if (format.shape !== "Table") return partialBytes(bytes, format.version);
  const header = tableHeader(
    resource.definition,
    format.version,
    JSON.stringify({ resourceVersion: revision }),
    withColumns,
  );
  return tableOfRow(
    header,
    rowBytes(resource.definition, object(), bytes, { include, version: format.version, ...around }),
  );
}

/** The annotation of the dialect, and that of every Go client, which knows no other. */
const endOfInitialEvents = (domain: string): Record<string, string> => ({
  [`${domain}/initial-events-end`]: "true",
  "k8s.io/initial-events-end": "true",
});

/**
 * A BOOKMARK: an object of the kind with only its version, and the members that the kind always has; `end` marks the
 * end of the initial events (DEC-28, KEP-3157).
 */
export function bookmarkFrame(style: FrameStyle, revision: number, end: boolean, first: boolean, now: number): Buffer {
  const { definition } = style.resource;
  const version = String(revision);
  const object: ApiObject = {
    kind: definition.kind,
    apiVersion: apiVersionOf(definition.group, definition.version),
    metadata: {
      resourceVersion: version,
      ...(end ? { annotations: endOfInitialEvents(style.domain) } : {}),
    },
    ...style.resource.bookmark,
  };
  const bytes = Buffer.from(JSON.stringify(object));
  const parts: Uint8Array[] = [];
  pushFrame(
    parts,
    style,
    "BOOKMARK",
    shaped(style, bytes, () => object, version, first, { now, log: undefined }),
  );
  return Buffer.concat(parts);
}

/** An ERROR: it is the last event of its stream. */
export function errorFrame({ format }: FrameStyle, status: Status): Buffer {
  if (format.media === "protobuf") return encodeEvent("ERROR", encodeResponse(status, STATUS));
  return Buffer.from(`{"type":"ERROR","object":${JSON.stringify(status)}}\n`);
}
