/**
 * The response to a request, and the progress of the request.
 *
 * @module
 */
import type { Identity } from "../../auth/contract.ts";
import type { Flow } from "../../fairness/index.ts";
import type { Status, StatusReason } from "../../meta/status.ts";
import type { Clock } from "../../util/clock.ts";
import type { KeyedLock } from "../../util/keyed-lock.ts";
import type { Span } from "../../util/span.ts";
import type { BodyReservation } from "../shared/body-memory.ts";
import type { SlowClients } from "../shared/slow-clients.ts";
import type { UserSlot, UserSlots } from "../shared/user-slots.ts";
import { type Messages, type OutHeaders, type OutStream, type Responder, lengthOf } from "./exchange.ts";
import type { IncomingRequest } from "./incoming.ts";
import type { Recorder } from "./recorder.ts";
import { NO_SEATS, type Seats } from "./seats.ts";
import type { WatchOutput } from "./watch-output.ts";

/** What responses need of their server. */
export interface ResponseParts {
  readonly clock: Clock;
  /** Bounds how long clients keep the server waiting. */
  readonly slowClients: SlowClients;
  /** Unread bytes of all responses over sockets. */
  readonly untaken: { bytes: number };
  /** A queue for large responses in another form than JSON: one is made at a time. */
  readonly conversions: KeyedLock;
  /** When large responses are compressed: for peers on other machines, always, or never. */
  readonly compress: "remote" | "always" | "never";
}

/** The response to one request. */
export class HttpResponse {
  readonly server: ResponseParts;
  readonly incoming: IncomingRequest;
  /** Sends it; a filter may replace it. */
  responder: Responder;
  auditId = "";
  /** The flow schema that the request matches, where there is fairness. */
  flow: Flow | undefined = undefined;
  /** Texts for Warning headers. */
  #warnings: string[] | undefined = undefined;
  /** Its status code, 0 before. */
  code = 0;
  /** Why the request was refused. */
  reason: StatusReason | undefined = undefined;
  /** The Status in it, where it has one. */
  status: Status | undefined = undefined;
  /** Whether the request has failed by a fault of the server. */
  isPanic = false;
  /** Bytes of its body, as far as they are known. */
  bytesOut = 0;
  /** When all of the request had been read, and when the response began, by the steady counter; 0 before. */
  readAt = 0;
  respondedAt = 0;
  /** Whether the request made a new revision. */
  changed = false;
  /** Whether a watch or a backup has begun: the response may continue for as long as its reader reads. */
  longRunning = false;
  /** How many events a watch has sent; counted where filters observe. */
  events = 0;
  /** The span of the request, where requests are traced. */
  root: Span | undefined = undefined;
  /** The span of its authentication, which calls of webhooks are parts of. */
  authentication: Span | undefined = undefined;
  /** The span of the current step. */
  span: Span | undefined = undefined;
  /** The span of the encoding of the result, and that of a watch. */
  serialization: Span | undefined = undefined;
  watchSpan: Span | undefined = undefined;
  /** Records the request for audit. */
  recorder: Recorder | undefined = undefined;
  /** The seats that the request holds while it runs. */
  seats: Seats = NO_SEATS;
  /** The memory of the body, from when it is read until the request has left the filters. */
  bodyMemory: BodyReservation | undefined = undefined;
  /** Wraps the stream of the watch that the request begins; set by a filter. */
  wrapWatch: ((output: WatchOutput) => WatchOutput) | undefined = undefined;
  /** Whether it waits for its record. */
  #waits = false;
  #slot: UserSlot | undefined = undefined;
  #isOver = false;
  #whenOver: (() => void) | undefined = undefined;

  constructor(server: ResponseParts, incoming: IncomingRequest, responder: Responder) {
    this.incoming = incoming;
    this.responder = responder;
    this.server = server;
  }

  /** Whether it has begun, or is over without a response. */
  get responded(): boolean {
    return this.#waits || this.responder.responded;
  }

  /** All of the request has been read, options and body: the verb runs next. */
  isRead(): void {
    this.readAt = this.server.clock.steady();
  }

