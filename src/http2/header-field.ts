/** A header field; each character is a byte. */
export interface HeaderField {
  readonly name: string;
  readonly value: string;
  /** The part with an invalid character, or with blanks around the value (RFC 9113 8.2.1). */
  readonly invalid: "name" | "value" | undefined;
}

const NAME = /^:?[!#$%&'*+\-.^_`|~0-9a-z]+$/;
const VALUE = /^[\t\x20-\x7E\x80-\xFF]*$/;

/** Checks a field. */
export const headerField = (name: string, value: string): HeaderField => ({ name, value, invalid: fault(name, value) });

function fault(name: string, value: string): HeaderField["invalid"] {
  if (!NAME.test(name)) return "name";
  return VALUE.test(value) && !isBlank(value.charCodeAt(0)) && !isBlank(value.charCodeAt(value.length - 1))
    ? undefined
    : "value";
}

const isBlank = (code: number): boolean => code === 0x20 || code === 9;
