/** How a document is asked for. */
export interface FetchOptions {
  /** Who must have signed the certificate of its server, PEM; whoever this machine trusts where it is missing. */
  readonly ca?: string | undefined;
  /** The bearer token that is sent; it is in no error. */
  readonly token?: string | undefined;
}

/**
 * Reads a document over HTTPS. Rejects for any status but 200, so that redirects are not followed, for an answer that is
 * too long, and where none comes in time.
 */
export type FetchDocument = (url: string, options: FetchOptions) => Promise<string>;
