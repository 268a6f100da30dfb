import { homedir } from "node:os";

/** Returns the user's home directory. A user without an entry (`docker run -u 12345`) has none unless HOME is set: undefined. */
export function homeDirectory(): string | undefined {
  try {
    return homedir() || undefined;
  } catch {
    return undefined;
  }
}
