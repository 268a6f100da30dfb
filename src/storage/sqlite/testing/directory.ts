/**
 * Data directories for tests of the embedded backend.
 *
 * @module
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A new empty directory, and how to remove it. */
export function temporaryDirectory(): { readonly path: string; readonly remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), "keelson-store-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
