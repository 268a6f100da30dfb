/** How a document is fetched. */
export interface FetchOptions {
  /** The authorities of the certificate of the server, PEM; without it those of this machine. */
  readonly ca?: string | undefined;
  /** The bearer token of the request; no error contains it. */
  readonly token?: string | undefined;
}

/** Fetches a document over HTTPS. Rejects for any status but 200, also for redirects, for too long responses, and at a timeout. */
export type FetchDocument = (url: string, options: FetchOptions) => Promise<string>;
