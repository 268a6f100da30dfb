import type { WriteResult } from "../../registry/contract.ts";
import type { Value } from "../../value/value.ts";
import { type Span, inSpan } from "../../util/span.ts";
import type { RequestObserver, ResourceRequest, SentOptions } from "../request/request.ts";

/** Runs a verb that reads, once its options have been read; filters may observe it. */
export function read<T>(request: ResourceRequest, work: () => Promise<T>): Promise<T> {
  const { response, observer } = request;
  response.isRead();
  const { span } = response;
  const run = span?.isRecorded ? (): Promise<T> => spannedRead(request, span, work) : work;
  return observer ? observedRead(observer, run) : run();
}

const READS: Readonly<Record<string, string>> = { get: "cacher.Get", list: "cacher.GetList", watch: "cacher.Watch" };

/** Reads within a span, and begins the span for the encoding of the result. */
async function spannedRead<T>(
  { info, response, resource }: ResourceRequest,
  span: Span,
  work: () => Promise<T>,
): Promise<T> {
  const attributes = { type: resource.definition.plural, group: resource.definition.group };
  const result = await inSpan(span, READS[info.verb] ?? "Read", () => attributes, work);
  if (info.verb !== "watch") response.serialization = span.start("SerializeObject");
  return result;
}

async function observedRead<T>(observer: RequestObserver, work: () => Promise<T>): Promise<T> {
  await observer.decoded(undefined, undefined);
  const result = await work();
  await observer.handled();
  return result;
}

/** Runs a verb that writes, once all of the request has been read; filters may observe it. */
export async function write<T extends Pick<WriteResult, "changed" | "warnings">>(
  { info, response, observer }: ResourceRequest,
  body: Value | undefined,
  options: SentOptions,
  work: () => Promise<T>,
): Promise<T> {
  response.isRead();
  response.recorder?.read(info.verb, body);
  if (observer) await observer.decoded(body, options);
  const result = await work();
  if (response.span?.isRecorded) response.serialization = response.span.start("SerializeObject");
  response.changed = result.changed;
  response.warn(result.warnings);
  if (observer) await observer.handled();
  return result;
}
