/**
 * The events of one request, from its arrival to its end (AUDIT-10..23).
 *
 *     received ─► responding ────────────────────► complete       bytes that are there
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
  type RequestAuditConfig,
  userAgentOf,
  sourceIPsOf,
} from "../../audit/index.ts";
import type { Decision, Identity } from "../../auth/contract.ts";
import { type RequestInfo, isLongRunning } from "../../meta/request-info.ts";
import type { Status } from "../../meta/status.ts";
import type { ApiObject } from "../../schema/definition.ts";
import { durationText } from "../../util/duration.ts";
import { exactText } from "../../value/exact-text.ts";
import { type Value, isObject } from "../../value/value.ts";
import type { ServerRequest } from "../request/request.ts";
import { KeptResponse } from "./kept-response.ts";
import type { ServerContext } from "../request/context.ts";
import { logFields } from "../request/log-fields.ts";
import type { Recorder, SlowPart } from "../request/recorder.ts";

/** Where events of requests go, and what counts them. */
export interface AuditParts {
  readonly sink: AuditSink;
  readonly metrics: AuditMetrics;
}

/** The events of requests that took longer than this many ms have their latencies. */
const SLOW_MILLIS = 500;

/** The names of an object in its metadata. */
type Named = Pick<EventObject, "namespace" | "name" | "uid" | "resourceVersion">;

/** See the head of this file. */
export class AuditRecord implements Recorder {
  readonly #server: Pick<ServerContext, "clock" | "faults">;
  readonly #request: ServerRequest;
  /** The recorded subject: the request, or one write that is a part of it. */
  readonly #info: RequestInfo;
  /** The result of a part. */
  #part: { readonly status: Status | undefined } | undefined;
  readonly #parts: AuditParts;
  readonly #config: RequestAuditConfig;
  readonly #head: EventHead;
  /** The time of day at zero of the steady counter. */
  readonly #zero: number;
  readonly #isLong: boolean;
  #named: Named | undefined;
  #sent: string | undefined;
  #code = 0;
  #streamsSince = 0;
  #isComplete = false;
  #decision: Decision | undefined;
  #annotations: Map<string, string> | undefined;
  /** Ms of the parts that took any. */
  readonly #spent: { [part in SlowPart]?: number } = {};
  readonly response: KeptResponse | undefined;

