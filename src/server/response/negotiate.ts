/**
 * The form of the response that a client accepts (DEC-17): JSON, YAML or protobuf, the object itself, a table of it or its
 * metadata only.
 *
 * An Accept header is a list of clauses. They are tried in the order of their weights (`q`, as in the reference), then
 * in the order in which they were sent, and the first supported clause is used. Headers
 * repeat, so their parsed form is kept.
 *
 * @module
 */
import { PROTOBUF, type ProtobufKind, partialObjectMetadata } from "../../wire/protobuf/index.ts";
import { REPORT_GROUP, REPORT_VERSION } from "../../meta/ownership-reports.ts";
import { notAcceptable } from "../../meta/status.ts";
import { BoundedCache } from "../../util/bounded-cache.ts";
import type { IncomingRequest } from "../request/incoming.ts";

/** The shape into which a response is converted. */
export type Shape = "" | "Table" | "PartialObjectMetadata" | "PartialObjectMetadataList" | "Blame" | "ApplyConflict";

/** The form of a response. */
export interface Format {
  readonly media: "json" | "yaml" | "protobuf";
  readonly shape: Shape;
  /** Version of the group of the shape that it is written in; empty without a shape. */
  readonly version: "" | "v1" | "v1beta1";
  readonly pretty: boolean;
  /** The type that is written as protobuf; absent for other media types and for failures. */
  readonly kind?: ProtobufKind;
}

/** The forms that an endpoint supports. */
export interface Offer {
  /** The supported shapes; clauses with other shapes are skipped. */
  readonly shapes: readonly Shape[];
  /** Shapes that are selected like the others, and then refused: a list is no single object. */
  readonly refused?: readonly Shape[];
  readonly media: readonly Format["media"][];
}

const BOTH = ["json", "yaml"] as const;
const ALL = ["json", "yaml", "protobuf"] as const;

/** One object: itself, as a table of one row, or its metadata. */
export const OBJECT: Offer = {
  shapes: ["Table", "PartialObjectMetadata"],
  refused: ["PartialObjectMetadataList"],
  media: ALL,
};
/** One object that is read: also the owners of its fields. */
export const READ_OBJECT: Offer = { ...OBJECT, shapes: [...OBJECT.shapes, "Blame"] };
/** A list: itself, as a table, or metadata only. */
export const LIST: Offer = {
  shapes: ["Table", "PartialObjectMetadataList"],
  refused: ["PartialObjectMetadata"],
  media: ALL,
};
/** A stream of events; {@link streams} says which of its forms are supported. */
export const WATCH: Offer = { shapes: ["Table", "PartialObjectMetadata"], media: ALL };
/** A document without other shapes. */
export const DOCUMENT: Offer = { shapes: [], media: BOTH };
/** A document that exists only as JSON. */
export const JSON_ONLY: Offer = { shapes: [], media: ["json"] };

/** Throws 406 unless events can be sent in this form: there is no stream of YAML. */
export function streams({ media }: Format): void {
  if (media === "yaml") throw notAcceptable(STREAMED);
}

const STREAMED: readonly string[] = ["application/json;stream=watch", `${PROTOBUF};stream=watch`];

/** The media types that are served. */
export const SERVED: readonly string[] = ["application/json", "application/yaml"];

/** One clause of an Accept header. */
export interface Clause {
  /** `any` is every type at all, `application` every one of `application/`. */
  readonly media: Format["media"] | "any" | "application" | "other";
  /** The media type as it was sent. */
  readonly type: string;
  readonly as: string;
  readonly group: string;
  readonly version: string;
  /** The shape of the events in the stream; only `watch` is known. */
  readonly stream: string;
  /** The version of the group of `as` that the server is to write. */
  readonly serverVersion: string;
  readonly pretty: boolean;
  /** Whether the clause requests another shape. */
  readonly converts: boolean;
}

/** Clients send few different headers; one that sends many different ones displaces only cached entries. */
const parsed = new BoundedCache<readonly Clause[]>({
  entries: 500,
  bytes: 1 << 20,
  weigh: (clauses) => CLAUSE_BYTES * clauses.length,
});
const MAX_KEPT_LENGTH = 1000;
const CLAUSE_BYTES = 256;

/** The clauses of an Accept header in the order in which they are tried. An empty header accepts anything. */
export function clausesOf(accept: string): readonly Clause[] {
  let clauses = parsed.get(accept);
  if (!clauses) {
    clauses = parseAccept(accept);
    if (accept.length < MAX_KEPT_LENGTH) parsed.set(accept, clauses);
  }
  return clauses;
}

interface Weighted extends Clause {
  readonly weight: number;
}

const ANY: Weighted = clauseOf("*/*");

function parseAccept(accept: string): readonly Clause[] {
  if (accept.trim() === "") return [ANY];
  return inOrder(accept.slice(0, 16_384).split(",").map(clauseOf));
}

/** Longer lists than clients send are ordered only by weight. */
const SHORT = 12;

/**
 * Clauses in the order in which the reference tries them: it sorts by insertion, and what says its type goes before what
 * takes any, also where its weight is less.
 */
function inOrder(clauses: Weighted[]): readonly Clause[] {
  if (clauses.length > SHORT) return clauses.toSorted((a, b) => b.weight - a.weight);
  const sorted: Weighted[] = [];
  for (const clause of clauses) {
    sorted.splice(sorted.findLastIndex((other) => !before(clause, other)) + 1, 0, clause);
  }
  return sorted;
}

