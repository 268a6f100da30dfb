/**
 * The calls of a KMS v2 plugin (KEP-3299). It holds a key that never leaves it, and encrypts the seeds of this server.
 *
 * @module
 */
import type { Bytes } from "../../storage/contract.ts";

/** The health of a plugin, and the key that it encrypts with. */
export interface PluginStatus {
  readonly version: string;
  /** `ok`, or the error. */
  readonly healthz: string;
  readonly keyId: string;
}

/** A seed that a plugin has encrypted; all of it is stored with each value. */
export interface SealedSeed {
  readonly keyId: string;
  readonly ciphertext: Bytes;
  /** By domain name. */
  readonly annotations: ReadonlyMap<string, Bytes>;
}

/** A plugin; each call rejects with Error when it fails or times out. */
export interface KmsPlugin {
  status(): Promise<PluginStatus>;
  /** @param uid identifies the call in the plugin's log */
  encrypt(plain: Bytes, uid: string): Promise<SealedSeed>;
  decrypt(sealed: SealedSeed, uid: string): Promise<Bytes>;
  close(): void;
}
