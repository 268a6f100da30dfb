import { Option } from "commander";
import type { StoreCensus } from "./actions.ts";
import { counted } from "./counted.ts";

/** The flag of commands that need no keys, and say more with them. */
export const keysOption = (): Option =>
  new Option(
    "--encryption-provider-config <FILE>",
    "Also decrypt every record with the keys of this file, and name those that cannot be read.",
  );

/** What {@link keysOption} was given. */
export interface KeysFlag {
  readonly encryptionProviderConfig?: string;
}

/** Which records are encrypted, and with which keys: `12 secrets with k8s:enc:aesgcm:v1:key1:`. */
export const encryptedText = ({ encrypted }: Pick<StoreCensus, "encrypted">): readonly string[] =>
  encrypted.map(({ resource, stored, records }) => `${records} ${resource} with ${stored}`);

/** What a store that was made keeps encrypted, and what of it cannot be decrypted. */
export function censusLines(census: StoreCensus): readonly string[] {
  const { encrypted, unread } = census;
  return [
    ...(encrypted.length > 0 ? ["encrypted, so that a server needs --encryption-provider-config:"] : []),
    ...encryptedText(census).map((line) => `  ${line}`),
    ...(unread.length > 0 ? [`${counted(unread.length, "record")} cannot be decrypted, and kept as stored:`] : []),
    ...unread.map(({ key, revision, why }) => `  ${key} at revision ${revision}: ${why}`),
  ];
}
