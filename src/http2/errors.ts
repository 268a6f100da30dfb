/** A violation that ends the connection (RFC 9113 5.4.1); one that ends a stream is handled by a RST_STREAM where it is found. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
  /** The code for GOAWAY, one of `ERROR`. */
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}
