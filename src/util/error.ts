/** Returns the message of what was thrown, or its text where it is not an Error. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Returns the code of an error of the system or of Node, such as `ENOENT`. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;

/** Returns the stack of what was thrown, or its text where it has none. */
export const stackOf = (error: unknown): string => (error instanceof Error && error.stack) || String(error);
