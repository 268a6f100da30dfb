/**
 * Files that are written whole or not at all.
 *
 * @module
 */
import { rename, rm, writeFile } from "node:fs/promises";

/**
 * Writes a file, 0600, such that whoever reads it sees all of it, or what was there before. A link that somebody has put in its
 * place is replaced, not followed.
 */
export async function writeWhole(file: string, text: string): Promise<void> {
  const next = nextOf(file);
  const write = (): Promise<void> => writeFile(next, text, { flag: "wx", mode: 0o600 });
  await write().catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
    await rm(next, { force: true });
    await write();
  });
  await rename(next, file);
}

/** Removes such a file, and what a writer that was killed has left of it. */
export async function removeWhole(file: string): Promise<void> {
  await rm(nextOf(file), { force: true });
  await rm(file, { force: true });
}

const nextOf = (file: string): string => `${file}.new`;
