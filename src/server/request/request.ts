/**
 * A request on its way through the filters: what was sent, what has been found out about it, and how to answer.
 *
 * @module
 */
import type { ApiObject, ResourceDefinition } from "../../schema/definition.ts";
import { type ProtobufKind, hasProtobuf } from "../../wire/protobuf/index.ts";
import { ANONYMOUS, type Decision, type Identity } from "../../auth/contract.ts";
import type { After, Flow, Ticket } from "../../fairness/index.ts";
import type { RequestInfo } from "../../meta/request-info.ts";
import type { Status, StatusReason } from "../../meta/status.ts";
import type { Caller, DeleteOptions, PatchOptions, Resource, Target, WriteOptions } from "../../registry/contract.ts";
import { type Count, parked } from "../../util/activity.ts";
import type { Clock } from "../../util/clock.ts";
import type { Value } from "../../value/value.ts";
import type { Witness } from "./recorder.ts";
import type { BodyRoom } from "../shared/body-memory.ts";
import { type Exchange, type OutHeaders, lengthOf } from "./exchange.ts";
import { type Format, type Offer, isPretty, negotiate } from "../answer/negotiate.ts";
import { NO_QUERY, Query } from "./query.ts";
import type { SeatHolder } from "../shared/slow-clients.ts";
import type { UserPlace, UserPlaces } from "../shared/user-slots.ts";
import type { WatchOutput } from "./watch-output.ts";

/** What filters want to hear of a request while it is handled; `filters/contract.ts` says when. */
export interface Taps {
  decoded(request: ServerRequest): void | Promise<void>;
  handled(request: ServerRequest): void | Promise<void>;
}

/**
 * A part of the way that may take long, as audit calls it: who asks, a place to run, whether they may, the store, an answer
 * in pieces (AUDIT-19).
 */
export type SlowPart = "authentication" | "apf-queue-wait" | "authorization" | "etcd" | "response-write";

/** How many requests run: reads at 1, writes at 2. */
export interface Running {
  1: number;
  2: number;
}

/** One request. The filters fill it in, in their order. */
export class ServerRequest implements SeatHolder {
  /** How it is answered; a filter may put its own in front. */
  exchange: Exchange;
  /** The path as it was sent, without the query. */
  readonly rawPath: string;
  readonly query: Query;
  readonly startedAt: number;
  /** When all of it had been read, and when its answer began, by the steady counter; 0 before. */
  readAt = 0;
  answeredAt = 0;
  readonly #clock: Pick<Clock, "steady">;
  /** Its place among the requests of its user. */
  #place: UserPlace | undefined = undefined;
  #isOver = false;
  #whenOver: (() => void) | undefined = undefined;
  auditId = "";
  /** Set by the filter `read path`. */
  info: RequestInfo | undefined = undefined;
  /** Whether anybody may ask, without a credential; set with {@link ServerRequest.info}. */
  isPublic = false;
  /** Set by the filter `authenticate`. */
  identity: Identity = ANONYMOUS;
  /** Who has sent it, where it is made in the name of somebody else; set by the filter `impersonate`. */
  sender: Identity | undefined = undefined;
  /** Whether the sender may do it, once an authorizer was asked. */
  decision: Decision | undefined = undefined;
  /** What audit says of it beside its own, by the key of the annotation. */
  annotations: Record<string, string> | undefined = undefined;
  /** Ms that parts of its way took; those that took none are missing. */
  spent: { [part in SlowPart]?: number } | undefined = undefined;
  /** Whether it was judged by the policy of audit. */
  isJudged = false;
  /** Whoever keeps what it sends and is answered with. */
  witness: Witness | undefined = undefined;
  /** The template of the path, where that is a route and no resource. */
  route: string | undefined = undefined;
  /** The resource that answers, once it has been found. */
  resource: Resource | undefined = undefined;
  /** Answers the request; there once what can do that has been found. */
  answer: (() => void | Promise<void>) | undefined = undefined;
  /** Whoever wants to hear of it while it is handled. */
  taps: Taps | undefined = undefined;
  /** Where it is counted as under way, where anybody counts. */
  counted: Count | undefined = undefined;
  /** What a filter puts between the watch that this request begins and its stream. */
  wrapWatch: ((output: WatchOutput) => WatchOutput) | undefined = undefined;
  /** The memory of the body, from when it is read until the request has left the filters. */
  room: BodyRoom | undefined = undefined;
  /** The body, once it has been decoded. */
  body: Value | undefined = undefined;
  /** The options of a write, once they have been read. */
  options: WriteOptions | PatchOptions | DeleteOptions | undefined = undefined;
  /** Whether a new revision came of it. */
  changed = false;
  /** Whether a watch or a backup has begun: the answer may go on for as long as its reader takes it. */
  longRunning = false;
  /** How many events its watch has sent; counted where filters listen. */
  events = 0;
  /** The code that was answered, 0 before. */
  code = 0;
  /** Why it was refused. */
  reason: StatusReason | undefined = undefined;
  /** The Status that was answered, where it was one. */
  status: Status | undefined = undefined;
  /** Whether it has failed by a mistake of ours. */
  isPanic = false;
  /** Bytes of the answer's body, as far as they are known. */
  bytesOut = 0;
  /** Texts for Warning headers; made when the first one is added. */
  warnings: string[] | undefined = undefined;
  /** Which count of running requests this one is in; 0 for none. */
  seat: 0 | 1 | 2 = 0;
  #running: Running | undefined = undefined;
  /** The schema that has taken it, where there is fairness; told in the headers of the answer (APF-11). */
  flow: Flow | undefined = undefined;
  /** What it holds of its level. */
  ticket: Ticket | undefined = undefined;
  /** Ms that its client has kept us waiting while it held seats. */
  keptWaiting = 0;
  /** Something to wait for, once the body is there, before it is worked on. */
  turn: (() => void | Promise<void>) | undefined = undefined;
  /** Called when a watch has sent its initial events; there where it holds seats until then. */
  initialSent: (() => void) | undefined = undefined;

