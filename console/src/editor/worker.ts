/**
 * The worker of the editor: it reads texts, so that the page is never held by a large one.
 *
 * @module
 */
import { workerCalls } from "./calls.ts";
import type { WorkerRequest, WorkerResponse } from "./protocol.ts";

const calls = workerCalls();

addEventListener("message", ({ data }: MessageEvent<WorkerRequest>) => {
  const { id, call, with: given } = data;
  let response: WorkerResponse;
  try {
    const result = (calls[call] as (...given: readonly unknown[]) => unknown)(...given);
    response = { id, result };
  } catch (error) {
    response = { id, error: error instanceof Error ? error.message : String(error) };
  }
  postMessage(response);
});
