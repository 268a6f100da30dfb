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
 * What no document of XML 1.0 may have: control characters, halves of pairs, and two code points; and characters that change the
 * direction of what stands behind them.
 */
const FORBIDDEN = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]|[\u007F-\u009F\u202A-\u202E\u2066-\u2069]/gu;

/** Escapes a text for the content or a quoted attribute of an element; what no document may have is replaced. */
export const escaped = (text: string): string =>
  text.replace(FORBIDDEN, "\uFFFD").replace(/[&<>"']/g, (character) => ESCAPES[character]!);
