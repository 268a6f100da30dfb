/**
 * The keys of an issuer (OIDC-7): read from where its discovery document says, kept for good, and read again when a
 * signature does not verify with them. Whoever sends tokens that do not verify cannot make the server ask more often than
 * {@link BURST} times at once, and once in {@link PAUSE_MS} from then on; those who wait share one answer.
 *
 * @module
 */
import {
  type CompactVerifyResult,
  type CryptoKey,
  type JSONWebKeySet,
  type JWTVerifyGetKey,
  compactVerify,
  createLocalJWKSet,
} from "jose";
import { isCode } from "../jose-error.ts";
import { TokenRefused } from "../contract.ts";
import type { Clock } from "../../util/clock.ts";
import type { FetchDocument } from "./fetching.ts";
import type { Issuer } from "./rules.ts";

const BURST = 3;
const PAUSE_MS = 10_000;
/** How long to wait for the next try, while nothing could be read yet. */
const RETRY = { first: 1000, most: 10_000 };

/** What keys are read with. */
export interface KeySources {
  readonly clock: Pick<Clock, "steady" | "after">;
  readonly fetch: FetchDocument;
  /** Is told why keys could not be read. */
  readonly onError: (error: unknown) => void;
}

/** See the head of this file. */
export class IssuerKeys implements Disposable {
  readonly #issuer: Pick<Issuer, "url" | "discovery" | "ca" | "algorithms">;
  readonly #sources: KeySources;
  #jwksUri: string | undefined;
  #keys: JWTVerifyGetKey | undefined;
  #reading: Promise<void> | undefined;
  /** How often it may be asked at once, and when that was counted. */
  #tokens = BURST;
  #counted: number;
  #retry: { cancel(): void } | undefined;
  #isClosed = false;

  constructor(issuer: Pick<Issuer, "url" | "discovery" | "ca" | "algorithms">, sources: KeySources) {
    this.#issuer = issuer;
    this.#sources = sources;
    this.#counted = sources.clock.steady();
    this.#begin(RETRY.first);
  }

  /** Whether keys were read. */
  get isReady(): boolean {
    return this.#keys !== undefined;
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#retry?.cancel();
  }

  /** The payload of a token that is signed by one of the keys. @throws TokenRefused */
  async verify(token: string): Promise<Uint8Array> {
    const keys = this.#keys;
    if (!keys) throw new TokenRefused("oidc: the keys of the issuer have not been read yet");
    try {
      return (await this.#verifyWith(keys, token)).payload;
    } catch (error) {
      if (!isOfKeys(error)) throw refused(error);
      if (!(await this.#again())) throw refused(error);
    }
    try {
      return (await this.#verifyWith(this.#keys!, token)).payload;
    } catch (error) {
      throw refused(error);
    }
  }

  async #verifyWith(keys: JWTVerifyGetKey, token: string): Promise<CompactVerifyResult> {
    const options = { algorithms: [...this.#issuer.algorithms] };
    try {
      return await compactVerify(token, keys, options);
    } catch (error) {
      if (!isCode(error, "ERR_JWKS_MULTIPLE_MATCHING_KEYS")) throw error;
      // Without a `kid` any key may fit.
      let last: unknown = error;
      for await (const key of error as unknown as AsyncIterable<CryptoKey>) {
        try {
          return await compactVerify(token, key, options);
        } catch (failed) {
          last = failed;
        }
      }
      throw last;
    }
  }

  /** Reads the keys again, where that may be done now; answers whether they were read. */
  async #again(): Promise<boolean> {
    if (!this.#reading && !this.#take()) return false;
    this.#reading ??= this.#read().finally(() => (this.#reading = undefined));
    try {
      await this.#reading;
      return true;
    } catch (error) {
      this.#sources.onError(error);
      return false;
    }
  }

  #take(): boolean {
    const now = this.#sources.clock.steady();
    const earned = Math.floor((now - this.#counted) / PAUSE_MS);
    if (earned > 0) {
      this.#tokens = Math.min(BURST, this.#tokens + earned);
      this.#counted += earned * PAUSE_MS;
    }
    if (this.#tokens === 0) return false;
    this.#tokens--;
    return true;
  }

  /** Reads for the first time, and goes on trying. */
  #begin(wait: number): void {
    this.#read().catch((error: unknown) => {
      if (this.#isClosed) return;
      this.#sources.onError(error);
      this.#retry = this.#sources.clock.after(wait, () => this.#begin(Math.min(2 * wait, RETRY.most)));
    });
  }

  async #read(): Promise<void> {
    const { url, discovery, ca } = this.#issuer;
    if (this.#jwksUri === undefined) {
      const document = JSON.parse(await this.#sources.fetch(discovery, { ca })) as Record<string, unknown> | null;
      if (document?.["issuer"] !== url)
        throw new Error(`expected ${discovery} to be of the issuer ${url}, found another`);
      const jwksUri = document["jwks_uri"];
      if (typeof jwksUri !== "string" || URL.parse(jwksUri)?.protocol !== "https:") {
        throw new Error(`expected ${discovery} to have an https URL as jwks_uri`);
      }
      this.#jwksUri = jwksUri;
    }
    const set = JSON.parse(await this.#sources.fetch(this.#jwksUri, { ca })) as JSONWebKeySet;
    this.#keys = createLocalJWKSet(set);
  }
}

/** Whether other keys may make a signature good. */
const isOfKeys = (error: unknown): boolean =>
  isCode(error, "ERR_JWKS_NO_MATCHING_KEY") || isCode(error, "ERR_JWS_SIGNATURE_VERIFICATION_FAILED");

const refused = (error: unknown): TokenRefused =>
  new TokenRefused(`oidc: the signature of the token could not be verified: ${(error as Error).message}`);
