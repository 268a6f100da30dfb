/**
 * Secrets of requests, so that they are in no message and in no log.
 *
 * @module
 */

/** Stands for what must not be shown. */
export const HIDDEN = "***stripped***";

/** The entry of a volume's context that holds tokens of the Pod, in whichever dialect. */
const TOKENS = /\/serviceAccount\.tokens$/;

/** Values that are shorter are words of every message, and no secrets worth the name. */
const SHORTEST = 3;

/** A text without the values of the secrets of a request, should somebody have put them into it. */
export function withoutSecrets(text: string, request: object): string {
  let clean = text;
  for (const value of secretValues(request)) clean = clean.replaceAll(value, HIDDEN);
  return clean;
}

function secretValues(request: object): string[] {
  const { secrets, volumeContext } = request as Readonly<Record<string, Readonly<Record<string, string>> | undefined>>;
  const tokens = Object.entries(volumeContext ?? {}).filter(([key]) => TOKENS.test(key));
  const values = [...Object.values(secrets ?? {}), ...tokens.flatMap(([, value]) => [value, ...tokensIn(value)])];
  return values.filter((value) => value.length >= SHORTEST).toSorted((a, b) => b.length - a.length);
}

/** The tokens in a text such as `{"audience":{"token":"…","expirationTimestamp":"…"}}`. */
const tokensIn = (text: string): string[] => [...text.matchAll(/"token"\s*:\s*"([^"]+)"/g)].map(([, token]) => token!);
