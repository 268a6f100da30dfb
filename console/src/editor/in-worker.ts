import type { WorkerCalls, WorkerRequest, WorkerResponse } from "./protocol.ts";

/** The calls of the worker, each with a promise. */
export type AsyncCalls = {
  readonly [Name in keyof WorkerCalls]: (
    ...given: Parameters<WorkerCalls[Name]>
  ) => Promise<ReturnType<WorkerCalls[Name]>>;
};

/** A worker of the editor; it is started with the first call, and ended with {@link close}. */
export interface EditorWorker extends AsyncCalls {
  close(): void;
}

/** Starts the program of the worker. */
const program = (): Worker => new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });

/** Makes a worker. A call fails if the worker fails, or is closed meanwhile. */
export function editorWorker(start: () => Worker = program): EditorWorker {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let worker: Worker | undefined;
  let last = 0;
  /** The schemas that the worker was sent: a worker that is started after a failure gets them too. */
  const schemas = new Map<string, readonly unknown[]>();
  const fail = (message: string): void => {
    worker?.terminate();
    worker = undefined;
    for (const { reject } of waiting.values()) reject(new Error(message));
    waiting.clear();
  };
  const begin = (): Worker => {
    const started = start();
    started.addEventListener("message", ({ data }: MessageEvent<WorkerResponse>) => {
      const { id, result, error } = data;
      const call = waiting.get(id);
      waiting.delete(id);
      if (error === undefined) call?.resolve(result);
      else call?.reject(new Error(error));
    });
    started.addEventListener("error", () => fail("the worker that reads the text could not be started, or has failed"));
    for (const given of schemas.values())
      started.postMessage({ id: ++last, call: "schema", with: given } satisfies WorkerRequest);
    return started;
  };
  const ask =
    (call: keyof WorkerCalls) =>
    (...given: readonly unknown[]): Promise<unknown> => {
      worker ??= begin();
      if (call === "schema") schemas.set(`${String(given[0])}/${String(given[1])}`, given);
      const id = ++last;
      const response = Promise.withResolvers<unknown>();
      waiting.set(id, response);
      worker.postMessage({ id, call, with: given } satisfies WorkerRequest);
      return response.promise;
    };
  return {
    problems: ask("problems"),
    heads: ask("heads"),
    locate: ask("locate"),
    intent: ask("intent"),
    change: ask("change"),
    documents: ask("documents"),
    schema: ask("schema"),
    close: () => fail("the editor was closed"),
  } as unknown as EditorWorker;
}
