/**
 * An issuer of tokens in memory, for tests: its documents, its keys, and the URLs that were fetched.
 *
 * @module
 */
import { type CryptoKey, SignJWT, exportJWK, generateKeyPair } from "jose";
import type { ManualClock } from "../../../util/clock.ts";
import type { FetchDocument } from "../fetch-document.ts";

/** The URL of the issuer. */
export const ISSUER = "https://issuer.example";

interface Key {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
}

/** See the head of this file. */
export class TestProvider {
  readonly clock: ManualClock;
  /** The URLs that were fetched, in order. */
  readonly fetched: string[] = [];
  /** Further responses, by URL. */
  readonly documents = new Map<string, string>();
  isDown = false;
  discovery: object = { issuer: ISSUER, jwks_uri: `${ISSUER}/keys` };
  #keys: Key[] = [];

  private constructor(clock: ManualClock) {
    this.clock = clock;
  }

  static async create(clock: ManualClock, alg = "ES256"): Promise<TestProvider> {
    const provider = new TestProvider(clock);
    await provider.rotate("first", alg);
    return provider;
  }

  /** Signs with a new key from now on. */
  async rotate(kid: string, alg = "ES256"): Promise<void> {
    this.#keys = [{ kid, alg, ...(await generateKeyPair(alg, { extractable: true })) }];
  }

  /** Adds a key that signs nothing. */
  async add(kid: string, alg = "ES256"): Promise<void> {
    this.#keys.push({ kid, alg, ...(await generateKeyPair(alg, { extractable: true })) });
  }

  /** A token of claims, for an hour; members of the header that are null are left out. */
  async token(claims: Record<string, unknown> = {}, header: Record<string, unknown> = {}): Promise<string> {
    const [{ kid, alg, privateKey } = this.#missing()] = this.#keys;
    const now = this.clock.now() / 1000;
    const all = { iss: ISSUER, aud: "us", sub: "jane", exp: now + 3600, ...claims };
    const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
    const head = Object.entries({ alg, kid, ...header }).filter(([, value]) => value !== null);
    return new SignJWT(given).setProtectedHeader(Object.fromEntries(head) as { alg: string }).sign(privateKey);
  }

  readonly fetch: FetchDocument = async (url) => {
    this.fetched.push(url);
    if (this.isDown) throw new Error("expected the issuer to respond");
    if (url === `${ISSUER}/.well-known/openid-configuration`) return JSON.stringify(this.discovery);
    if (url === `${ISSUER}/keys`) {
      const keys = await Promise.all(
        this.#keys.map(async ({ kid, alg, publicKey }) => ({ ...(await exportJWK(publicKey)), kid, alg })),
      );
      return JSON.stringify({ keys });
    }
    const document = this.documents.get(url);
    if (document === undefined) throw new Error(`expected the status 200 of ${url}, got 404`);
    return document;
  };

  #missing(): never {
    throw new Error("expected a key");
  }
}
