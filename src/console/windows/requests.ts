/**
 * Messages of the client, decoded and checked.
 *
 * @module
 */
import {
  type ConsoleRequest,
  MAX_WINDOW_ROWS,
  type OpenWindow,
  type WindowList,
  type WindowSort,
} from "../../meta/console-protocol.ts";
import { ApiError, badRequest } from "../../meta/status.ts";
import { cutText } from "../../util/cut-text.ts";
import { type Value, isObject } from "../../value/value.ts";

/** A window that begins further behind is empty in any list. */
const MAX_OFFSET = 2 ** 40;
/** No namespace and no name of a resource is longer. */
const MAX_NAME_LENGTH = 253;

/** What is wrong with one window; the other windows of the stream go on. */
export interface RefusedWindow {
  readonly type: "refused";
  readonly id: number;
  readonly error: ApiError;
}

/** Decodes a message; throws 400 for one that is no request. What only its window cannot show refuses the window. */
export function readRequest(message: Uint8Array): ConsoleRequest | RefusedWindow {
  const value = parse(message);
  if (!isObject(value)) throw badRequest(`expected a message to be an object, got ${shown(value)}`);
  const { type } = value;
  const id = wholeNumber(value, "id", 1, Number.MAX_SAFE_INTEGER);
  if (type === "close") return { type, id };
  if (type !== "open") throw badRequest(`expected the type of a message to be open or close, got ${shown(type)}`);
  try {
    return readOpen(value, id);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { type: "refused", id, error };
  }
}

function readOpen(value: Members, id: number): OpenWindow {
  const list = memberOf(value, "list");
  if (!isObject(list)) throw badRequest(`expected list to be an object, got ${shown(list)}`);
  return {
    type: "open",
    id,
    list: readList(list),
    offset: wholeNumber(value, "offset", 0, MAX_OFFSET),
    size: wholeNumber(value, "size", 0, MAX_WINDOW_ROWS),
  };
}

/** Reads what a window shows. Throws 400 for names that are none, and for members of another type. */
export function readList(list: Members): WindowList {
  const namespace = optionalText(list, "namespace") ?? "";
  const group = text(list, "group");
  const version = text(list, "version");
  const resource = text(list, "resource");
  for (const part of [group, version, resource, namespace]) {
    if (part.length > MAX_NAME_LENGTH || part.includes("/") || version === "" || resource === "") {
      throw badRequest(`expected group, version, resource and namespace to be names, got ${shown(part)}`);
    }
  }
  const at = optionalText(list, "at");
  if (at !== undefined && !/^[1-9]\d{0,15}$/.test(at)) {
    throw badRequest(`expected at to be a resourceVersion, got ${shown(at)}`);
  }
  const sort = readSort(memberOf(list, "sort"));
  return {
    group,
    version,
    resource,
    ...(namespace === "" ? {} : { namespace }),
    ...nonEmpty(list, "labelSelector"),
    ...nonEmpty(list, "fieldSelector"),
    ...nonEmpty(list, "name"),
    ...nonEmpty(list, "text"),
    ...(sort && { sort }),
    ...(at === undefined ? {} : { at }),
  };
}

function readSort(sort: Value | undefined): WindowSort | undefined {
  if (sort === undefined || sort === null) return undefined;
  if (!isObject(sort)) throw badRequest(`expected sort to be an object, got ${shown(sort)}`);
  const { descending = false } = sort;
  if (typeof descending !== "boolean")
    throw badRequest(`expected descending to be true or false, got ${shown(descending)}`);
  return { column: text(sort, "column"), descending };
}

type Members = { readonly [member: string]: Value };

function parse(message: Uint8Array): Value {
  try {
    return JSON.parse(Buffer.from(message.buffer, message.byteOffset, message.byteLength).toString("utf8")) as Value;
  } catch {
    throw badRequest("expected a message of JSON, got another text");
  }
}

const memberOf = (value: Members, name: string): Value | undefined =>
  Object.hasOwn(value, name) ? value[name] : undefined;

function text(value: Members, name: string): string {
  const member = memberOf(value, name);
  if (typeof member !== "string") throw badRequest(`expected ${name} to be a text, got ${shown(member)}`);
  return member;
}

const optionalText = (value: Members, name: string): string | undefined =>
  (memberOf(value, name) ?? undefined) === undefined ? undefined : text(value, name);

/** A filter; one that is empty is none. */
function nonEmpty<N extends string>(value: Members, name: N): { readonly [member in N]?: string } {
  const found = optionalText(value, name);
  return (found === undefined || found === "" ? {} : { [name]: found }) as { readonly [member in N]?: string };
}

function wholeNumber(value: Members, name: string, least: number, most: number): number {
  const number = memberOf(value, name);
  if (typeof number === "number" && Number.isInteger(number) && number >= least && number <= most) return number;
  throw badRequest(`expected ${name} to be a whole number from ${least} to ${most}, got ${shown(number)}`);
}

/** Only texts and numbers are shown: a value that is nested as deeply as a message allows cannot be written again. */
function shown(value: Value | undefined): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return "an array";
  return isObject(value) ? "an object" : cutText(JSON.stringify(value), 100);
}
