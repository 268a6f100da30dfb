import type { ServeOptions } from "../options/options.ts";
import type { Dialect } from "../../meta/dialect.ts";
import type { TracedSystemParts } from "../process/system-parts.ts";
import type { Encryption } from "./encryption.ts";

/** Opens the encryption of the options, and loads its modules; undefined if objects are not encrypted. */
export async function openEncryption(
  { encryption }: Pick<ServeOptions, "encryption">,
  parts: TracedSystemParts & { readonly dialect: Dialect },
  open: AsyncDisposableStack,
): Promise<Encryption | undefined> {
  if (!encryption) return undefined;
  const { Encryption } = await import("./encryption.ts");
  return open.use(await Encryption.open({ ...encryption, ...parts }));
}
