import { badRequest, tooLarge } from "../../meta/status.ts";

/** What this file needs of a readable stream. */
interface Source {
  on(event: "data", listener: (chunk: Uint8Array) => void): unknown;
  on(event: "end" | "aborted" | "close", listener: () => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
  pause(): unknown;
}

const EMPTY = new Uint8Array(0);

/** The answer to a body that is over the limit (DEC-18). */
export const bodyTooLarge = (limit: number): Error => tooLarge(`limit is ${limit}`);

/**
 * Collects a body of at most `limit` bytes; what is over the limit is not kept. `announced` is the Content-Length, -1
 * when there is none: a body that announces too much is refused before it is read.
 *
 * @param onOver calls a listener when the request has been answered all the same; HTTP/1.1 tells its body nothing then
 */
export function readBody(
  source: Source,
  limit: number,
  announced: number,
  onOver?: (listener: () => void) => void,
): Promise<Uint8Array> {
  if (announced > limit) return Promise.reject(bodyTooLarge(limit));
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    let done = false;
    source.on("data", (chunk) => {
      if (done) return;
      length += chunk.length;
      if (length > limit) {
        done = true;
        source.pause();
        reject(bodyTooLarge(limit));
        return;
      }
      chunks.push(chunk);
    });
    source.on("end", () => {
      if (done) return;
      done = true;
      resolve(chunks.length === 1 ? chunks[0]! : chunks.length === 0 ? EMPTY : Buffer.concat(chunks, length));
    });
    const broken = (): void => {
      if (done) return;
      done = true;
      reject(badRequest("expected the whole body, the client broke off"));
    };
    source.on("aborted", broken);
    source.on("error", broken);
    source.on("close", broken);
    onOver?.(broken);
  });
}
