import { expect, test } from "vitest";
import { workerCalls } from "./calls.ts";
import { editorWorker } from "./in-worker.ts";
import type { WorkerRequest } from "./protocol.ts";

/** A worker of this thread, which fails when a text says so. */
class FakeWorker extends EventTarget {
  readonly #calls = workerCalls() as unknown as Record<string, (...given: readonly unknown[]) => unknown>;
  terminated = false;

  postMessage({ id, call, with: given }: WorkerRequest): void {
    queueMicrotask(() => {
      if (this.terminated) return;
      if (given[0] === "fail") this.dispatchEvent(new Event("error"));
      else this.dispatchEvent(new MessageEvent("message", { data: { id, result: this.#calls[call]!(...given) } }));
    });
  }

  terminate(): void {
    this.terminated = true;
  }
}

test("a worker that has failed is started again, with the schemas that it knew", async () => {
  const started: FakeWorker[] = [];
  const worker = editorWorker(() => {
    started.push(new FakeWorker());
    return started.at(-1) as unknown as Worker;
  });
  const schema = { root: "a", definitions: { a: { type: "object", properties: { kind: { type: "string" } } } } };
  await worker.schema("v1", "Boat", schema);
  const text = "apiVersion: v1\nkind: Boat\n";
  const problems = await worker.problems(text);
  expect(problems.map(({ message }) => message)).toEqual([expect.stringMatching(/^unknown field apiVersion/)]);
  const waiting = worker.heads("fail");
  await expect(waiting).rejects.toThrow("could not be started, or has failed");
  expect(await worker.problems(text)).toEqual(problems);
  expect(started.map(({ terminated }) => terminated)).toEqual([true, false]);
  const open = worker.heads(text);
  worker.close();
  await expect(open).rejects.toThrow("the editor was closed");
});
