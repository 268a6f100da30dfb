import type { FieldErrors } from "../../../../meta/field-errors.ts";

const MAX_DOMAIN_LENGTH = 255;
const MAX_USER_LENGTH = 104;

const NETBIOS = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/u;
const LABEL = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?";
const DNS = new RegExp(`^${LABEL}(?:\\.${LABEL})*$`);
const IN_NO_USER = /["/\\:;|=,+*?<>@[\]]/;

/** The name of a user of Windows, with or without a domain: `DOMAIN\user` (KIND-PodSpec-9). */
export function checkUserName(name: string, field: string, errors: FieldErrors): void {
  const wrong = faultOf(name);
  if (wrong !== undefined) errors.invalid(field, name, wrong);
}

function faultOf(name: string): string | undefined {
  // eslint-disable-next-line no-control-regex
  if (/[\x00-\x1f\x7f]/.test(name)) return "expected no control characters";
  const parts = name.split("\\");
  if (parts.length > 2) return "expected at most one backslash";
  const user = parts.pop()!;
  const [domain] = parts;
  if (domain !== undefined) {
    if (Buffer.byteLength(domain) > MAX_DOMAIN_LENGTH) return `expected a domain of at most ${MAX_DOMAIN_LENGTH} bytes`;
    if (!NETBIOS.test(domain) && !DNS.test(domain)) return "expected a NetBIOS or DNS name in front of the backslash";
  }
  if (user === "" || Buffer.byteLength(user) > MAX_USER_LENGTH)
    return `expected a user name of 1 to ${MAX_USER_LENGTH} bytes`;
  if (/^[. ]+$/.test(user)) return "expected more than dots and spaces";
  return IN_NO_USER.test(user) ? 'expected a user name without any of "/\\:;|=,+*?<>@[]' : undefined;
}
