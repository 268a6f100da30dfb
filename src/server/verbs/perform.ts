import type { WriteResult } from "../../registry/contract.ts";
import type { Value } from "../../value/value.ts";
import type { RequestObserver, ResourceRequest, SentOptions } from "../request/request.ts";

/** Runs a verb that reads, once its options have been read; filters may observe it. */
export function read<T>({ response, observer }: ResourceRequest, work: () => Promise<T>): Promise<T> {
  response.isRead();
  return observer ? observedRead(observer, work) : work();
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
  response.changed = result.changed;
  response.warn(result.warnings);
  if (observer) await observer.handled();
  return result;
}
