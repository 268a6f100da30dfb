/**
 * Texts of others in HTML and XML.
 *
 * @module
 */
const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/**
 * Characters that XML 1.0 forbids: control characters, lone surrogates, and two code points; and characters that change the direction of
 * the following text.
 */
const FORBIDDEN = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]|[\u007F-\u009F\u202A-\u202E\u2066-\u2069]/gu;

/** Escapes a text for the content or a quoted attribute of an element; forbidden characters are replaced. */
export const escaped = (text: string): string =>
  text.replace(FORBIDDEN, "\uFFFD").replace(/[&<>"']/g, (character) => ESCAPES[character]!);
