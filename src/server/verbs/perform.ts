import type { WriteResult } from "../../registry/contract.ts";
import type { ServerRequest, Taps } from "../request/request.ts";

/**
 * Does what a request asks for, once all of it has been read: filters that want to are told before, and after, when it is
 * done and not answered yet.
 */
export function perform<T>(request: ServerRequest, work: () => Promise<T>): Promise<T> {
  request.isRead();
  return request.taps ? between(request.taps, request, work) : work();
}

async function between<T>(taps: Taps, request: ServerRequest, work: () => Promise<T>): Promise<T> {
  await taps.decoded(request);
  const result = await work();
  request.changed = (result as Partial<WriteResult> | undefined)?.changed ?? false;
  await taps.handled(request);
  return result;
}
