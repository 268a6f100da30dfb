/**
 * Which form of an answer a client wants (DEC-17): JSON or YAML, the object itself, a table of it or its metadata only.
 *
 * An Accept header is a list of clauses. They are tried in the order of their weights (`q`, as in the reference), then
 * in the order in which they were sent, and the first that can be given wins; protobuf is given only to clients that
 * take nothing else, because objects are kept as JSON. Headers repeat, so their parsed form is kept.
 *
 * @module
 */
import { PROTOBUF, type ProtobufKind } from "../../wire/protobuf/index.ts";
import { REPORT_GROUP, REPORT_VERSION } from "../../meta/ownership-reports.ts";
import { notAcceptable } from "../../meta/status.ts";
import type { Query } from "../query.ts";

/** What an answer is turned into on the way out. */
export type Shape = "" | "Table" | "PartialObjectMetadata" | "PartialObjectMetadataList" | "Blame" | "ApplyConflict";

/** The form of an answer. */
export interface Format {
  readonly media: "json" | "yaml" | "protobuf";
  readonly shape: Shape;
  /** Version of the group of the shape that it is written in; empty without a shape. */
  readonly version: "" | "v1" | "v1beta1";
  readonly pretty: boolean;
  /** What is written as protobuf; absent for other media, and for a failure. */
  readonly kind?: ProtobufKind;
}

/** What an endpoint can give. */
export interface Offer {
  readonly shapes: readonly Shape[];
  readonly media: readonly Format["media"][];
}

const BOTH = ["json", "yaml"] as const;
const ALL = ["json", "yaml", "protobuf"] as const;

/** One object: itself, as a table of one row, or its metadata. */
export const OBJECT: Offer = { shapes: ["Table", "PartialObjectMetadata"], media: ALL };
/** One object that is read: also who owns it. */
export const READ_OBJECT: Offer = { shapes: [...OBJECT.shapes, "Blame"], media: ALL };
/** A list: itself, as a table, or metadata only. */
export const LIST: Offer = { shapes: ["Table", "PartialObjectMetadataList"], media: ALL };
/** A stream of events; there is no YAML stream. */
export const WATCH: Offer = { shapes: ["Table", "PartialObjectMetadata"], media: ["json", "protobuf"] };
/** What was deleted: a list or a Status, without other shapes. */
export const DELETED: Offer = { shapes: [], media: ALL };
/** A document without other shapes. */
export const DOCUMENT: Offer = { shapes: [], media: BOTH };
/** A document that is there as JSON only. */
export const JSON_ONLY: Offer = { shapes: [], media: ["json"] };

/** The media types that are served. */
export const SERVED: readonly string[] = ["application/json", "application/yaml"];

/** One clause of an Accept header. */
export interface Clause {
  readonly media: "json" | "yaml" | "protobuf" | "any" | "other";
  /** The media type as it was sent, in lower case. */
  readonly type: string;
  readonly as: string;
  readonly group: string;
  readonly version: string;
  readonly pretty: boolean;
  /** Whether the clause asks to turn the answer into something. */
  readonly converts: boolean;
}

const KEPT = 500;
const parsed = new Map<string, readonly Clause[]>();

/** The clauses of an Accept header in the order in which they are tried. An empty header takes anything. */
export function clausesOf(accept: string): readonly Clause[] {
  let clauses = parsed.get(accept);
  if (!clauses) {
    clauses = parseAccept(accept);
    // Clients send a handful of headers; somebody who sends many different ones only empties the table.
    if (parsed.size >= KEPT) parsed.clear();
    if (accept.length < 1000) parsed.set(accept, clauses);
  }
  return clauses;
}

const ANY: Clause = { media: "any", type: "*/*", as: "", group: "", version: "", pretty: false, converts: false };

function parseAccept(accept: string): readonly Clause[] {
  if (accept.trim() === "") return [ANY];
  return accept
    .slice(0, 16_384)
    .split(",")
    .map(parseClause)
    .toSorted((a, b) => b.weight - a.weight);
}

function parseClause(text: string): Clause & { weight: number } {
  const [type = "", ...rest] = text.split(";");
  const values = new Map<string, string>();
  for (const pair of rest) {
    const at = pair.indexOf("=");
    if (at > 0) values.set(pair.slice(0, at).trim(), pair.slice(at + 1).trim());
  }
  const weight = Number(values.get("q") ?? "1");
  const name = type.trim().toLowerCase();
  return {
    media: mediaOf(name),
    type: name,
    as: values.get("as") ?? "",
    group: values.get("g") ?? "",
    version: values.get("v") ?? "",
    pretty: values.get("pretty") === "1",
    converts: values.has("as") || values.has("g") || values.has("v"),
    weight: Number.isFinite(weight) ? weight : 1,
  };
}

