/**
 * Webhooks of a test: functions that the server calls as it would call a program over HTTPS.
 *
 * A review is encoded in the same JSON as over the network, and its time is that of the cluster. Webhooks at other addresses
 * are called over the network.
 *
 * @module
 */
import { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from "../client/kinds/index.ts";
import { type ApiObject, type Client, type JsonPatchOperation, type Kind, isStatus } from "../client/index.ts";
import { type Hooks, openHooks } from "../hooks/hooks.ts";
import { withTimeout } from "../hooks/response.ts";
import { pauseCount } from "../util/activity.ts";
import type { Clock } from "../util/clock.ts";
import { decodeJson } from "../value/json.ts";
import { formatPointer } from "../value/pointer.ts";
import { type Value, equal } from "../value/value.ts";
import type { Fault } from "./fault.ts";

/** The request of a review, as a webhook gets it. */
export interface WebhookRequest<T extends ApiObject = ApiObject> {
  readonly uid: string;
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly resource: { readonly group: string; readonly version: string; readonly resource: string };
  readonly subResource?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly operation: "CREATE" | "UPDATE" | "DELETE" | "CONNECT";
  readonly userInfo: { readonly username: string; readonly uid?: string; readonly groups?: readonly string[] };
  /** The new object; null for a delete. */
  readonly object: T | null;
  /** The stored object; null for a create. */
  readonly oldObject: T | null;
  readonly dryRun: boolean;
  readonly options: Readonly<Record<string, unknown>> | null;
}

/** The response of a webhook; undefined allows the request. */
export interface WebhookResponse<T extends ApiObject = ApiObject> {
  /** Whether the request is allowed; true by default. */
  readonly allowed?: boolean;
  /** Why it is refused, with the code and the reason of the response. */
  readonly message?: string;
  readonly code?: number;
  readonly reason?: string;
  readonly warnings?: readonly string[];
  readonly auditAnnotations?: Readonly<Record<string, string>>;
  /** A JSON patch, or the whole object as it shall be; of a mutating webhook. */
  readonly patch?: readonly JsonPatchOperation[];
  readonly object?: T;
}

/** A webhook as a function. What it throws is a failed call. */
export type WebhookHandler<T extends ApiObject = ApiObject> = (
  request: WebhookRequest<T>,
) => WebhookResponse<T> | void | Promise<WebhookResponse<T> | void>;

type Configured = NonNullable<MutatingWebhookConfiguration["webhooks"]>[number];

/** The requests for which a webhook is called, and how. */
export interface WebhookOptions<T extends ApiObject = ApiObject> extends Partial<
  Omit<Configured, "name" | "clientConfig" | "rules">
> {
  /** Its name, a domain name of at least three parts; also that of the configuration. */
  readonly name: string;
  /** Whether it may change objects; false by default. */
  readonly mutates?: boolean;
  /** The kinds of the objects that it is called for; `rules` for anything else. */
  readonly for?: Kind<T> | readonly Kind<T>[];
  /** CREATE and UPDATE by default. */
  readonly operations?: readonly string[];
  readonly rules?: Configured["rules"];
}

/** A fault of a webhook: a delay, a failure or a lost response as for requests, or one of {@link refuses} and {@link lies}. */
export type WebhookFault =
  | Fault
  | { readonly name: string; readonly response: "refuse" | "lie"; readonly message: string };

/** Makes a webhook refuse the request. */
export const refuses = (message = "an injected fault"): WebhookFault => ({
  name: "refuses",
  response: "refuse",
  message,
});

/** Makes a webhook respond to another request than that of the review. */
export const lies = (): WebhookFault => ({ name: "lies", response: "lie", message: "" });

/** A webhook of a cluster; disposal removes its configuration. */
export interface TestWebhook extends AsyncDisposable {
  /** The requests that it was called with, the oldest first. */
  readonly calls: readonly WebhookRequest[];
  /** Applies a fault to the next calls; one by default. */
  next(fault: WebhookFault, times?: number): void;
}

/** A handler with its calls and faults. */
class Registered {
  readonly calls: WebhookRequest[] = [];
  readonly handler: WebhookHandler;
  readonly #faults: WebhookFault[] = [];

  constructor(handler: WebhookHandler) {
    this.handler = handler;
  }

  next(fault: WebhookFault, times: number): void {
    for (let n = 0; n < times; n++) this.#faults.push(fault);
  }

  /** Responds to a review; `signal` is aborted when its time is over. */
  async respond(review: Review, clock: Clock, signal: AbortSignal): Promise<Value> {
    const { request, ...head } = review;
    this.calls.push(request);
    const fault = this.#faults.shift();
    if (fault && "play" in fault) await play(fault, request, clock, signal);
    const response =
      fault && "response" in fault ? faulty(fault, request) : responseOf(request, await this.handler(request));
    return { ...head, response } as unknown as Value;
  }
}

interface Review {
  readonly apiVersion: string;
  readonly kind: string;
  readonly request: WebhookRequest;
}

const DOMAIN = "webhooks.test";

/** The webhooks of a cluster and of its forks: the functions by the host of their address. */
export class WebhookBook {
  readonly #registered: Map<string, Registered>;

  constructor(registered: ReadonlyMap<string, Registered> = new Map()) {
    this.#registered = new Map(registered);
  }

  /** The webhooks of a fork: it has the functions of this cluster, and others of its own. */
  fork(): WebhookBook {
    return new WebhookBook(this.#registered);
  }

  /** Creates the configuration of a webhook that calls a function. */
  async add<T extends ApiObject>(
    client: Client,
    options: WebhookOptions<T>,
    handler: WebhookHandler<T>,
  ): Promise<TestWebhook> {
    const { name } = options;
    const host = `${name}.${DOMAIN}`;
    const registered = new Registered((request) => handler(request as WebhookRequest<T>));
    this.#registered.set(host, registered);
    const kind = options.mutates ? MutatingWebhookConfiguration : ValidatingWebhookConfiguration;
    await client.resource(kind).create({ metadata: { name }, webhooks: [webhookOf(options, `https://${host}/`)] });
    return {
      calls: registered.calls,
      next: (fault, times = 1) => registered.next(fault, times),
      [Symbol.asyncDispose]: async () => {
        this.#registered.delete(host);
        const gone = client.resource(kind).delete({ name });
        await gone.catch((error: unknown) => {
          if (!isStatus(error, "NotFound")) throw error;
        });
      },
    };
  }

  /** Calls the functions, and all other webhooks over the network. */
  hooks(clock: Clock): Hooks {
    let others: Hooks | undefined;
    return {
      call: (address, body, millis, outer) => {
        const registered = this.#registered.get(new URL(address.url).host);
        if (!registered) return (others ??= openHooks({ clock })).call(address, body, millis, outer);
        const review = decodeJson(Buffer.from(body)).value as unknown as Review;
        return withTimeout(clock, millis, "a response", (signal) => registered.respond(review, clock, signal), outer);
      },
      close: () => others?.close(),
    };
  }
}

function webhookOf<T extends ApiObject>(options: WebhookOptions<T>, url: string): Configured {
  const {
    name,
    mutates: _mutates,
    for: kinds = [],
    operations = ["CREATE", "UPDATE"],
    rules = [],
    ...members
  } = options;
  const own = ([kinds].flat() as readonly Kind[]).map(({ group, version, plural }) => ({
    operations,
    apiGroups: [group],
    apiVersions: [version],
    resources: [plural],
  }));
  return {
    admissionReviewVersions: ["v1"],
    sideEffects: "None",
    ...members,
    name,
    clientConfig: { url },
    rules: [...own, ...rules],
  };
}

/** Applies a fault of requests, before the webhook is called. */
async function play(
  { play: fault, name }: Fault,
  request: WebhookRequest,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  const { kind, name: object = "" } = request;
  switch (fault.act) {
    case "wait":
      return pause(clock, fault.millis, signal);
    case "drop":
    case "crash":
      throw new Error("socket hang up");
    case "refuse":
      throw new Error(
        `expected the status 200, got ${fault.error({ group: kind.group, plural: kind.kind, kind: kind.kind }, object).code}`,
      );
    default:
      throw new TypeError(`${name} is no fault of a webhook`);
  }
}

/** Waits, which does not count as running work. */
async function pause(clock: Clock, millis: number, signal: AbortSignal): Promise<void> {
  using _parked = pauseCount();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = Number.isFinite(millis) ? clock.after(millis, resolve) : undefined;
  signal.addEventListener("abort", () => {
    timer?.cancel();
    reject(signal.reason as Error);
  });
  await promise;
}

function faulty({ response, message }: Exclude<WebhookFault, Fault>, { uid }: WebhookRequest): object {
  if (response === "lie") return { uid: `not-${uid}`, allowed: true };
  return { uid, allowed: false, status: { message } };
}

/** The response of a review. */
function responseOf(request: WebhookRequest, result: WebhookResponse | void): object {
  const { allowed = true, message, code, reason, warnings, auditAnnotations, object, patch } = result ?? {};
  const operations = patch ?? (object ? patchOf(request.object, object) : []);
  const status = Object.entries({ message, code, reason }).filter(([, value]) => value !== undefined);
  return {
    uid: request.uid,
    allowed,
    ...(status.length > 0 ? { status: Object.fromEntries(status) } : {}),
    ...(warnings ? { warnings } : {}),
    ...(auditAnnotations ? { auditAnnotations } : {}),
    ...(operations.length > 0 ? { patchType: "JSONPatch", patch: base64(JSON.stringify(operations)) } : {}),
  };
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");

/** The JSON patch from an object to another: its members, those of the metadata one by one. */
function patchOf(before: ApiObject | null, after: ApiObject): readonly JsonPatchOperation[] {
  const metadata = membersOf(before?.metadata, after.metadata).map((one) => ({ ...one, path: `/metadata${one.path}` }));
  return [...metadata, ...membersOf(before ?? undefined, after).filter(({ path }) => path !== "/metadata")];
}

function membersOf(before: object | undefined, after: object): readonly JsonPatchOperation[] {
  const [old, wanted] = [before ?? {}, after] as Readonly<Record<string, Value | undefined>>[];
  return [...new Set([...Object.keys(old!), ...Object.keys(wanted!)])].flatMap((name): JsonPatchOperation[] => {
    const [from, to] = [old![name], wanted![name]];
    const path = formatPointer([name]);
    if (to === undefined) return from === undefined ? [] : [{ op: "remove", path }];
    return from !== undefined && equal(from, to) ? [] : [{ op: "add", path, value: to }];
  });
}
