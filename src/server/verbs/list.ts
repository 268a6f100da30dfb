/**
 * GET of a collection: a head, the items as the cache has them, a tail (DEC-4, DEC-25).
 *
 * @module
 */
import { apiVersionOf } from "../../meta/versions.ts";
import type { ListHead } from "../../wire/protobuf/index.ts";
import type { ListResult, Resource } from "../../registry/contract.ts";
import type { Entry, ListPart } from "../../registry/index.ts";
import type { ServerContext } from "../request/context.ts";
import { respondWithValue } from "../response/respond.ts";
import { contentType } from "../response/in-form.ts";
import { type ListForm, listForm } from "../response/list-form.ts";
import { partialBytes } from "../response/metadata-bytes.ts";
import { type Format, LIST, negotiate } from "../response/negotiate.ts";
import type { ResponseRecorder } from "../request/recorder.ts";
import { listOptions } from "./options.ts";
import { read } from "./perform.ts";
import { protobufForm } from "../response/protobuf-list.ts";
import type { ResourceRequest } from "../request/request.ts";
import { StreamWriter, WHOLE } from "../response/stream-writer.ts";
import { includeObject, rowBytes, tableHeader } from "../response/table.ts";
import type { Loop } from "../../util/loop.ts";

/** Responds to a list. */
export async function listObjects(server: ServerContext, request: ResourceRequest): Promise<void> {
  const { resource, namespace } = request;
  const format = listFormat(request);
  const options = listOptions(request.incoming.query);
  const result = await read(request, () => resource.list(namespace, options));
  return respondWithList(server, request, result, format);
}

/** The form of a response with a list; checked before any other work. */
export function listFormat(request: ResourceRequest): Format {
  const format = negotiate(request.incoming, LIST, request);
  if (format.shape === "Table") includeObject(request.incoming.query);
  return format;
}

/** Responds with a page of a collection. */
export async function respondWithList(
  server: ServerContext,
  request: ResourceRequest,
  result: ListResult,
  format: Format,
): Promise<void> {
  const { resource, response } = request;
  if (isNullList(server, result, format)) {
    const value = { ...headOf(resource, result, format), items: null };
    return respondWithValue(response, 200, value, format);
  }
  const { loop } = server.clock;
  const itemOf = itemMaker(server, request, format);
  const form = await formOf(loop, resource, result, itemOf, format);
  const kept = response.recorder?.response;
  const asJson = kept && itemMaker(server, request, { ...format, media: "json" });
  const keptItemOf = asJson ? keeping(kept, headerOf(resource, result, format), itemOf, asJson) : itemOf;
  const asStored = !kept && format.shape === "" && format.media === "json" && !format.pretty;
  const expected = asStored ? sizeOf(resource, result) : undefined;
  const writer = new StreamWriter(response, contentType(format), expected);
  try {
    if (asStored) {
      await writeAsStored(writer, form, resource, result);
    } else {
      await writeItems(loop, writer, form, keptItemOf, result);
    }
  } catch (error) {
    writer.abort();
    throw error;
  }
}

/** Converts items to the form of the response, and records them as JSON. */
function keeping(kept: ResponseRecorder, { text, member }: Header, itemOf: ItemOf, asJson: ItemOf): ItemOf {
  kept.list(text, member);
  return (entry) => {
    kept.item(asJson(entry));
    return itemOf(entry);
  };
}

/** Head and tail of a list have at most this many bytes. */
const AROUND = 2048;

/** The most bytes of a list with its entries as they are stored; Infinity for a large one. */
function sizeOf(resource: Resource, { entries, next }: ListPart): number {
  let size = next ? Infinity : AROUND;
  for (const entry of entries) {
    if (size > WHOLE) return Infinity;
    size += resource.view(entry).length + 2;
  }
  return size;
}

