/**
 * Writes files whole or not at all.
 *
 * @module
 */
import { rename, rm, writeFile } from "node:fs/promises";

/** Writes a file, 0600, so that a reader sees all of it, or the old one. Replaces a link. */
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

/** Removes such a file, and leftovers of a killed writer. */
export async function removeWhole(file: string): Promise<void> {
  await rm(nextOf(file), { force: true });
  await rm(file, { force: true });
}

const nextOf = (file: string): string => `${file}.new`;
