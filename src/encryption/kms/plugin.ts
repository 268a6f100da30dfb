/**
 * What a plugin for keys can be asked (KMS v2, KEP-3299): it holds the key that never leaves it, and encrypts the seeds that
 * this server makes.
 *
 * @module
 */
import type { Bytes } from "../../storage/contract.ts";

/** How a plugin is, and which of its keys it encrypts with now. */
export interface PluginStatus {
  readonly version: string;
  /** `ok`, or what is wrong. */
  readonly healthz: string;
  readonly keyId: string;
}

/** What a plugin has made of a seed; all of it is stored with each value. */
export interface SealedSeed {
  readonly keyId: string;
  readonly ciphertext: Bytes;
  /** By domain name. */
  readonly annotations: ReadonlyMap<string, Bytes>;
}

/** A plugin; each call rejects with Error when it fails or takes too long. */
export interface KmsPlugin {
  status(): Promise<PluginStatus>;
  /** @param uid names the call in the plugin's log */
  encrypt(plain: Bytes, uid: string): Promise<SealedSeed>;
  decrypt(sealed: SealedSeed, uid: string): Promise<Bytes>;
  close(): void;
}
