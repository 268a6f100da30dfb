import type { Value } from "../value/value.ts";

/** The address of a webhook. */
export interface HookAddress {
  /** `https://HOST[:PORT]/PATH[?QUERY]`. */
  readonly url: string;
  /** The name in its certificate, where it differs from the host of the URL. */
  readonly serverName?: string;
  /** The authorities of its certificate, PEM; those that this machine trusts by default. */
  readonly ca?: string;
}

/** Calls webhooks. */
export interface Hooks {
  /**
   * Sends a JSON text and resolves to the JSON value of the response. Rejects when there is no valid one within `millis`, and
   * with the reason of the signal when that is aborted before. The call is a part of the {@link CurrentSpan}.
   */
  call(address: HookAddress, body: string, millis: number, signal?: AbortSignal): Promise<Value>;
  /** Ends the connections. */
  close(): void;
}