function mediaOf(type: string): Clause["media"] {
  if (type === "application/json") return "json";
  if (type === "application/yaml") return "yaml";
  if (type === PROTOBUF) return "protobuf";
  return type === "*/*" ? "any" : "other";
}

/**
 * The first form that the client takes and the offer has; 406 when there is none.
 *
 * @param asked knows the kind that can be written as protobuf, if there is one
 */
export function negotiate(accept: string, offer: Offer, pretty: boolean, asked?: Asked): Format {
  let packed: Format | undefined;
  for (const clause of clausesOf(accept)) {
    const format = formatOf(clause, offer, pretty);
    if (format && format.media !== "protobuf") return format;
    packed ??= format;
  }
  const kind = packed && asked?.protobufKind;
  if (packed && kind) return { ...packed, kind };
  throw notAcceptable(SERVED);
}

/** What is asked for. */
export interface Asked {
  readonly protobufKind: ProtobufKind | undefined;
}

function formatOf(clause: Clause, offer: Offer, pretty: boolean): Format | undefined {
  if (clause.media === "other") return undefined;
  const media = clause.media === "any" ? "json" : clause.media;
  if (!offer.media.includes(media)) return undefined;
  if (!clause.converts) return plain(media, pretty || clause.pretty);
  const shape = offer.shapes.find((name) => name === clause.as);
  if (!shape) return undefined;
  if (isReport(shape)) return reportFormat(clause, shape, pretty);
  if (clause.group !== "meta.k8s.io" || (shape === "Table" && media === "protobuf")) return undefined;
  if (clause.version !== "v1" && clause.version !== "v1beta1") return undefined;
  return { media, shape, version: clause.version, pretty: pretty || clause.pretty };
}

const isReport = (shape: string): shape is "Blame" | "ApplyConflict" => shape === "Blame" || shape === "ApplyConflict";

/** The form of a report of ownership; undefined when the clause does not name its group, its version and a text form. */
function reportFormat(clause: Clause, shape: "Blame" | "ApplyConflict", pretty: boolean): Format | undefined {
  if (clause.as !== shape || clause.group !== REPORT_GROUP || clause.version !== REPORT_VERSION) return undefined;
  if (clause.media === "protobuf" || clause.media === "other") return undefined;
  return { media: clause.media === "yaml" ? "yaml" : "json", shape, version: "v1", pretty: pretty || clause.pretty };
}

/** The form of an explained refusal where the client asks for that before a plain answer, else undefined. */
export function explanationFormat(accept: string, pretty: boolean): Format | undefined {
  for (const clause of clausesOf(accept)) {
    if (clause.media !== "other" && !clause.converts) return undefined;
    const format = reportFormat(clause, "ApplyConflict", pretty);
    if (format) return format;
  }
  return undefined;
}

const formats = [false, true].map((pretty) => ({
  json: { media: "json", shape: "", version: "", pretty } as Format,
  yaml: { media: "yaml", shape: "", version: "", pretty } as Format,
  protobuf: { media: "protobuf", shape: "", version: "", pretty } as Format,
}));

const plain = (media: Format["media"], pretty: boolean): Format => formats[pretty ? 1 : 0]![media];

/** The form of a failure: the client's media type where we have it, else JSON; never a table. */
export function failureFormat(accept: string, pretty: boolean): Format {
  const clauses = clausesOf(accept).filter(({ media }) => media !== "other");
  const clause = clauses.find(({ media }) => media !== "protobuf") ?? clauses[0];
  const media = clause === undefined || clause.media === "any" ? "json" : clause.media;
  return plain(media as Format["media"], pretty || clause?.pretty === true);
}

/** Whether the answer is indented: asked for in the query, or read by people in a terminal or browser (DEC-21). */
export function isPretty(query: Query, userAgent: string): boolean {
  const asked = query.text("pretty");
  if (asked !== "") return /^(1|t|T|true|TRUE|True)$/.test(asked);
  return userAgent.startsWith("curl") || userAgent.startsWith("Wget") || userAgent.startsWith("Mozilla/5.0");
}
