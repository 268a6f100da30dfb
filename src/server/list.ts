/**
 * GET of a collection: a head, the items as the cache has them, a tail (DEC-4, DEC-25).
 *
 * @module
 */
import type { ListResult, Resource } from "../registry/contract.ts";
import type { Entry } from "../registry/index.ts";
import type { ServerContext } from "./context.ts";
import { contentType } from "./encode.ts";
import { type ListForm, listForm } from "./list-form.ts";
import { partialBytes } from "./metadata-bytes.ts";
import { type Format, LIST } from "./negotiate.ts";
import { listOptions } from "./options.ts";
import type { ServerRequest } from "./request.ts";
import { StreamWriter } from "./stream-writer.ts";
import { includeObject, rowBytes, tableHeader } from "./table.ts";

/** Answers a list. */
export async function listObjects(server: ServerContext, request: ServerRequest, resource: Resource): Promise<void> {
  const format = request.format(LIST);
  const itemOf = itemMaker(server, request, resource, format);
  const result = await resource.list(request.namespace, listOptions(request.query));
  const form = formOf(resource, result, format);
  await writeList(server, request, result, form, itemOf, format);
}

/** The bytes of an item. */
type ItemOf = (entry: Entry) => Uint8Array;

function itemMaker(server: ServerContext, request: ServerRequest, resource: Resource, format: Format): ItemOf {
  if (format.shape === "Table") {
    const style = { include: includeObject(request.query), version: format.version, now: server.clock.now() };
    return (entry) => rowBytes(resource, resource.object(entry), resource.view(entry), style);
  }
  if (format.shape !== "") return (entry) => partialBytes(resource.view(entry), format.version);
  const offset = resource.itemOffset;
  // An item without kind and apiVersion is `{` and the rest: the byte before the rest is a comma of ours to overwrite.
  return offset === 0
    ? (entry) => resource.view(entry)
    : (entry) => {
        const view = resource.view(entry);
        const item = Buffer.allocUnsafe(view.length - offset + 1);
        item[0] = 0x7b;
        item.set(view.subarray(offset), 1);
        return item;
      };
}

/** The `metadata` of a list as JSON. */
function listMeta(result: ListResult): string {
  return JSON.stringify({
    resourceVersion: String(result.revision),
    ...(result.continue === "" ? {} : { continue: result.continue }),
    ...(result.remaining === undefined ? {} : { remainingItemCount: result.remaining }),
  });
}

function formOf(resource: Resource, result: ListResult, format: Format): ListForm {
  const { definition } = resource;
  const meta = listMeta(result);
  if (format.shape === "Table") {
    return listForm(tableHeader(definition, format.version, meta, true), "rows", format);
  }
  const kind = format.shape === "" ? (definition.listKind ?? `${definition.kind}List`) : format.shape;
  const own = definition.group ? `${definition.group}/${definition.version}` : definition.version;
  const apiVersion = format.shape === "" ? own : `meta.k8s.io/${format.version}`;
  return listForm(`{"kind":"${kind}","apiVersion":"${apiVersion}","metadata":${meta}}`, "items", format);
}

async function writeList(
  server: ServerContext,
  request: ServerRequest,
  result: ListResult,
  form: ListForm,
  itemOf: ItemOf,
  format: Format,
): Promise<void> {
  const writer = new StreamWriter(server, request, contentType(format));
  writer.add(form.head);
  let first = true;
  try {
    for (const entry of result.entries) {
      if (!first) writer.add(form.separator);
      const full = writer.add(form.item(itemOf(entry), first));
      first = false;
      if (full && !(await writer.flush())) return;
    }
    writer.add(form.tail(first));
    writer.end();
  } catch (error) {
    writer.abort();
    throw error;
  }
}
