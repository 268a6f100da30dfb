/**
 * A request in its parts: what arrived ({@link IncomingRequest}), what it requests, and its progress ({@link HttpResponse}). Filters get a
 * {@link ServerRequest} and fill in what it requests; verbs get a {@link ResourceRequest}, in which all of that is known.
 *
 * @module
 */
import { ANONYMOUS, type Identity } from "../../auth/contract.ts";
import { NO_REQUEST, type RequestInfo } from "../../meta/request-info.ts";
import { WriteTrace } from "../../registry/index.ts";
import type { Caller, DeleteOptions, PatchOptions, Resource, Target, WriteOptions } from "../../registry/contract.ts";
import type { ApiObject, ResourceDefinition } from "../../schema/definition.ts";
import { type ActivityCount, pauseCount } from "../../util/activity.ts";
import type { Value } from "../../value/value.ts";
import { type ProtobufKind, hasProtobuf } from "../../wire/protobuf/index.ts";
import type { Exchange } from "./exchange.ts";
import { IncomingRequest } from "./incoming.ts";
import type { PartRecorder } from "./recorder.ts";
import { HttpResponse, type ResponseParts } from "./response.ts";

/** The options of a verb that writes. */
export type SentOptions = WriteOptions | PatchOptions | DeleteOptions;

/** Notifies filters of a request while its verb runs; `filters/contract.ts` says when. */
export interface RequestObserver {
  decoded(body: Value | undefined, options: SentOptions | undefined): void | Promise<void>;
  handled(): void | Promise<void>;
}

/** A request on its way through the filters. Each member is set once, by the filter that finds it out. */
export class ServerRequest {
  readonly incoming: IncomingRequest;
  readonly response: HttpResponse;
  /** Set by the filter `read path`. */
  info: RequestInfo = NO_REQUEST;
  /** Whether a request without a credential is allowed; set with {@link ServerRequest.info}. */
  isPublic = false;
  /** Whether no authorizer is asked; set with {@link ServerRequest.info}. */
  isOpen = false;
  /** Whether its query is a secret; set with {@link ServerRequest.info}. */
  hidesQuery = false;
  /** Set by the filter `authenticate`. */
  identity: Identity = ANONYMOUS;
  /** How long that took, in ms. */
  authenticationMillis = 0;
  /** The user who sent it in the name of another one; set by the filter `impersonate`. */
  sender: Identity | undefined = undefined;
  /** Whether the policy of audit has been evaluated; set by the filter `audit`. */
  isAudited = false;
  /** The template of the path, where that is a route and no resource. */
  route: string | undefined = undefined;
  /** Set by the filter `find`. */
  resource: Resource | undefined = undefined;
  /** Makes the response; set with the route or the resource. */
  handle: (() => void | Promise<void>) | undefined = undefined;
  /** Observes the verb, where a filter wants that. */
  observer: RequestObserver | undefined = undefined;
  /** Records a write that is a part of it, undefined where that is not recorded; by the filter `audit`. */
  recordPart: ((info: RequestInfo) => PartRecorder | undefined) | undefined = undefined;
  /** Counts the request as running, where that is counted. */
  counted: ActivityCount | undefined = undefined;
  /** The decoded body and the options of a write, where a filter observes the verb. */
  body: Value | undefined = undefined;
  options: SentOptions | undefined = undefined;

  constructor(server: ResponseParts, exchange: Exchange) {
    this.incoming = new IncomingRequest(exchange, server.clock.steady());
    this.response = new HttpResponse(server, this.incoming, exchange);
  }

  /**
   * Stops counting it as running, together with the caller of this process that waits for it, until the result is disposed: it waits for
   * the clock, or for everything else to be idle.
   */
  park(): Disposable {
    const { counted } = this;
    if (!counted) return pauseCount();
    counted.pause();
    return { [Symbol.dispose]: () => counted.resume() };
  }
}

/** What a request asks of a resource, as its verb gets it; only its response changes. */
export class ResourceRequest {
  readonly incoming: IncomingRequest;
  readonly response: HttpResponse;
  readonly info: RequestInfo;
  readonly identity: Identity;
  readonly sender: Identity | undefined;
  readonly resource: Resource;
  readonly observer: RequestObserver | undefined;
  /** Records the work of admission, where a write requests an explanation. */
  readonly trace: WriteTrace | undefined;

  constructor({ incoming, response, info, identity, sender, observer }: ServerRequest, resource: Resource) {
    this.incoming = incoming;
    this.response = response;
    this.info = info;
    this.identity = identity;
    this.sender = sender;
    this.resource = resource;
    this.observer = observer;
    const isExplained = incoming.sent.method !== "GET" && incoming.query.flag("explain");
    this.trace = isExplained ? new WriteTrace(response.server.clock) : undefined;
  }

  /** The definition of the kind of bodies and responses: that of a subresource may differ from its object's. */
  get definition(): ResourceDefinition {
    const { definition } = this.resource;
    const { subresource } = this.info;
    return (subresource === "" ? undefined : definition.subresources?.[subresource]?.takes) ?? definition;
  }

  /** The kind of bodies and responses where that has a protobuf form. */
  get protobufKind(): ProtobufKind | undefined {
    const kind = this.definition;
    return hasProtobuf(kind) ? kind : undefined;
  }

  /** The namespace of the requested objects; empty for objects of the cluster, namespaces themselves included. */
  get namespace(): string {
    return this.resource.definition.scope === "Namespaced" ? this.info.namespace : "";
  }

  /** The object that the request is for. */
  get target(): Target {
    const { name, subresource } = this.info;
    return { namespace: this.namespace, name, subresource };
  }

  /** The user, as the registry sees it. */
  get caller(): Caller {
    const { incoming, response } = this;
    const { recorder } = response;
    const ifMatch = incoming.sent.header("if-match");
    const recorded = recorder && {
      sent: (object: ApiObject) => recorder.sent(object),
      note: (key: string, value: string, level?: "Request") => recorder.note(key, value, level),
      storing: (done: Promise<unknown>) => recorder.spendWhile("etcd", done),
    };
    const traced = this.trace && { trace: this.trace };
    const spanned = response.span && { span: response.span };
    const version = ifMatch === "" ? undefined : { ifMatch };
    return { ...this.identity, userAgent: incoming.userAgent, ...version, ...recorded, ...traced, ...spanned };
  }
}
