/**
 * Returns the two innermost lines of the stack of an error, which identify its cause. Its message does not: it may quote a
 * request, and a client could then make as many causes as it sends requests.
 */
export function errorLocation(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { stack = "", message } = error;
  // The message precedes the lines, and may look like a stack.
  const at = stack.indexOf(message);
  const lines = stack.slice(at < 0 ? 0 : at + message.length).split("\n");
  return lines.slice(1, 3).join("\n") || error.name;
}
