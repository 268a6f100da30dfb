import { randomBytes } from "node:crypto";

/** Makes bytes that nobody can guess. */
export type RandomBytes = (length: number) => Buffer;

/** Those of the operating system. */
export const systemBytes: RandomBytes = (length) => randomBytes(length);
