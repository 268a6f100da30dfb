import type { DefinitionFactory } from "../../../schema/definition.ts";
import { ipAddress } from "./ipaddress.ts";
import { serviceCidr } from "./servicecidr.ts";

/** The networking group. */
export const networkingGroup: DefinitionFactory = (ctx) => [ipAddress(ctx), serviceCidr(ctx)];
