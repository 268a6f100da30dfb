/**
 * Bodies to values: the limit, the inflation, the media type and the decoder (DEC-17, DEC-18). Protobuf is taken for the
 * kinds that have it.
 *
 * @module
 */
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import {
  DELETE_OPTIONS,
  PROTOBUF,
  ProtobufError,
  type ProtobufKind,
  decodeProtobuf,
} from "../../wire/protobuf/index.ts";
import { ApiError, badRequest, unrecognised, tooLarge, unsupportedMediaType } from "../../meta/status.ts";
import type { Body } from "../../registry/contract.ts";
import { ALL_PATCHES, PATCH_MEDIA, type PatchType } from "../../schema/patch-types.ts";
import { DecodeError } from "../../value/decode-error.ts";
import { decodeJson, decodeJsonSteps, parseOwnJson } from "../../value/json.ts";
import type { Value } from "../../value/value.ts";
import { inSlices } from "../../util/steps.ts";
import { decodeYamlInline, type YamlOptions } from "../../value/yaml.ts";
import type { ServerContext } from "../request/context.ts";
import type { ResourceRequest } from "../request/request.ts";
import type { HttpResponse } from "../request/response.ts";
import { decodeLargeYaml } from "./large-yaml.ts";
import type { BodyReservation } from "../shared/body-memory.ts";
import { bodyTooLarge } from "./read-body.ts";
import { codeOf } from "../../util/error.ts";

const inflate = promisify(gunzip);

const JSON_TYPE = "application/json";
const YAML_TYPE = "application/yaml";
const BODY_TYPES = [JSON_TYPE, YAML_TYPE];

/**
 * The kind of a patch from its media type: case counts, a parameter after a semicolon does not (DEC-17). 415 for
 * one that the resource does not take.
 */
export function patchTypeOf({ incoming, resource }: ResourceRequest): PatchType {
  const { patches = ALL_PATCHES } = resource.definition;
  const sent = incoming.sent.header("content-type");
  const at = sent.indexOf(";");
  const media = at < 0 ? sent : sent.slice(0, at);
  const type = patches.find((one) => PATCH_MEDIA[one] === media);
  if (type) return type;
  throw unsupportedMediaType(
    sent,
    patches.map((one) => PATCH_MEDIA[one]),
  );
}

/** The body of a create or update, which is to be an object of the kind with this name. */
export async function objectBody(server: ServerContext, request: ResourceRequest, name: string): Promise<Body> {
  const { response } = request;
  const media = bodyMedia(response);
  const kind = media === "protobuf" ? request.protobufKind : undefined;
  if (media === "protobuf" && !kind) throw unsupportedMediaType(PROTOBUF, BODY_TYPES);
  const own = media === "json" ? ownBody(server, response) : undefined;
  if (own) return own;
  const bytes = await bodyBytes(server, response);
  try {
    if (media === "yaml") return await yamlBody(server, response, bytes);
    const read = kind ? decodeProtobufBody(server, bytes, kind) : decodeJsonBody(server, bytes);
    const body = read instanceof Promise ? await read : read;
    return bytes.length > LARGE ? await server.clock.loop.pass().then(() => body) : body;
  } catch (error) {
    throw bodyError(error, name);
  }
}

/** The body of a request to a route, as JSON or YAML; a field may be there once only. */
export async function valueBody(server: ServerContext, response: HttpResponse): Promise<Value> {
  const media = bodyMedia(response);
  if (media === "protobuf") throw unsupportedMediaType(PROTOBUF, BODY_TYPES);
  const bytes = await bodyBytes(server, response);
  try {
    const { value, duplicates } = await (media === "yaml"
      ? yamlBody(server, response, bytes)
      : decodeJsonBody(server, bytes));
    if (duplicates.length === 0) return value;
  } catch (error) {
    throw bodyError(error, undefined);
  }
  throw badRequest("expected each field of the body once");
}

/** The body of a patch; only an apply patch is YAML. */
export async function patchBody(server: ServerContext, response: HttpResponse, type: PatchType): Promise<Body> {
  const own = type === "apply" ? undefined : ownBody(server, response);
  if (own) return own;
  const bytes = await bodyBytes(server, response);
  try {
    if (type === "apply") return await yamlBody(server, response, bytes);
    const read = decodeJsonBody(server, bytes);
    const body = read instanceof Promise ? await read : read;
    return bytes.length > LARGE ? await server.clock.loop.pass().then(() => body) : body;
  } catch (error) {
    const failure = bodyError(error, undefined);
    if (type === "apply" || !(failure instanceof ApiError)) throw failure;
    return { value: null, duplicates: [], failure };
  }
}

/** Bytes that take some milliseconds to decode: their decoding continues in another slice of the event loop. */
const LARGE = 131_072;