  constructor(exchange: Exchange, clock: Pick<Clock, "steady">) {
    this.exchange = exchange;
    this.#clock = clock;
    this.startedAt = clock.steady();
    const { url } = exchange;
    const at = url.indexOf("?");
    this.rawPath = at < 0 ? url : url.slice(0, at);
    this.query = at < 0 ? NO_QUERY : new Query(url.slice(at + 1));
  }

  get userAgent(): string {
    return this.exchange.header("user-agent");
  }

  get pretty(): boolean {
    return isPretty(this.query, this.userAgent);
  }

  /** The form of the answer; 406 when the client takes none of the offered ones. */
  format(offer: Offer): Format {
    return negotiate(this.exchange.header("accept"), offer, this.pretty, this);
  }

  /** The kind that the subresource takes, where that is not the kind of the object. */
  get taken(): ResourceDefinition | undefined {
    const subresource = this.info?.subresource ?? "";
    return subresource === "" ? undefined : this.resource?.definition.subresources?.[subresource]?.takes;
  }

  /** The kind of the bodies and answers of this request where that has a protobuf form. */
  get protobufKind(): ProtobufKind | undefined {
    const definition = this.resource?.definition;
    if (!definition) return undefined;
    const kind = this.taken ?? definition;
    return hasProtobuf(kind) ? kind : undefined;
  }