  /** Adds texts for Warning headers. */
  warn(texts: readonly string[]): void {
    if (texts.length === 0) return;
    if (this.#warnings) this.#warnings.push(...texts);
    else this.#warnings = [...texts];
  }

  /** The headers of a response of this type; without a type for none. */
  headers(contentType: string): OutHeaders {
    const headers: OutHeaders = { "audit-id": this.auditId, "cache-control": "no-cache, private" };
    if (contentType !== "") headers["content-type"] = contentType;
    if (this.flow) addUids(headers, this.flow);
    if (this.#warnings) headers["warning"] = warningHeaders(this.#warnings);
    return headers;
  }

  /** Responds with complete bytes, once the request was recorded. */
  respond(code: number, headers: OutHeaders, body?: Uint8Array | readonly Uint8Array[]): void {
    this.code = code;
    this.respondedAt = this.server.clock.steady();
    this.bytesOut = lengthOf(body);
    const { recorder, responder } = this;
    const wait = !recorder || this.responded ? undefined : recorder.responding(code);
    if (wait) this.#respondAfter(wait, () => responder.respond(code, headers, body));
    else if (!this.#waits) responder.respond(code, headers, body);
  }

  #respondAfter(recorded: Promise<unknown>, respond: () => void): void {
    this.#waits = true;
    recorded.then(respond, (error: unknown) => {
      this.recorder?.failed(error);
      this.responder.destroy();
    });
  }

  /** Begins a response whose body is written piece by piece. */
  stream(code: number, headers: OutHeaders): OutStream {
    const { recorder, responder } = this;
    this.code = code;
    recorder?.streaming(code);
    const stream = responder.stream(code, headers);
    if (recorder) responder.onOver(() => recorder.streamed());
    return stream;
  }

  /** Upgrades to a connection of messages; undefined where the request cannot be. */
  upgrade(protocols: readonly string[], headers: OutHeaders): Messages | undefined {
    const { recorder, responder } = this;
    const messages = responder.upgrade?.(protocols, headers);
    if (!messages) return undefined;
    this.code = SWITCHING_PROTOCOLS;
    recorder?.streaming(SWITCHING_PROTOCOLS);
    if (recorder) responder.onOver(() => recorder.streamed());
    return messages;
  }

  /** Counts the request for a user, until it is over or has become a watch; 429 where the user is at the limit. */
  count(slots: UserSlots, user: Identity): void {
    if (!this.#isOver) this.#slot = slots.take(user);
  }

  /** Replaces the count of the request from now on. */
  uncount(): void {
    this.#slot?.[Symbol.dispose]();
  }

  /** Called when the last byte was read, or one of the two broke off. */
  over(): void {
    this.#isOver = true;
    this.uncount();
    this.#whenOver?.();
  }

  /** Whether it is over. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Resolves when it is over; undefined where it is, and for a caller of this process, whose reading is not observed. */
  untilOver(): Promise<void> | undefined {
    if (this.#isOver || this.incoming.sent.identity) return undefined;
    return new Promise((resolve) => {
      this.#whenOver = resolve;
    });
  }
}

const SWITCHING_PROTOCOLS = 101;

/** Which schema and which level have taken a request, where there are objects of them (APF-11). */
function addUids(headers: OutHeaders, { uid, level }: Flow): void {
  if (uid !== "") headers["x-kubernetes-pf-flowschema-uid"] = uid;
  if (level.settings.uid !== "") headers["x-kubernetes-pf-prioritylevel-uid"] = level.settings.uid;
}

const MAX_WARNING_BYTES = 4096;
/** Where the texts do not fit together, each is cut to this length, as in kube-apiserver. */
const MAX_CUT_WARNING_LENGTH = 256;

/**
 * Warning headers as clients print them (RFC 7234 5.5, code 299): each text once, quoted, without control characters,
 * bounded.
 */
function warningHeaders(texts: readonly string[]): string[] {
  const headers: string[] = [];
  let left = MAX_WARNING_BYTES;
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  const kept = length <= MAX_WARNING_BYTES ? texts : texts.map(cutWarning);
  for (const text of new Set(kept)) {
    const clean = text.replaceAll(/[\p{Cc}]/gu, " ").replaceAll(/[\\"]/g, (mark) => `\\${mark}`);
    // Header values are bytes; UTF-8 is sent unchanged.
    const header = Buffer.from(`299 - "${clean}"`, "utf8").toString("latin1");
    left -= header.length;
    if (left < 0) break;
    headers.push(header);
  }
  return headers;
}

const cutWarning = (text: string): string => text.slice(0, MAX_CUT_WARNING_LENGTH).toWellFormed();
