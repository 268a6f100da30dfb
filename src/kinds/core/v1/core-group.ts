import type { DefinitionFactory } from "../../../schema/definition.ts";
import { configMap } from "./configmap.ts";
import { coreEvent } from "./event.ts";
import { namespace } from "./namespace.ts";
import { node } from "./node.ts";
import { secret } from "./secret.ts";
import { serviceAccount } from "./service-account.ts";
import { service } from "./service.ts";

/** The core group without claims, volumes and pods. Events are a second view of what the events group stores. */
export const coreGroup: DefinitionFactory = (ctx) => [
  configMap,
  coreEvent,
  namespace(ctx),
  node(ctx),
  secret,
  serviceAccount,
  service,
];
