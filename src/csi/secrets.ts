/**
 * Keeps the secrets of requests out of messages and logs.
 *
 * @module
 */

/** The text in the place of a secret. */
export const HIDDEN = "***stripped***";

/** The key in a volume's context that holds tokens of the Pod, in each dialect. */
const TOKENS = /\/serviceAccount\.tokens$/;

/** Shorter values are parts of ordinary words. */
const MIN_SECRET_LENGTH = 3;

/** A text without the values of the secrets of a request. */
export function withoutSecrets(text: string, request: object): string {
  let clean = text;
  for (const value of secretValues(request)) clean = clean.replaceAll(value, HIDDEN);
  return clean;
}

function secretValues(request: object): string[] {
  const { secrets, volumeContext } = request as Readonly<Record<string, Readonly<Record<string, string>> | undefined>>;
  const tokens = Object.entries(volumeContext ?? {}).filter(([key]) => TOKENS.test(key));
  const values = [...Object.values(secrets ?? {}), ...tokens.flatMap(([, value]) => [value, ...tokensIn(value)])];
  return values.filter((value) => value.length >= MIN_SECRET_LENGTH).toSorted((a, b) => b.length - a.length);
}

/** The tokens in a text such as `{"audience":{"token":"…","expirationTimestamp":"…"}}`. */
const tokensIn = (text: string): string[] => [...text.matchAll(/"token"\s*:\s*"([^"]+)"/g)].map(([, token]) => token!);
