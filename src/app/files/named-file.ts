import { readFileSync } from "node:fs";
import { OptionError } from "../options/types.ts";
import { messageOf } from "../../util/error.ts";

/** Reads the text file of a flag. @throws OptionError that names the flag */
export function readNamed(flag: string, file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new OptionError(`expected --${flag} to name a file that can be read: ${messageOf(error)}`);
  }
}
