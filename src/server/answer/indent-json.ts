/**
 * Indents JSON text without parsing it, so that numbers stay as they are and no member is reordered. The text must be
 * valid and compact or not; white space between tokens is dropped.
 *
 * @param base what every line but the first begins with
 */
export function indentJson(bytes: Uint8Array, base = ""): Buffer {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  const out: string[] = [];
  let depth = 0;
  let from = 0;
  const line = (): string => `\n${base}${"  ".repeat(depth)}`;
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    if (char === '"') {
      at = endOfString(text, at);
    } else if (char === "{" || char === "[") {
      out.push(text.slice(from, at + 1));
      const close = nextToken(text, at + 1);
      if (text[close] === "}" || text[close] === "]") {
        out.push(text[close]!);
        at = close;
      } else {
        depth++;
        out.push(line());
      }
      from = at + 1;
    } else if (char === "}" || char === "]") {
      depth--;
      out.push(text.slice(from, at), line(), char);
      from = at + 1;
    } else if (char === ",") {
      out.push(text.slice(from, at + 1), line());
      from = at + 1;
    } else if (char === ":") {
      out.push(text.slice(from, at), ": ");
      from = at + 1;
    } else if (char === " " || char === "\n" || char === "\t" || char === "\r") {
      out.push(text.slice(from, at));
      from = at + 1;
    }
  }
  out.push(text.slice(from));
  return Buffer.from(out.join(""), "utf8");
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at;
}

function nextToken(text: string, start: number): number {
  let at = start;
  while (text[at] === " " || text[at] === "\n" || text[at] === "\t" || text[at] === "\r") at++;
  return at;
}
