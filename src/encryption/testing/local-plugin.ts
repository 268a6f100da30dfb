import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import type { KmsPlugin } from "../kms/plugin.ts";

/** The behaviour of a plugin for tests; a test changes it. */
export interface PluginState {
  keyId: string;
  healthz: string;
  version?: string;
  /** The error of every call. */
  failure?: string;
  /** The number of calls, by method. */
  calls?: Record<string, number>;
}

const keyOf = (id: string): Buffer => createHash("sha256").update(id).digest();

/** A plugin in this process that seals as `test/encryption/plugin.ts` does: a key is the SHA-256 of its id. */
export function localPlugin(state: PluginState): KmsPlugin {
  const count = (method: string): void => {
    state.calls ??= {};
    state.calls[method] = (state.calls[method] ?? 0) + 1;
    if (state.failure !== undefined) throw new Error(state.failure);
  };
  return {
    async status() {
      count("status");
      return { version: state.version ?? "v2", healthz: state.healthz, keyId: state.keyId };
    },
    async encrypt(plain) {
      count("encrypt");
      const nonce = randomBytes(12);
      const cipher = createCipheriv("aes-256-gcm", keyOf(state.keyId), nonce);
      const ciphertext = Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
      return { keyId: state.keyId, ciphertext, annotations: new Map([["made.by.test", Buffer.from("yes")]]) };
    },
    async decrypt({ keyId, ciphertext }) {
      count("decrypt");
      const decipher = createDecipheriv("aes-256-gcm", keyOf(keyId), ciphertext.subarray(0, 12));
      decipher.setAuthTag(ciphertext.subarray(ciphertext.length - 16));
      return Buffer.concat([decipher.update(ciphertext.subarray(12, ciphertext.length - 16)), decipher.final()]);
    },
    close() {},
  };
}