  /**
   * @param user undefined where it is not known
   * @param info what is recorded: the request, or one write that is a part of it
   */
  constructor(
    server: Pick<ServerContext, "clock" | "faults">,
    request: ServerRequest,
    parts: AuditParts,
    config: RequestAuditConfig,
    user: Identity | undefined,
    info: RequestInfo = request.info,
  ) {
    const { incoming } = request;
    const { sent } = incoming;
    this.#server = server;
    this.#request = request;
    this.#info = info;
    this.#parts = parts;
    this.#config = config;
    this.#zero = server.clock.now() - server.clock.steady();
    this.#isLong = isLongRunning(info);
    this.#add("authentication", request.authenticationMillis);
    this.#head = {
      level: config.level,
      auditID: request.response.auditId,
      requestURI: request.hidesQuery ? incoming.rawPath : sent.url,
      verb: info.verb,
      user,
      sourceIPs: sourceIPsOf(sent.header("x-forwarded-for"), sent.header("x-real-ip"), sent.connection.address),
      userAgent: userAgentOf(incoming.userAgent),
      received: this.#zero + incoming.startedAt,
    };
    this.response = config.level === "RequestResponse" ? new KeptResponse(config.omitManagedFields) : undefined;
  }

  /** Called when the request is known and has not run; false, now or later, where it must not run. */
  received(): boolean | Promise<boolean> {
    return this.#write({ stage: "RequestReceived", at: this.#head.received, object: this.#object(false) });
  }

  /** Called when the request was refused before its user was known or its timeout was read: there is one event (AUDIT-11). */
  refused(status: Status): void {
    this.response?.value(status);
    this.#code = status.code ?? 0;
    this.#started();
  }

  /** Called when a write that is a part of the request is over. */
  done(code: number, status: Status | undefined): void {
    this.#code = code;
    this.#part = { status };
    void this.#complete();
  }

  note(key: string, value: string, level?: "Request"): void {
    if (level && this.#config.level === "Metadata") return;
    const annotations = (this.#annotations ??= new Map());
    if (!annotations.has(key)) annotations.set(key, value);
  }

  decided(decision: Decision): void {
    this.#decision = decision;
  }

  spend(part: SlowPart, since: number): void {
    this.#add(part, this.#server.clock.steady() - since);
  }

  spendWhile(part: SlowPart, done: Promise<unknown>): void {
    const since = this.#server.clock.steady();
    const spend = (): void => this.spend(part, since);
    done.then(spend, spend);
  }

  #add(part: SlowPart, millis: number): void {
    if (millis > 0) this.#spent[part] = (this.#spent[part] ?? 0) + millis;
  }

  read(verb: string, body: Value | undefined): void {
    if (this.#config.level === "Metadata" || body === undefined || body === null) return;
    if (verb === "patch") this.#sent = exactText(body);
    else if (verb.startsWith("delete") && isObject(body)) this.#sent = exactText({ ...body, ...DELETE_OPTIONS });
  }

  sent(object: ApiObject): void {
    const { namespace = "", name = "", uid = "", resourceVersion = "" } = object.metadata;
    this.#named = { namespace, name, uid, resourceVersion };
    if (this.#config.level === "Metadata") return;
    const { managedFields, ...metadata } = object.metadata;
    const isShown = managedFields === undefined || !this.#config.omitManagedFields;
    this.#sent = exactText(isShown ? object : { ...object, metadata });
  }

  responding(code: number): Promise<unknown> | undefined {
    this.#code = code;
    if (this.#isLong) this.#started();
    return this.#complete();
  }

  streaming(code: number): void {
    this.#code = code;
    this.#streamsSince = this.#server.clock.steady();
    if (this.#isLong) this.#started();
  }

  streamed(): void {
    this.spend("response-write", this.#streamsSince);
    void this.#complete();
  }

  failed(error: unknown): void {
    this.#server.faults.report("request", error, { ...logFields(this.#request) });
  }

  /** Where the request got no response at all, that is the end of it. */
  left(): void {
    if (!this.#request.response.responded) void this.#complete();
  }

  #started(): void {
    void this.#write(this.#responseStage("ResponseStarted"));
  }

  #complete(): Promise<unknown> | undefined {
    if (this.#isComplete) return undefined;
    this.#isComplete = true;
    const stage = this.#request.response.isPanic ? "Panic" : "ResponseComplete";
    const kept = this.#write(this.#responseStage(stage));
    return kept instanceof Promise ? kept : undefined;
  }

  #write(stage: EventStage): boolean | Promise<boolean> {
    if (this.#config.omitStages.has(stage.stage)) return true;
    const { sink, metrics } = this.#parts;
    metrics.event();
    const event = new AuditEvent(this.#head, stage);
    const { root } = this.#request.response;
    // The response to an error is sent outside the spans of the request.
    if (root === undefined || stage.stage === "RequestReceived") return sink.write(event);
    return root.run(() => sink.write(event));
  }

  /** The members that are known from the response on. */
  #responseStage(stage: Stage): EventStage {
    const request = this.#request;
    const at = this.#zero + this.#server.clock.steady();
    return {
      stage,
      at,
      impersonated: request.sender ? request.identity : undefined,
      object: this.#object(true),
      status: this.#status(),
      requestObject: this.#sent,
      responseObject: this.response?.text,
      annotations: this.#annotationsAt(at),
    };
  }

  #object(isRead: boolean): EventObject | undefined {
    const info = this.#info;
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
    const { status } = this.#part ?? this.#request.response;
    if (status) return { ...status, code: this.#code || (status.code ?? 0) };
    if (this.#code !== 0) return { code: this.#code };
    return { status: "Failure", message: "the connection was closed before a response", code: 0 };
  }

  #annotationsAt(at: number): Readonly<Record<string, string>> | undefined {
    const [annotations, decision] = [this.#annotations, this.#decision];
    const isSlow = !this.#isLong && at - this.#head.received > SLOW_MILLIS;
    const isCut = this.response?.isTooLong ?? false;
    const notes = this.#head.user?.auditAnnotations;
    if (!annotations && !notes && !decision && !isSlow && !isCut) return undefined;
    // The newest event comes first.
    const all: Record<string, string> = { ...Object.fromEntries([...(annotations ?? [])].toReversed()), ...notes };
    if (decision) {
      const isUndecided = decision.error !== undefined && !decision.allowed;
      if (!isUndecided) all["authorization.k8s.io/decision"] = decision.allowed ? "allow" : "forbid";
      all["authorization.k8s.io/reason"] = isUndecided ? "internal error" : decision.reason;
    }
    if (isSlow) addLatencies(all, { ...this.#spent, total: at - this.#head.received });
    if (isCut) all["audit.k8s.io/truncated"] = "true";
    return all;
  }
}

function addLatencies(all: Record<string, string>, millis: Readonly<Record<string, number>>): void {
  for (const [part, spent] of Object.entries(millis)) all[`apiserver.latency.k8s.io/${part}`] = durationText(spent);
}

const DELETE_OPTIONS = { kind: "DeleteOptions", apiVersion: "meta.k8s.io/v1" };
