/**
 * Where an error was thrown: the innermost two lines of its stack, by which causes are told apart. What an error says may
 * stand in a request: whoever sends many would make as many causes.
 */
export function errorPlace(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { stack = "", message } = error;
  // The message comes first, and may look like a stack.
  const at = stack.indexOf(message);
  const lines = stack.slice(at < 0 ? 0 : at + message.length).split("\n");
  return lines.slice(1, 3).join("\n") || error.name;
}
