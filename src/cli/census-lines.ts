import { Option } from "commander";
import type { StoreCensus } from "./actions.ts";
import { counted } from "../util/counted.ts";

/** Returns the flag for a file with keys. */
export const keysOption = (): Option =>
  new Option(
    "--encryption-provider-config <FILE>",
    "Also decrypt every record with the keys of this file, and name those that cannot be read.",
  );

/** The value of {@link keysOption}. */
export interface KeysFlag {
  readonly encryptionProviderConfig?: string;
}

/** Returns a line for each resource and key: `12 secrets with k8s:enc:aesgcm:v1:key1:`. */
export const encryptedText = ({ encrypted }: Pick<StoreCensus, "encrypted">): readonly string[] =>
  encrypted.map(({ resource, stored, records }) => `${records} ${resource} with ${stored}`);

/** Returns the lines about encrypted records of a new store, and about those that cannot be decrypted. */
export function censusLines(census: StoreCensus): readonly string[] {
  const { encrypted, unread } = census;
  return [
    ...(encrypted.length > 0 ? ["encrypted, so that a server needs --encryption-provider-config:"] : []),
    ...encryptedText(census).map((line) => `  ${line}`),
    ...(unread.length > 0 ? [`${counted(unread.length, "record")} cannot be decrypted, and kept as stored:`] : []),
    ...unread.map(({ key, revision, why }) => `  ${key} at revision ${revision}: ${why}`),
  ];
}
