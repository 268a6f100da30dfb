import type { DefinitionFactory } from "../../definition.ts";
import { configMap } from "./configmap.ts";
import { coreEvent } from "./event.ts";
import { namespace } from "./namespace.ts";
import { node } from "./node.ts";
import { secret } from "./secret.ts";
import { serviceAccount } from "./service-account.ts";
import { service } from "./service.ts";

/**
 * The core group without claims, volumes and pods. Events have a core form only where the documents' own is not the only
 * one (VER-4).
 */
export const coreGroup: DefinitionFactory = (ctx) => [
  configMap,
  ...(ctx.dialect.rules.enforceDocumented ? [] : [coreEvent]),
  namespace,
  node(ctx),
  secret,
  serviceAccount,
  service,
];
