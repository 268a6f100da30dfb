/**
 * Conversations with programs behind objects, as `exec` and `attach` begin them.
 *
 * @module
 */

/** What the client of a conversation sends and gets. */
export interface SessionStreams {
  /** What the client sends, until it closes that; undefined where it sends nothing. Only what is taken is read from the client. */
  readonly stdin: AsyncIterable<Uint8Array> | undefined;
  /** The size of the client's terminal in characters, as it was told last. */
  readonly size: { readonly width: number; readonly height: number } | undefined;
  /** Aborted when the client is gone, or may have no more. */
  readonly signal: AbortSignal;
  /** Sends bytes; resolves when the client has room for more. What the client has not asked for is dropped. */
  readonly write: (stream: "stdout" | "stderr", bytes: Uint8Array) => Promise<void>;
}

/** A program that can be talked to. */
export interface Session {
  /**
   * Talks until the program ends; resolves to its exit code.
   *
   * @throws Error where the program cannot be run, with a text for the client
   */
  run(streams: SessionStreams): Promise<number>;
}

/** What a connector leads to: the output of a program, or a program that can be talked to. */
export type Reached = AsyncIterable<Uint8Array> | Session;
