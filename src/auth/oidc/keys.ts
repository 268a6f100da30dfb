/**
 * The keys of an issuer (OIDC-7): fetched from the URL of its discovery document, and again when a signature does not verify.
 * Clients with such tokens cannot cause more than {@link BURST} fetches at once, and one each {@link INTERVAL_MS} from then
 * on. Tokens that wait share one fetch.
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
import { isJoseError } from "../jose-error.ts";
import { TokenRefused } from "../contract.ts";
import type { Clock } from "../../util/clock.ts";
import { errorText } from "../../util/cut-text.ts";
import type { FetchDocument } from "./fetch-document.ts";
import type { Issuer } from "./rules.ts";

const BURST = 3;
const INTERVAL_MS = 10_000;
/** The pauses between attempts until the first success. */
const RETRY_MS = { first: 1000, max: 10_000 };

/** The parts of {@link IssuerKeys}. */
export interface KeySources {
  readonly clock: Pick<Clock, "steady" | "after">;
  readonly fetch: FetchDocument;
  /** Called with the error of a fetch. */
  readonly onError: (error: unknown) => void;
}

/** Verifies tokens with the keys of an issuer. */
export class IssuerKeys implements Disposable {
  readonly #issuer: Pick<Issuer, "url" | "discovery" | "ca" | "algorithms">;
  readonly #sources: KeySources;
  #jwksUri: string | undefined;
  #keys: JWTVerifyGetKey | undefined;
  #reading: Promise<void> | undefined;
  /** The fetches that are allowed now, and when they were counted. */
  #allowed = BURST;
  #countedAt: number;
  #retry: { cancel(): void } | undefined;
  #isClosed = false;

  constructor(issuer: Pick<Issuer, "url" | "discovery" | "ca" | "algorithms">, sources: KeySources) {
    this.#issuer = issuer;
    this.#sources = sources;
    this.#countedAt = sources.clock.steady();
    this.#start(RETRY_MS.first);
  }

  /** Whether the keys have been fetched. */
  get isReady(): boolean {
    return this.#keys !== undefined;
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#retry?.cancel();
  }

  /** The payload of a token with a valid signature. @throws TokenRefused */
  async verify(token: string): Promise<Uint8Array> {
    const keys = this.#keys;
    if (!keys) throw new TokenRefused("oidc: the keys of the issuer have not been read yet");
    try {
      return (await this.#verifyWith(keys, token)).payload;
    } catch (error) {
      if (!needsOtherKeys(error) || !(await this.#refresh())) throw refused(error);
    }
    try {
      return (await this.#verifyWith(this.#keys ?? keys, token)).payload;
    } catch (error) {
      throw refused(error);
    }
  }

  async #verifyWith(keys: JWTVerifyGetKey, token: string): Promise<CompactVerifyResult> {
    const options = { algorithms: [...this.#issuer.algorithms] };
    try {
      return await compactVerify(token, keys, options);
    } catch (error) {
      if (!isJoseError(error, "ERR_JWKS_MULTIPLE_MATCHING_KEYS")) throw error;
      // Without a `kid` every key is tried.
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

  /** Fetches the keys again where the limit allows it; returns whether they were fetched. */
  async #refresh(): Promise<boolean> {
    if (!this.#reading && !this.#isAllowed()) return false;
    this.#reading ??= this.#read().finally(() => (this.#reading = undefined));
    try {
      await this.#reading;
      return true;
    } catch (error) {
      this.#sources.onError(error);
      return false;
    }
  }

  #isAllowed(): boolean {
    const now = this.#sources.clock.steady();
    const earned = Math.floor((now - this.#countedAt) / INTERVAL_MS);
    if (earned > 0) {
      this.#allowed = Math.min(BURST, this.#allowed + earned);
      this.#countedAt += earned * INTERVAL_MS;
    }
    if (this.#allowed === 0) return false;
    this.#allowed--;
    return true;
  }

  /** Fetches the keys for the first time, and retries until that succeeds. */
  #start(wait: number): void {
    this.#read().catch((error: unknown) => {
      if (this.#isClosed) return;
      this.#sources.onError(error);
      this.#retry = this.#sources.clock.after(wait, () => this.#start(Math.min(2 * wait, RETRY_MS.max)));
    });
  }

  async #read(): Promise<void> {
    const { url, discovery, ca } = this.#issuer;
    if (this.#jwksUri === undefined) {
      const document = JSON.parse(await this.#sources.fetch(discovery, { ca })) as Record<string, unknown> | null;
      if (document?.["issuer"] !== url)
        throw new Error(`expected ${discovery} to be of the issuer ${url}, found another one`);
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

/** Whether a signature may verify with other keys. */
const needsOtherKeys = (error: unknown): boolean =>
  isJoseError(error, "ERR_JWKS_NO_MATCHING_KEY") || isJoseError(error, "ERR_JWS_SIGNATURE_VERIFICATION_FAILED");

const refused = (error: unknown): TokenRefused =>
  new TokenRefused(`oidc: the signature of the token could not be verified: ${errorText(error)}`);