  /** Counts it for its user, until it is over or has become a watch; 429 where the user has as many under way as one may have. */
  count(places: UserPlaces): void {
    if (!this.#isOver) this.#place = places.take(this.identity);
  }

  /** It is counted otherwise from now on. */
  uncount(): void {
    this.#place?.[Symbol.dispose]();
  }

  /** Counts it among those that run, until it gives its seats back. */
  run(running: Running, seat: 1 | 2): void {
    this.#running = running;
    this.seat = seat;
    running[seat]++;
  }

  /** Whether it keeps others from running: who is exempt does not. */
  get holdsSeats(): boolean {
    return this.seat !== 0 && !this.flow?.level.settings.isExempt;
  }

  /** It is done with, or goes on without: what it held is free, but for what it takes `after`. */
  giveSeatsBack(after?: After): void {
    this.stopsRunning();
    this.ticket?.end(after);
  }

  /** It counts no more among those that run. */
  stopsRunning(): void {
    if (this.seat !== 0) this.#running![this.seat]--;
    this.seat = 0;
  }

  /** The last byte of its answer was taken, or one of the two broke off. */
  over(): void {
    this.#isOver = true;
    this.uncount();
    this.#whenOver?.();
  }

  /** Whether there is nobody any more to answer to. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Resolves when it is over; undefined where it is, or nobody tells: whoever is of this process takes what he asks for. */
  untilOver(): Promise<void> | undefined {
    if (this.#isOver || this.exchange.identity) return undefined;
    return new Promise((resolve) => {
      this.#whenOver = resolve;
    });
  }

  /** Who asks, in the words of the registry. */
  get caller(): Caller {
    const { userAgent, witness } = this;
    const ifMatch = this.exchange.header("if-match");
    const heard = witness && {
      sent: (object: ApiObject) => witness.sent(object),
      note: (key: string, value: string) => this.note(key, value),
      storing: (done: Promise<unknown>) => this.spendWhile("etcd", done),
    };
    return { ...this.identity, userAgent, ...(ifMatch === "" ? {} : { ifMatch }), ...heard };
  }

  /** The namespace of the objects asked for; empty for objects of the cluster, namespaces themselves included. */
  get namespace(): string {
    return this.resource!.definition.scope === "Namespaced" ? this.info!.namespace : "";
  }

  /** Where the request points. */
  get target(): Target {
    const { name, subresource } = this.info!;
    return { namespace: this.namespace, name, subresource };
  }

  /**
   * Takes it out of what counts as under way, until what is given back is disposed: it waits for what is not, for the clock
   * to move or for everything else. With it goes whoever of this process asks, and waits for the answer.
   */
  park(): Disposable {
    const { counted } = this;
    const asker = parked();
    counted?.pause();
    return {
      [Symbol.dispose]() {
        counted?.resume();
        asker[Symbol.dispose]();
      },
    };
  }

  /** The time since then was spent on a part of the way. */
  spend(part: SlowPart, since: number): void {
    const millis = this.#clock.steady() - since;
    if (millis <= 0) return;
    this.spent ??= {};
    this.spent[part] = (this.spent[part] ?? 0) + millis;
  }

  /** The time until something is done, well or not, is spent on a part of the way. */
  spendWhile(part: SlowPart, done: Promise<unknown>): void {
    const since = this.#clock.steady();
    const spend = (): void => this.spend(part, since);
    done.then(spend, spend);
  }

  /** Adds an annotation for audit; the first of a key stays (AUDIT-19). */
  note(key: string, value: string): void {
    this.annotations = { [key]: value, ...this.annotations };
  }

  /** Adds texts for Warning headers. */
  warn(texts: readonly string[]): void {
    if (texts.length === 0) return;
    if (this.warnings) this.warnings.push(...texts);
    else this.warnings = [...texts];
  }

  /** The headers of an answer of this type. */
  headers(contentType: string): OutHeaders {
    const headers: OutHeaders = {
      "audit-id": this.auditId,
      "cache-control": "no-cache, private",
      "content-type": contentType,
    };
    if (this.flow) addUids(headers, this.flow);
    if (this.warnings) headers["warning"] = warningHeaders(this.warnings);
    return headers;
  }

  /** All of it has been read, options and body: what follows is work. */
  isRead(): void {
    this.readAt = this.#clock.steady();
    this.witness?.read(this.info!.verb, this.body);
  }

  /** Answers with bytes that are there. */
  respond(code: number, headers: OutHeaders, body?: Uint8Array | readonly Uint8Array[]): void {
    this.code = code;
    this.answeredAt = this.#clock.steady();
    this.bytesOut = lengthOf(body);
    this.exchange.respond(code, headers, body);
  }
}

/** Which schema and which level have taken a request, where there are objects of them (APF-11). */
function addUids(headers: OutHeaders, { uid, level }: Flow): void {
  if (uid !== "") headers["x-kubernetes-pf-flowschema-uid"] = uid;
  if (level.settings.uid !== "") headers["x-kubernetes-pf-prioritylevel-uid"] = level.settings.uid;
}

const MOST_WARNING_BYTES = 4096;

/**
 * Warning headers as clients print them (RFC 7234 5.5, code 299): each text once, quoted, without control characters,
 * bounded.
 */
export function warningHeaders(texts: readonly string[]): string[] {
  const headers: string[] = [];
  let left = MOST_WARNING_BYTES;
  for (const text of new Set(texts)) {
    const clean = text.replaceAll(/[\p{Cc}]/gu, " ").replaceAll(/[\\"]/g, (mark) => `\\${mark}`);
    // Header values are bytes; UTF-8 goes out as it is.
    const header = Buffer.from(`299 - "${clean}"`, "utf8").toString("latin1");
    left -= header.length;
    if (left < 0) break;
    headers.push(header);
  }
  return headers;
}
