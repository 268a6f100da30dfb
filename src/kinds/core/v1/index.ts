import type { DefinitionFactory } from "../../../schema/definition.ts";
import { binding } from "./binding.ts";
import { componentStatus } from "./component-status.ts";
import { configMap } from "./configmap.ts";
import { endpoints } from "./endpoints.ts";
import { coreEvent } from "./event.ts";
import { limitRange } from "./limit-range.ts";
import { namespace } from "./namespace.ts";
import { node } from "./node.ts";
import { persistentVolume } from "./persistent-volume.ts";
import { persistentVolumeClaim } from "./persistent-volume-claim.ts";
import { pod } from "./pod.ts";
import { podTemplate } from "./pod-template.ts";
import { replicationController } from "./replication-controller.ts";
import { resourceQuota } from "./resource-quota.ts";
import { secret } from "./secret.ts";
import { serviceAccount } from "./service-account.ts";
import { service } from "./service.ts";

/** The kinds of the core group in the documents, with their dependencies. Events are a second view of those of the events group. */
export const coreGroup: DefinitionFactory = (ctx) => [
  binding,
  configMap,
  coreEvent,
  namespace(ctx),
  node(ctx),
  persistentVolume(ctx),
  persistentVolumeClaim(ctx),
  pod(ctx),
  secret,
  serviceAccount,
];

/** All others of the core group. */
export const otherCoreKinds: DefinitionFactory = (ctx) => [
  componentStatus,
  endpoints,
  limitRange,
  podTemplate(ctx),
  replicationController(ctx),
  resourceQuota,
  service(ctx),
];
