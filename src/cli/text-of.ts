/**
 * The text of what a command is given: a file, or standard input.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import { CliError } from "./cli-error.ts";

/** The text of a file; `-` reads `input`. @throws CliError where the file cannot be read */
export async function textOf(file: string, input: AsyncIterable<Buffer | string>): Promise<string> {
  if (file === "-") {
    const chunks: Buffer[] = [];
    for await (const chunk of input) chunks.push(Buffer.from(chunk));
    return Buffer.concat(chunks).toString();
  }
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new CliError(`expected a file at ${file}: ${(cause as Error).message}`, { cause });
  }
}
