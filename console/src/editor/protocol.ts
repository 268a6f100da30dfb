/**
 * The requests of the page to the worker of the editor, and its responses.
 *
 * @module
 */
import type { DocumentHead, Problem } from "./documents.ts";
import type { Intent } from "./intent.ts";
import type { KindSchema } from "./schema.ts";

/** What the worker can do; each takes the text first. */
export interface WorkerCalls {
  /** What is wrong with a text; documents whose schema was not sent are only read. */
  problems(text: string): readonly Problem[];
  /** What the documents of a text are. */
  heads(text: string): readonly DocumentHead[];
  /** Where fields stand in the document at this position. */
  locate(text: string, fields: readonly string[], document: number): readonly (readonly [number, number] | undefined)[];
  /** The body of an apply; the leaves of the report of ownership are JSON, since messages carry no classes. @throws {Error} if the text is no object */
  intent(text: string, leaves: string, manager: string, schema: KindSchema | undefined): Intent;
  /** The text with operations of RFC 6902, which are JSON, comments kept, and in it the resourceVersion if it is given. */
  change(text: string, patch: string, resourceVersion: string | undefined): string;
  /** The documents of a text, each as JSON; `file` is its name for messages. @throws {ParseFailure} that names the document */
  documents(text: string, file: string): readonly string[];
  /** Makes a schema known for {@link problems}. */
  schema(apiVersion: string, kind: string, schema: KindSchema): void;
}

/** A call. */
export interface WorkerRequest {
  readonly id: number;
  readonly call: keyof WorkerCalls;
  readonly with: readonly unknown[];
}

/** Its result, or the message of its error. */
export interface WorkerResponse {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: string;
}