/** The body of a deletion; undefined without one, which differs from an empty object (DEC-26). */
export async function deleteBody(server: ServerContext, response: HttpResponse): Promise<Body | undefined> {
  if (!response.incoming.sent.hasBody) return undefined;
  const own = response.incoming.sent.ownJson !== undefined && bodyMedia(response) === "json";
  const body = own ? ownBody(server, response) : undefined;
  if (body) return body;
  const bytes = await bodyBytes(server, response);
  if (bytes.length === 0) return undefined;
  const media = bodyMedia(response);
  try {
    if (media === "protobuf") return decodeProtobufBody(server, bytes, DELETE_OPTIONS);
    return await (media === "json" ? decodeJsonBody(server, bytes) : yamlBody(server, response, bytes));
  } catch (error) {
    throw bodyError(error, undefined);
  }
}

/** A JSON body made by this process whose bytes need no check; undefined for any other. */
function ownBody({ limits }: ServerContext, { incoming, seats }: HttpResponse): Body | Promise<Body> | undefined {
  const text = incoming.sent.ownJson;
  if (text === undefined || text.length * MOST_UTF8 > limits.bodyBytes) return undefined;
  if (incoming.sent.header("content-encoding") !== "") return undefined;
  const value = parseOwnJson(text, limits.bodyDepth);
  if (value === undefined) return undefined;
  const body = { value, duplicates: [] };
  const wait = seats.afterBody();
  return wait ? wait.then(() => body) : body;
}

/** The most bytes that a code unit of a text has. */
const MOST_UTF8 = 3;

function bodyMedia({ incoming }: HttpResponse): "json" | "yaml" | "protobuf" {
  const sent = incoming.sent.header("content-type");
  if (sent === "" || sent === JSON_TYPE) return "json";
  const [type = "", ...parameters] = sent.split(";");
  if (
    !parameters.every((text, i) => /^\s*[^\s=]+=/.test(text) || (text.trim() === "" && i === parameters.length - 1))
  ) {
    throw unsupportedMediaType(sent, BODY_TYPES);
  }
  const name = type.trim().toLowerCase();
  if (name === JSON_TYPE) return "json";
  if (name === YAML_TYPE) return "yaml";
  if (name === PROTOBUF) return "protobuf";
  throw unsupportedMediaType(sent, BODY_TYPES);
}

/** The bytes of the body, inflated; neither form is ever over the limit, and both have memory. */
async function bodyBytes(server: ServerContext, response: HttpResponse): Promise<Uint8Array> {
  const { seats, incoming } = response;
  const limit = server.limits.bodyBytes;
  const memory = (response.bodyMemory = server.bodies.open(incoming.sent.connection));
  const encoding = incoming.sent.header("content-encoding").toLowerCase();
  const isPacked = encoding !== "" && encoding !== "identity";
  if (isPacked && encoding !== "gzip") throw unsupportedMediaType(`Content-Encoding ${encoding}`, ["gzip"]);
  const sent = await server.slowClients.waitFor(seats, incoming.sent.readBody(limit, memory));
  memory.whole(sent.length);
  const bytes = isPacked ? await inflated(sent, limit, memory) : sent;
  const wait = seats.afterBody();
  if (wait) await wait;
  return bytes;
}

async function inflated(packed: Uint8Array, limit: number, memory: BodyReservation): Promise<Uint8Array> {
  // The inflated size is known only at the end.
  await memory.take("inflated", limit);
  try {
    const bytes = await inflate(packed, { maxOutputLength: limit });
    memory.keep("inflated", bytes.length);
    return bytes;
  } catch (error) {
    if (codeOf(error) === "ERR_BUFFER_TOO_LARGE") throw bodyTooLarge(limit);
    throw badRequest("expected the body to be gzip, as its Content-Encoding says", error);
  }
}

function decodeJsonBody(server: ServerContext, bytes: Uint8Array): Body | Promise<Body> {
  const options = { depth: server.limits.bodyDepth, replaceInvalidUtf8: !server.dialect.rules.refuseInvalidUtf8 };
  return bytes.length > LARGE
    ? inSlices(decodeJsonSteps(bytes, options), server.clock.loop.slice())
    : decodeJson(bytes, options);
}

const decodeProtobufBody = (server: ServerContext, bytes: Uint8Array, kind: ProtobufKind): Body => ({
  value: decodeProtobuf(bytes, kind, { replaceInvalidUtf8: !server.dialect.rules.refuseInvalidUtf8 }),
  duplicates: [],
});

async function yamlBody(server: ServerContext, { incoming }: HttpResponse, bytes: Uint8Array): Promise<Body> {
  const options: YamlOptions = {
    depth: server.limits.bodyDepth,
    jsonEscapes: !server.dialect.rules.enforceUndocumented,
  };
  const inline = inSlices(decodeYamlInline(bytes, options), server.clock.loop.slice());
  const read =
    (inline instanceof Promise ? await inline : inline) ??
    (await decodeLargeYaml(server, bytes, options, incoming.sent.connection));
  const body = { ...read, isYaml: true };
  return bytes.length > LARGE ? await server.clock.loop.pass().then(() => body) : body;
}

/** The response to a body that cannot be decoded, where an object of a kind was expected. */
const bodyError = (error: unknown, kind: string | undefined): unknown => {
  if (!(error instanceof DecodeError || error instanceof ProtobufError)) return error;
  if (error.code === "tooLarge") return tooLarge(error.message);
  return kind === undefined ? badRequest(error.message, error) : unrecognised(kind, error.message, error);
};
