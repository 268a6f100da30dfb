/**
 * Sessions with programs of objects, as `exec` and `attach` begin them.
 *
 * @module
 */

/** The client of a session. */
export interface SessionStreams {
  /** The bytes from the client, until it closes its side; undefined where it sends none. No more is read from the client than is consumed. */
  readonly stdin: AsyncIterable<Uint8Array> | undefined;
  /** The last announced size of the client's terminal in characters. */
  readonly size: { readonly width: number; readonly height: number } | undefined;
  /** Aborted when the client has disconnected, or may receive no more. */
  readonly signal: AbortSignal;
  /** Sends bytes; resolves when the client can receive more. Streams that the client has not requested are dropped. */
  readonly write: (stream: "stdout" | "stderr", bytes: Uint8Array) => Promise<void>;
}

/** A program with a session. */
export interface Session {
  /**
   * Runs a session until the program ends; resolves to its exit code.
   *
   * @throws Error where the program cannot be run, with a text for the client
   */
  run(streams: SessionStreams): Promise<number>;
}

/** The result of a connector: the output of a program, or a program with a session. */
export type Reached = AsyncIterable<Uint8Array> | Session;
