import { randomBytes } from "node:crypto";

/** Returns random bytes of cryptographic quality. */
export type RandomBytes = (length: number) => Buffer;

/** The random bytes of the operating system. */
export const systemBytes: RandomBytes = (length) => randomBytes(length);
