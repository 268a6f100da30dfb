import { parsePointer } from "../value/pointer.ts";
import { printable } from "./colours.ts";

/** Formats a JSON pointer as a field path: `.spec.ports[0].name`, `.data["a.b"]`; the whole object is `.`. */
export function fieldPath(pointer: string): string {
  const path = parsePointer(pointer).map((token) => {
    if (/^(0|[1-9]\d*)$/.test(token)) return `[${token}]`;
    return /^[A-Za-z_][\w-]*$/.test(token) ? `.${token}` : `[${printable(JSON.stringify(token))}]`;
  });
  return path.length === 0 ? "." : path.join("");
}
