import { documentsOf, ParseFailure } from "./yaml-parse.ts";

/** What the page asks of the worker. */
export interface ParseRequest {
  readonly id: number;
  readonly text: string;
  readonly file: string;
}

/** What the worker answers. */
export type ParseResponse =
  | { readonly id: number; readonly documents: ReturnType<typeof documentsOf> }
  | { readonly id: number; readonly failure: string };

addEventListener("message", ({ data }: MessageEvent<ParseRequest>) => {
  const { id, text, file } = data;
  let response: ParseResponse;
  try {
    response = { id, documents: documentsOf(text, file) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    response = { id, failure: error instanceof ParseFailure ? message : `the text cannot be read: ${message}` };
  }
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- the page that made the worker is the only receiver
  postMessage(response);
});
