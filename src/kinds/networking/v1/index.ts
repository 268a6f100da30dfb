import type { DefinitionFactory } from "../../../schema/definition.ts";
import { ingress } from "./ingress.ts";
import { ingressClass } from "./ingressclass.ts";
import { ipAddress } from "./ipaddress.ts";
import { networkPolicy } from "./networkpolicy.ts";
import { serviceCidr } from "./servicecidr.ts";

/** The networking group. */
export const networkingGroup: DefinitionFactory = (ctx) => [
  ingress(ctx),
  ingressClass,
  ipAddress,
  networkPolicy,
  serviceCidr,
];
