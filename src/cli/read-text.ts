import { readFileSync } from "node:fs";
import { CliError } from "./cli-error.ts";

/** Reads the text of a file; `-` reads `input`. @throws CliError if the file cannot be read */
export async function readText(file: string, input: AsyncIterable<Buffer | string>): Promise<string> {
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
