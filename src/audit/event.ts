/**
 * An audit event and its JSON: one line of `audit.k8s.io/v1` (AUDIT-12..15).
 *
 * @module
 */
import type { Identity } from "../auth/contract.ts";
import type { Level, Stage } from "./policy.ts";
import { memoizeLast } from "../util/once.ts";

/** The object of a request (AUDIT-14). Empty members are left out of the JSON. */
export interface EventObject {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly apiGroup: string;
  readonly apiVersion: string;
  readonly resourceVersion: string;
  readonly subresource: string;
}

/** The status of the response (AUDIT-15); more than the code where the response is a Status. */
export interface EventStatus {
  readonly status?: string | undefined;
  readonly message?: string | undefined;
  readonly reason?: string | undefined;
  readonly details?: object | undefined;
  readonly code: number;
}

/** The part that all events of a request share. */
export interface EventHead {
  readonly level: Level;
  readonly auditID: string;
  /** Path and query as they were sent. */
  readonly requestURI: string;
  readonly verb: string;
  /** Undefined where the user is not known (AUDIT-11). */
  readonly user: Identity | undefined;
  readonly sourceIPs: readonly string[];
  readonly userAgent: string;
  /** Milliseconds since the epoch, with a fraction. */
  readonly received: number;
}

/** The part that belongs to one stage of a request. */
export interface EventStage {
  readonly stage: Stage;
  /** Milliseconds since the epoch, with a fraction. */
  readonly at: number;
  readonly impersonated?: Identity | undefined;
  readonly object?: EventObject | undefined;
  readonly status?: EventStatus | undefined;
  /** JSON on one line. */
  readonly requestObject?: string | undefined;
  /** JSON on one line. */
  readonly responseObject?: string | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}

/** An event; its JSON is computed at the first read. */
export class AuditEvent {
  readonly head: EventHead;
  readonly stage: EventStage;
  #json: string | undefined;

  constructor(head: EventHead, stage: EventStage) {
    this.head = head;
    this.stage = stage;
  }

  /** The event as JSON, without a line end. */
  get json(): string {
    return (this.#json ??= textOf(this.head, this.stage));
  }

  /** The event without its objects, with an annotation that says so (AUDIT-26). */
  truncated(): AuditEvent {
    const { requestObject: _sent, responseObject: _response, ...stage } = this.stage;
    const annotations = { ...stage.annotations, "audit.k8s.io/truncated": "true" };
    return new AuditEvent(this.head, { ...stage, annotations });
  }
}

function textOf(head: EventHead, stage: EventStage): string {
  const { object, impersonated, status, requestObject, responseObject, annotations } = stage;
  const { start, request, user, from, received } = headText(head);
  let text = `${start},"stage":"${stage.stage}"${request},"user":${user}`;
  if (impersonated) text += `,"impersonatedUser":${userText(impersonated)}`;
  text += from;
  if (object) text += `,"objectRef":${objectText(object)}`;
  if (status) text += `,"responseStatus":${statusText(status)}`;
  if (requestObject !== undefined) text += `,"requestObject":${requestObject}`;
  if (responseObject !== undefined) text += `,"responseObject":${responseObject}`;
  const at = stage.at === head.received ? received : timeText(stage.at);
  text += `,"requestReceivedTimestamp":"${received}","stageTimestamp":"${at}"`;
  if (annotations) text += `,"annotations":${sortedText(annotations)}`;
  return `${text}}`;
}

/** The pieces of JSON that all events of a request share. */
interface HeadText {
  readonly start: string;
  readonly request: string;
  readonly user: string;
  readonly from: string;
  readonly received: string;
}

/** Keeps the last result: the events of a request often follow one another. */
const headText = memoizeLast((head: EventHead): HeadText => {
  const { sourceIPs, userAgent } = head;
  const ips = sourceIPs.length === 0 ? "" : `,"sourceIPs":${JSON.stringify(sourceIPs)}`;
  return {
    start: `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"${head.level}","auditID":${quoted(head.auditID)}`,
    request: `,"requestURI":${quoted(head.requestURI)},"verb":${quoted(head.verb)}`,
    user: userText(head.user),
    from: userAgent === "" ? ips : `${ips},"userAgent":${quoted(userAgent)}`,
    received: timeText(head.received),
  };
});

const PLAIN = /^[\w!#-[\]-~ ]*$/;

/** A JSON string; most texts need no escapes. */
const quoted = (text: string): string => (PLAIN.test(text) ? `"${text}"` : JSON.stringify(text));

/** JSON of users; many requests share one identity object. */
const users = new WeakMap<Identity, string>();

function userText(identity: Identity | undefined): string {
  if (!identity) return "{}";
  let text = users.get(identity);
  if (text === undefined) {
    const { user, uid, groups, extra } = identity;
    const hasExtra = extra !== undefined && Object.keys(extra).length > 0;
    text = JSON.stringify({
      username: user === "" ? undefined : user,
      uid: uid === "" ? undefined : uid,
      groups: groups.length === 0 ? undefined : groups,
      extra: hasExtra ? extra : undefined,
    });
    users.set(identity, text);
  }
  return text;
}

function objectText(object: EventObject): string {
  let text = "";
  for (const member of OBJECT_MEMBERS) {
    const value = object[member];
    if (value !== "") text += `${text === "" ? "{" : ","}"${member}":${quoted(value)}`;
  }
  return text === "" ? "{}" : `${text}}`;
}

const OBJECT_MEMBERS = [
  "resource",
  "namespace",
  "name",
  "uid",
  "apiGroup",
  "apiVersion",
  "resourceVersion",
  "subresource",
] as const;

function statusText({ status, message, reason, details, code }: EventStatus): string {
  if (status === undefined) return `{"metadata":{},"code":${code}}`;
  return JSON.stringify({
    metadata: {},
    status: status === "" ? undefined : status,
    message: message === "" ? undefined : message,
    reason: reason === "" ? undefined : reason,
    details,
    code,
  });
}

function sortedText(annotations: Readonly<Record<string, string>>): string {
  const entries = Object.entries(annotations).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, value]) => `${quoted(key)}:${quoted(value)}`).join(",")}}`;
}

/** The text of a second up to the dot of its fraction; most events share it with the event before. */
const secondText = memoizeLast((second: number) => new Date(second * 1000).toISOString().slice(0, -4));

/** RFC 3339 with microseconds. */
function timeText(millis: number): string {
  const second = Math.floor(millis / 1000);
  const micros = Math.floor((millis - second * 1000) * 1000);
  return `${secondText(second)}${String(micros).padStart(6, "0")}Z`;
}

/** The line of an event in the format of `--audit-log-format legacy` (AUDIT-24). */
export function legacyText({ head, stage }: AuditEvent): string {
  const { user } = head;
  const { impersonated, object, status } = stage;
  const groups = user && user.groups.length > 0 ? list(user.groups) : "<none>";
  const members = {
    id: head.auditID,
    stage: stage.stage,
    ip: head.sourceIPs[0] ?? "<unknown>",
    method: head.verb,
    user: user?.user || "<none>",
    groups,
    as: impersonated?.user ?? "<self>",
    asgroups: impersonated ? list(impersonated.groups) : "<lookup>",
    "user-agent": head.userAgent,
    namespace: object?.namespace || "<none>",
    uri: head.requestURI,
    response: status ? String(status.code) : "<deferred>",
  };
  const text = Object.entries(members).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return `${timeText(head.received)} AUDIT: ${text.join(" ")}`;
}

const list = (names: readonly string[]): string => names.map((name) => JSON.stringify(name)).join(",");