const isOpen = ({ type }: Clause): boolean => type === "*" || type.endsWith("/*");

const before = (a: Weighted, b: Weighted): boolean => a.weight > b.weight || (!isOpen(a) && isOpen(b));

function clauseOf(text: string): Weighted {
  const [name = "", ...rest] = text.split(";");
  const values = new Map<string, string>();
  for (const pair of rest) {
    const at = pair.indexOf("=");
    if (at > 0) values.set(pair.slice(0, at).trim(), pair.slice(at + 1).trim());
  }
  const weight = Number(values.get("q") ?? "1");
  const type = name.trim();
  return {
    media: mediaOf(type),
    type,
    as: values.get("as") ?? "",
    group: values.get("g") ?? "",
    version: values.get("v") ?? "",
    stream: values.get("stream") ?? "",
    serverVersion: values.get("sv") ?? "",
    pretty: values.get("pretty") === "1",
    converts: ["as", "g", "v"].some((key) => (values.get(key) ?? "") !== ""),
    weight: Number.isFinite(weight) ? weight : 1,
  };
}

function mediaOf(type: string): Clause["media"] {
  if (type === "application/json") return "json";
  if (type === "application/yaml") return "yaml";
  if (type === PROTOBUF) return "protobuf";
  if (type === "application/*") return "application";
  return type === "*/*" || type === "*" ? "any" : "other";
}

/**
 * The first form that the client takes and the offer has; 406 when there is none, or when it is one that is not given.
 *
 * @param target has the kind that can be written as protobuf, if there is one
 */
export function negotiate(incoming: IncomingRequest, offer: Offer, target?: Target): Format {
  const clauses = clausesOf(incoming.sent.header("accept"));
  const pretty = isPretty(incoming);
  // As in the reference, `application/*` and `*` alone select no shape.
  if (clauses.some(({ media, type }) => type === "*/*" || offer.media.some((one) => one === media))) {
    for (const clause of clauses) {
      const format = givenFor(clause, offer, pretty, target);
      if (format && offer.refused?.includes(format.shape)) break;
      if (format) return format;
    }
  }
  throw notAcceptable(SERVED);
}

/** The form that a clause selects, in its media type. */
function givenFor(clause: Clause, offer: Offer, pretty: boolean, target: Target | undefined): Format | undefined {
  if (clause.media === "other") return undefined;
  for (const media of offer.media) {
    if (!takes(clause, media)) continue;
    const format = formatOf(clause, media, offer, pretty);
    if (format && media !== "protobuf") return format;
    const kind = format && (format.shape === "" ? target?.protobufKind : partialObjectMetadata(format.version));
    if (kind) return { ...format, kind };
  }
  return undefined;
}

function takes({ media, stream, serverVersion }: Clause, given: Format["media"]): boolean {
  if (media !== given && media !== "any" && media !== "application") return false;
  if (stream !== "" && (stream !== "watch" || given === "yaml")) return false;
  return serverVersion === "" || serverVersion === "v1";
}

/** The shape that a clause requests. */
interface Target {
  readonly protobufKind: ProtobufKind | undefined;
}

function formatOf(
  clause: Clause,
  media: Format["media"],
  { shapes, refused = [] }: Offer,
  pretty: boolean,
): Format | undefined {
  if (!clause.converts) return plain(media, pretty || clause.pretty);
  const shape = [...shapes, ...refused].find((name) => name === clause.as);
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

/** The form of an explained refusal where the client prefers that to a plain response, else undefined. */
export function explanationFormat(incoming: IncomingRequest): Format | undefined {
  for (const clause of clausesOf(incoming.sent.header("accept"))) {
    if (clause.media !== "other" && !clause.converts) return undefined;
    const format = reportFormat(clause, "ApplyConflict", isPretty(incoming));
    if (format) return format;
  }
  return undefined;
}

const formatsOf = (pretty: boolean): Readonly<Record<Format["media"], Format>> => ({
  json: { media: "json", shape: "", version: "", pretty },
  yaml: { media: "yaml", shape: "", version: "", pretty },
  protobuf: { media: "protobuf", shape: "", version: "", pretty },
});

const FORMATS = formatsOf(false);
const PRETTY_FORMATS = formatsOf(true);

const plain = (media: Format["media"], pretty: boolean): Format => (pretty ? PRETTY_FORMATS : FORMATS)[media];

/** The form of a failure: the first media type of the client that is supported, else JSON; never a table. */
export function failureFormat(incoming: IncomingRequest): Format {
  const pretty = isPretty(incoming);
  for (const clause of clausesOf(incoming.sent.header("accept"))) {
    const media = clause.converts ? undefined : ALL.find((one) => takes(clause, one));
    if (media) return plain(media, pretty || clause.pretty);
  }
  return plain("json", pretty);
}

/** Whether the response is indented: as the query says, or because people read it in a terminal or browser (DEC-21). */
export function isPretty({ query, userAgent }: IncomingRequest): boolean {
  const pretty = query.text("pretty");
  if (pretty !== "") return /^(1|t|T|true|TRUE|True)$/.test(pretty);
  return userAgent.startsWith("curl") || userAgent.startsWith("Wget") || userAgent.startsWith("Mozilla/5.0");
}
