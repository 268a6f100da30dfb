import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { KeyPair } from "./key-pair.ts";

/** The pairs of a Pki. */
export interface MadePairs {
  readonly ca: KeyPair;
  readonly server: KeyPair;
  readonly admin: KeyPair;
}

/** What is there of a Pki, and how the rest is to be made. */
export interface MissingPairs {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Names and addresses of the serving certificate. */
  readonly hosts: readonly string[];
  readonly caDays: number;
  readonly leafDays: number;
  readonly have: Partial<MadePairs>;
}

/** Makes the pairs that are missing; see `certificates-process.ts`. */
export function makeCertificates(missing: MissingPairs): Promise<MadePairs> {
  // The program lies beside this file, as .ts in the sources and as .js in a build.
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const program = fileURLToPath(new URL(`./certificates-process.${extension}`, import.meta.url));
  return new Promise((resolve, reject) => {
    const child = execFile(process.execPath, [program], (error, stdout, stderr) => {
      if (error) reject(new Error(`the certificates could not be made: ${stderr || error.message}`));
      else resolve(JSON.parse(stdout) as MadePairs);
    });
    child.stdin!.end(JSON.stringify(missing));
  });
}
