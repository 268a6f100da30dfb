/**
 * What is written down of one request, from its arrival to its end (AUDIT-10..23).
 *
 *     received ─► answering ─────────────────────► complete       bytes that are there
 *     received ─► streaming ─► started ─► streamed ─► complete    a long request; others have no `started`
 *
 * @module
 */
import {
  AuditEvent,
  type AuditMetrics,
  type AuditSink,
  type EventHead,
  type EventObject,
  type EventStage,
  type Stage,
  type Verdict,
  agentOf,
  sourcesOf,
} from "../../audit/index.ts";
import type { Identity } from "../../auth/contract.ts";
import { isLongRunning } from "../../meta/request-info.ts";
import type { Status } from "../../meta/status.ts";
import type { ApiObject } from "../../schema/definition.ts";
import type { Clock } from "../../util/clock.ts";
import { durationText } from "../../util/duration.ts";
import { exactText } from "../../value/exact-text.ts";
import { type Value, isObject } from "../../value/value.ts";
import type { ServerRequest } from "../request/request.ts";
import type { AnswerListener } from "./exchange.ts";
import { KeptAnswer } from "./kept-answer.ts";
import type { Witness } from "../request/recorder.ts";

/** Where events of requests go, and what counts them. */
export interface AuditParts {
  readonly sink: AuditSink;
  readonly metrics: AuditMetrics;
}

/** Requests that took longer than this many ms say how long. */
const SLOW_MILLIS = 500;

/** What an object says of itself in its metadata. */
type Named = Pick<EventObject, "namespace" | "name" | "uid" | "resourceVersion">;

/** See the head of this file. */
export class AuditRecord implements Witness, AnswerListener {
  readonly #request: ServerRequest;
  readonly #clock: Clock;
  readonly #parts: AuditParts;
  readonly #verdict: Verdict;
  readonly #head: EventHead;
  /** What is added to the time of day to have that of the steady counter. */
  readonly #zero: number;
  readonly #isLong: boolean;
  #named: Named | undefined;
  #sent: string | undefined;
  #code = 0;
  #streamsSince = 0;
  #isComplete = false;
  readonly answer: KeptAnswer | undefined;

