/**
 * GET of a collection: a head, the items as the cache has them, a tail (DEC-4, DEC-25).
 *
 * @module
 */
import { apiVersionOf } from "../../meta/versions.ts";
import type { ListHead } from "../../wire/protobuf/index.ts";
import type { ListResult, Resource } from "../../registry/contract.ts";
import type { Entry } from "../../registry/index.ts";
import type { ServerContext } from "../context.ts";
import { answerValue } from "../answer/encode.ts";
import { contentType } from "../answer/in-form.ts";
import { type ListForm, listForm } from "../answer/list-form.ts";
import { partialBytes } from "../answer/metadata-bytes.ts";
import { type Format, LIST } from "../answer/negotiate.ts";
import { listOptions } from "./options.ts";
import { perform } from "./perform.ts";
import { writeProtobufList } from "../answer/protobuf-list.ts";
import type { ServerRequest } from "../request.ts";
import { StreamWriter } from "../answer/stream-writer.ts";
import { includeObject, rowBytes, tableHeader } from "../answer/table.ts";

/** Answers a list. */
export async function listObjects(server: ServerContext, request: ServerRequest, resource: Resource): Promise<void> {
  const format = listFormat(request);
  const options = listOptions(request.query);
  const result = await perform(request, () => resource.list(request.namespace, options));
  return answerList(server, request, resource, result, format);
}

/** The form of an answer with a list; checked before anything is done for it. */
export function listFormat(request: ServerRequest): Format {
  const format = request.format(LIST);
  if (format.shape === "Table") includeObject(request.query);
  return format;
}

/** Answers with a page of a collection. */
export async function answerList(
  server: ServerContext,
  request: ServerRequest,
  resource: Resource,
  result: ListResult,
  format: Format,
): Promise<void> {
  if (isNullList(server, result, format)) {
    const value = { ...headOf(resource, result, format), items: null };
    return answerValue(server, request, 200, value, format);
  }
  const itemOf = itemMaker(server, request, resource, format);
  const asStored = format.shape === "" && format.media === "json" && !format.pretty;
  const expected = asStored ? sizeOf(resource, result.entries) : undefined;
  const writer = new StreamWriter(server, request, contentType(format), expected);
  if (format.media === "protobuf") {
    return writeProtobufList(writer, headOf(resource, result, format), result.entries, itemOf, format);
  }
  const form = formOf(resource, result, format);
  try {
    if (asStored) {
      await writeAsStored(writer, form, resource, result.entries);
    } else {
      await writeItems(writer, form, itemOf, result.entries);
    }
  } catch (error) {
    writer.abort();
    throw error;
  }
}

/** Head and tail of a list have at most this many bytes. */
const AROUND = 2048;

/** At most how many bytes a list of entries has as they are stored. */
function sizeOf(resource: Resource, entries: readonly Entry[]): number {
  let size = AROUND;
  for (const entry of entries) size += resource.view(entry).length + 2;
  return size;
}

/** The common case: bytes are copied from the cache into the answer, and nothing else is made of them. */
async function writeAsStored(
  writer: StreamWriter,
  form: ListForm,
  resource: Resource,
  entries: readonly Entry[],
): Promise<void> {
  const offset = resource.itemOffset;
  writer.add(form.head);
  for (let i = 0; i < entries.length; i++) {
    const view = resource.view(entries[i]!);
    if (i > 0) writer.addByte(COMMA);
    if (offset > 0) writer.addByte(OPEN);
    const full = writer.add(offset > 0 ? view.subarray(offset) : view);
    if (full && !(await writer.flush())) return;
  }
  writer.add(form.tail(entries.length === 0));
  writer.end();
}

const COMMA = 0x2c;
const OPEN = 0x7b;

/** The bytes of an item. */
type ItemOf = (entry: Entry) => Uint8Array;

function itemMaker(server: ServerContext, request: ServerRequest, resource: Resource, format: Format): ItemOf {
  if (format.shape === "Table") {
    const style = {
      include: includeObject(request.query),
      version: format.version,
      now: server.clock.now(),
      log: server.log,
    };
    return (entry) => rowBytes(resource, resource.object(entry), resource.view(entry), style);
  }
  if (format.shape !== "") return (entry) => partialBytes(resource.view(entry), format.version);
  const offset = resource.itemOffset;
  // An item without kind and apiVersion is a brace and the rest.
  return offset === 0
    ? (entry) => resource.view(entry)
    : (entry) => Buffer.concat([BRACE, resource.view(entry).subarray(offset)]);
}

const BRACE = Buffer.from("{");

/** The `metadata` of a list. */
const listMeta = (result: ListResult): object => ({
  resourceVersion: String(result.revision),
  ...(result.continue === "" ? {} : { continue: result.continue }),
  ...(result.remaining === undefined ? {} : { remainingItemCount: result.remaining }),
});

function formOf(resource: Resource, result: ListResult, format: Format): ListForm {
  const { definition } = resource;
  if (format.shape === "Table") {
    const meta = JSON.stringify(listMeta(result));
    return listForm(tableHeader(definition, format.version, meta, true), "rows", format);
  }
  return listForm(JSON.stringify(headOf(resource, result, format)), "items", format);
}

/** A list without its items. */
function headOf({ definition }: Resource, result: ListResult, format: Format): ListHead {
  const { group, version, kind, listKind = `${kind}List` } = definition;
  const metadata = listMeta(result);
  if (format.shape !== "") return { kind: format.shape, apiVersion: `meta.k8s.io/${format.version}`, metadata };
  return { kind: listKind, apiVersion: apiVersionOf(group, version), metadata };
}

/** An empty list of metadata has no list at all where items are as in Kubernetes; DEC-4 has every list otherwise. */
const isNullList = (server: ServerContext, result: ListResult, format: Format): boolean =>
  format.shape === "PartialObjectMetadataList" && result.entries.length === 0 && !server.dialect.rules.itemsCarryKind;

async function writeItems(
  writer: StreamWriter,
  form: ListForm,
  itemOf: ItemOf,
  entries: readonly Entry[],
): Promise<void> {
  writer.add(form.head);
  let first = true;
  for (const entry of entries) {
    if (!first) writer.add(form.separator);
    const full = writer.add(form.item(itemOf(entry), first));
    first = false;
    if (full && !(await writer.flush())) return;
  }
  writer.add(form.tail(first));
  writer.end();
}
