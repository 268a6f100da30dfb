import { type FoundManifest, readManifests } from "../client/manifests.ts";
import { messageOf } from "../util/error.ts";
import type { Actions } from "./actions.ts";
import { CliError } from "./cli-error.ts";
import { readText } from "./read-text.ts";

/**
 * The manifests of files, of folders with all below them, and of standard input for `-`.
 *
 * @throws CliError that names the file and the document that cannot be read
 */
export async function readFiles(
  { terminal }: Pick<Actions, "terminal">,
  files: readonly string[],
): Promise<readonly FoundManifest[]> {
  const found: FoundManifest[] = [];
  for (const file of files) {
    try {
      // A text of one line is no path.
      found.push(...readManifests(file === "-" ? `${await readText("-", terminal.input)}\n` : file));
    } catch (cause) {
      throw cause instanceof CliError ? cause : new CliError(messageOf(cause), { cause });
    }
  }
  return found;
}
