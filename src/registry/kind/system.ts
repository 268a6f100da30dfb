import type { ApiContext } from "../../schema/definition.ts";
import type { Caller, WriteOptions } from "../contract.ts";

/** The user of the writes of the server itself. */
export const SYSTEM: Caller = { user: "system:apiserver", groups: ["system:masters"], userAgent: "keelson" };

/** A write of the server itself. */
export const systemWrite = ({ dialect }: Pick<ApiContext, "dialect">): WriteOptions => ({
  dryRun: false,
  fieldManager: dialect.rules.serverManager,
  fieldValidation: "Ignore",
});