/** The common case: bytes are copied from the cache into the response, without further conversion. */
async function writeAsStored(writer: StreamWriter, form: ListForm, resource: Resource, list: ListPart): Promise<void> {
  const offset = resource.itemOffset;
  writer.add(form.head);
  let first = true;
  for (let part: ListPart | undefined = list; part; part = await part.next?.()) {
    for (const entry of part.entries) {
      const view = resource.view(entry);
      if (!first) writer.addByte(COMMA);
      first = false;
      if (offset > 0) writer.addByte(OPEN);
      const full = writer.add(view, true, offset);
      if (full && !(await writer.flush())) return;
    }
  }
  writer.add(form.tail(first));
  writer.end();
}

const COMMA = 0x2c;
const OPEN = 0x7b;

/** The bytes of an item. */
type ItemOf = (entry: Entry) => Uint8Array;

function itemMaker(server: ServerContext, { resource, incoming }: ResourceRequest, format: Format): ItemOf {
  if (format.shape === "Table") {
    const style = {
      include: includeObject(incoming.query),
      version: format.version,
      now: server.objectTime(),
      log: server.log,
    };
    return (entry) => rowBytes(resource.definition, resource.object(entry), resource.view(entry), style);
  }
  if (format.shape !== "") return (entry) => partialBytes(resource.view(entry), format.version);
  const offset = resource.itemOffset;
  // An item without kind and apiVersion is a brace and the rest; as protobuf it never has them.
  return offset === 0 || format.media === "protobuf"
    ? (entry) => resource.view(entry)
    : (entry) => Buffer.concat([BRACE, resource.view(entry).subarray(offset)]);
}

const BRACE = Buffer.from("{");

/** The `metadata` of a list; `continue` is `always` present where no type omits empty members. */
const listMeta = (result: ListResult, always: boolean): object => ({
  resourceVersion: String(result.revision),
  ...(result.continue === "" && !always ? {} : { continue: result.continue }),
  ...(result.remaining === undefined ? {} : { remainingItemCount: result.remaining }),
});

function formOf(
  loop: Loop,
  resource: Resource,
  result: ListResult,
  itemOf: ItemOf,
  format: Format,
): ListForm | Promise<ListForm> {
  if (format.media === "protobuf" && format.shape !== "Table") {
    return protobufForm(loop, headOf(resource, result, format), result, itemOf, format);
  }
  const { text, member } = headerOf(resource, result, format);
  return listForm(text, member, format);
}

/** A list or a table without its items, as JSON, and the name of the member that has them. */
interface Header {
  readonly text: string;
  readonly member: "items" | "rows";
}

function headerOf(resource: Resource, result: ListResult, format: Format): Header {
  if (format.shape !== "Table") return { text: JSON.stringify(headOf(resource, result, format)), member: "items" };
  const meta = JSON.stringify(listMeta(result, false));
  return { text: tableHeader(resource.definition, format.version, meta, true), member: "rows" };
}

/** A list without its items. */
function headOf({ definition }: Resource, result: ListResult, format: Format): ListHead {
  const { group, version, kind, listKind = `${kind}List`, untyped = false } = definition;
  const metadata = listMeta(result, untyped && format.shape === "");
  if (format.shape !== "") return { kind: format.shape, apiVersion: `meta.k8s.io/${format.version}`, metadata };
  return { kind: listKind, apiVersion: apiVersionOf(group, version), metadata };
}

/** An empty list of metadata has no list at all where items are as in Kubernetes; DEC-4 has every list otherwise. */
const isNullList = (server: ServerContext, result: ListResult, format: Format): boolean =>
  format.shape === "PartialObjectMetadataList" && result.entries.length === 0 && !server.dialect.rules.itemsCarryKind;

async function writeItems(
  loop: Loop,
  writer: StreamWriter,
  form: ListForm,
  itemOf: ItemOf,
  list: ListPart,
): Promise<void> {
  writer.add(form.head);
  let first = true;
  const limit = loop.slice();
  for (let part: ListPart | undefined = list; part; part = await part.next?.()) {
    for (const entry of part.entries) {
      if (!first) writer.add(form.separator);
      const item = form.item(itemOf(entry), first);
      for (const piece of item instanceof Uint8Array ? [item] : item) {
        const full = writer.add(piece);
        if (limit.isOver) await limit.pause();
        if (full && !(await writer.flush())) return;
      }
      first = false;
    }
  }
  writer.add(form.tail(first));
  writer.end();
}
