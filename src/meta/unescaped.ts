const BROKEN_ESCAPE = /%(?![0-9a-f]{2})/i;

/** A key that a header cannot spell is sent with percent escapes; one with an escape that is none stands for itself (AUTHN-48). */
export function unescaped(key: string): string {
  if (!key.includes("%") || BROKEN_ESCAPE.test(key)) return key;
  const bytes = key.replaceAll(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString("utf8");
}
