import { inPageSlices } from "../../ui/sliced.ts";
import type { TextFile } from "../../ui/file-drop.tsx";
import { openedFrom } from "./pieces.ts";
import type { Opened } from "./read.ts";

/** What the worker sends back for a {@link TextFile}: what the file has, in pieces, or the message of its error. */
export type FileResult = { readonly pieces: readonly string[] } | { readonly error: string };

/** The longest time that a file may take. */
const TIMEOUT_MS = 10_000;

/** Starts the program of the worker. */
const program = (): Worker => new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });

/** Reads a finding or a report in a worker, which is ended. @throws {Error} that names the file, and what is wrong with it */
export async function readFile(file: TextFile, start: () => Worker = program): Promise<Opened> {
  const worker = start();
  const read = Promise.withResolvers<readonly string[]>();
  const fail = (message: string): void => read.reject(new Error(`${file.name}: ${message}`));
  const timer = setTimeout(() => fail("it takes too long to read"), TIMEOUT_MS);
  worker.addEventListener("message", ({ data }: MessageEvent<FileResult>) => {
    if ("pieces" in data) read.resolve(data.pieces);
    else fail(data.error);
  });
  worker.addEventListener("error", () => fail("the worker that reads it could not be started, or has failed"));
  worker.postMessage(file);
  try {
    return await inPageSlices(openedFrom(await read.promise));
  } finally {
    clearTimeout(timer);
    worker.terminate();
  }
}