  /** @param sender undefined where nobody is known to ask */
  constructor(request: ServerRequest, clock: Clock, parts: AuditParts, verdict: Verdict, sender: Identity | undefined) {
    const { exchange, info, startedAt } = request;
    this.#request = request;
    this.#clock = clock;
    this.#parts = parts;
    this.#verdict = verdict;
    this.#zero = clock.now() - clock.steady();
    this.#isLong = isLongRunning(info!);
    this.#head = {
      level: verdict.level,
      auditID: request.auditId,
      requestURI: exchange.url,
      verb: info!.verb,
      user: sender,
      sourceIPs: sourcesOf(
        exchange.header("x-forwarded-for"),
        exchange.header("x-real-ip"),
        exchange.connection.address,
      ),
      userAgent: agentOf(request.userAgent),
      received: this.#zero + startedAt,
    };
    this.answer = verdict.level === "RequestResponse" ? new KeptAnswer(verdict.omitManagedFields) : undefined;
  }

  /** The request is known and nothing has been done; false, now or later, where it must not go on. */
  received(): boolean | Promise<boolean> {
    return this.#tell({ stage: "RequestReceived", at: this.#head.received, object: this.#object(false) });
  }

  /** The request was refused before anybody knew who asks, or how long they wait: there is one event (AUDIT-11). */
  refused(status: Status): void {
    this.answer?.value(status);
    this.#code = status.code ?? 0;
    void this.#tell(this.#answered("ResponseStarted"));
  }

  read(verb: string, body: Value | undefined): void {
    if (this.#verdict.level === "Metadata" || body === undefined || body === null) return;
    if (verb === "patch") this.#sent = exactText(body);
    else if (verb.startsWith("delete") && isObject(body)) this.#sent = exactText({ ...body, ...DELETE_OPTIONS });
  }

  sent(object: ApiObject): void {
    const { namespace = "", name = "", uid = "", resourceVersion = "" } = object.metadata;
    this.#named = { namespace, name, uid, resourceVersion };
    if (this.#verdict.level === "Metadata") return;
    const { managedFields, ...metadata } = object.metadata;
    const isShown = managedFields === undefined || !this.#verdict.omitManagedFields;
    this.#sent = exactText(isShown ? object : { ...object, metadata });
  }

  answering(code: number): Promise<unknown> | undefined {
    this.#code = code;
    if (this.#isLong) this.#started();
    return this.#complete();
  }

  streaming(code: number): void {
    this.#code = code;
    this.#streamsSince = this.#clock.steady();
    if (this.#isLong) this.#started();
  }

  streamed(): void {
    this.#request.spend("response-write", this.#streamsSince);
    void this.#complete();
  }

  /** The request has left the filters: where it was not answered at all, that is the end of it. */
  left(): void {
    if (!this.#request.exchange.answered) void this.#complete();
  }

  #started(): void {
    void this.#tell(this.#answered("ResponseStarted"));
  }

  #complete(): Promise<unknown> | undefined {
    if (this.#isComplete) return undefined;
    this.#isComplete = true;
    const stage = this.#request.isPanic ? "Panic" : "ResponseComplete";
    const kept = this.#tell(this.#answered(stage));
    return kept instanceof Promise ? kept : undefined;
  }

  #tell(stage: EventStage): boolean | Promise<boolean> {
    if (this.#verdict.omitStages.has(stage.stage)) return true;
    const { sink, metrics } = this.#parts;
    metrics.event();
    return sink.take(new AuditEvent(this.#head, stage));
  }

  /** What is known from the answer on. */
  #answered(stage: Stage): EventStage {
    const request = this.#request;
    const at = this.#zero + this.#clock.steady();
    return {
      stage,
      at,
      impersonated: request.sender ? request.identity : undefined,
      object: this.#object(true),
      status: this.#status(),
      requestObject: this.#sent,
      responseObject: this.answer?.text,
      annotations: this.#annotations(at),
    };
  }

  #object(isRead: boolean): EventObject | undefined {
    const info = this.#request.info!;
    if (!info.isResource) return undefined;
    const named = isRead ? this.#named : undefined;
    return {
      resource: info.resource,
      namespace: info.namespace || (named?.namespace ?? ""),
      name: info.name || (named?.name ?? ""),
      uid: named?.uid ?? "",
      apiGroup: info.group,
      apiVersion: info.version,
      resourceVersion: named?.resourceVersion ?? "",
      subresource: info.subresource,
    };
  }

  #status(): EventStage["status"] {
    const { status } = this.#request;
    if (status) return { ...status, code: this.#code || (status.code ?? 0) };
    if (this.#code !== 0) return { code: this.#code };
    return { status: "Failure", message: "the connection was closed before an answer", code: 0 };
  }

  #annotations(at: number): Readonly<Record<string, string>> | undefined {
    const { annotations, decision } = this.#request;
    const isSlow = !this.#isLong && at - this.#head.received > SLOW_MILLIS;
    const isCut = this.answer?.isTooLong ?? false;
    const notes = this.#head.user?.notes;
    if (!annotations && !notes && !decision && !isSlow && !isCut) return undefined;
    const all: Record<string, string> = { ...annotations, ...notes };
    if (decision) {
      const isUndecided = decision.error !== undefined && !decision.allowed;
      if (!isUndecided) all["authorization.k8s.io/decision"] = decision.allowed ? "allow" : "forbid";
      all["authorization.k8s.io/reason"] = isUndecided ? "internal error" : decision.reason;
    }
    if (isSlow) addLatencies(all, { ...this.#request.spent, total: at - this.#head.received });
    if (isCut) all["audit.k8s.io/truncated"] = "true";
    return all;
  }
}

function addLatencies(all: Record<string, string>, millis: Readonly<Record<string, number>>): void {
  for (const [part, spent] of Object.entries(millis)) all[`apiserver.latency.k8s.io/${part}`] = durationText(spent);
}

const DELETE_OPTIONS = { kind: "DeleteOptions", apiVersion: "meta.k8s.io/v1" };
